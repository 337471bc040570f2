"""Every number's format and legend, in one place; what comes back is HTML."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from assistant.trace import Reading
from ui.panels import reasons
from ui.panels.markup import esc
from ui.texts import Texts

MINUS = "−"
NONE = "–"
MOST_GRADE = 3


@dataclass(frozen=True)
class Number:
    """How one kind of number is written and explained. `bounds` is the range as text; words are in ui/texts.py."""

    name: str
    digits: int
    bounds: str
    direction: Literal["higher_better", "lower_better", "no_direction"] = "higher_better"


NUMBERS: dict[str, Number] = {
    n.name: n
    for n in (
        Number("confidence", 2, "0 … 1"),
        Number("points", 3, f"{MINUS}1 … 1"),
        Number("weight", 2, f"{MINUS}∞ … ∞", "no_direction"),
        Number("contribution", 3, f"{MINUS}∞ … ∞"),
        Number("cosine", 3, f"{MINUS}1 … 1"),
        Number("bm25", 2, "0 … ∞"),
        Number("normalised", 3, "0 … 1"),
        Number("share", 3, "0 … 1"),
        Number("fused", 3, "0 … 1"),
        Number("rrf", 4, "0 … Σ weight / (k + 1)"),
        Number("rerank", 3, f"{MINUS}∞ … ∞"),
        Number("grade", 0, "0 … 3"),
        Number("support", 2, "0 … 1"),
        Number("scale", 2, "0.7 … 1.5", "no_direction"),
        Number("rank", 0, "1 … n", "lower_better"),
        Number("idf", 2, "0 … ∞", "no_direction"),
        Number("seconds", 2, "0 … ∞", "lower_better"),
    )
}


def fixed(value: float, digits: int) -> str:
    """The value with that many decimals; a value that is not zero is never written as zero but as "less than 0.001"."""
    text = f"{abs(value):.{digits}f}"
    if value and not float(text):
        step = f"{10.0**-digits:.{digits}f}"
        return f"&lt; {step}" if value > 0 else f"&gt; {MINUS}{step}"
    return f"{MINUS}{text}" if value < 0 else text


def signed(value: float, digits: int) -> str:
    """As `fixed`, with + before values above zero."""
    text = fixed(value, digits)
    return f"+{text}" if value > 0 and text[0] != "&" else text


def number(kind: str, value: float) -> str:
    """The value as this kind of number is written; unknown kinds get three decimals."""
    known = NUMBERS.get(kind)
    return fixed(value, known.digits if known else 3)


def confidence(value: float, bands: Sequence[float] = ()) -> str:
    """Two decimals, more where rounding would put the number on the other side of a band or make it look certain."""
    for digits in (2, 3, 4, 5):
        shown = float(f"{value:.{digits}f}")
        if all((shown >= band) == (value >= band) for band in (*bands, 1.0)) and bool(shown) == bool(value):
            return fixed(value, digits)
    return fixed(value, 6)


def adding_up(values: Sequence[float], total: float, digits: int) -> list[float]:
    """The values rounded so that, as written, they add up to the total as written (largest remainder).

    Each differs from its own value by less than one unit of the last decimal. Values that do not add up to the total
    in the first place are only rounded: a wrong record is not made to look right.
    """
    unit = 10.0**digits
    if not values or abs(math.fsum(values) - total) * unit > 0.5:
        return [round(v, digits) for v in values]
    floors = [math.floor(v * unit) for v in values]
    missing = round(total * unit) - sum(floors)
    by_remainder = sorted(range(len(values)), key=lambda i: floors[i] - values[i] * unit)
    for i in by_remainder[: max(0, missing)]:
        floors[i] += 1
    return [f / unit for f in floors]


def reading(r: Reading, t: Texts, kind: str = "") -> str:
    """HTML: the number, or "–" with the reason on it; a number that was not computed is never written as 0."""
    if r.value is not None:
        return f'<span class="gb-n" title="{r.value!r} {esc(unit(r, t))}">{number(kind or r.unit, r.value)}</span>'
    return f'<span class="gb-none gb-{r.state}" title="{esc(reasons.reason(r.why, t.lang))}">{NONE}</span>'


def reason(r: Reading, t: Texts) -> str:
    """HTML: why there is no number, "" when there is one."""
    return "" if r.value is not None else f'<span class="gb-why">{reasons.told(r.why, t)}</span>'


def kind_of_rerank(r: Reading) -> str:
    """Which number the reranker's score is: a model's grades are counted out of 3."""
    return "grade" if r.unit.startswith("grade") else "rerank"


def unit(r: Reading, t: Texts) -> str:
    """The unit's name, "" for a plain number."""
    return t.name("unit", r.unit) if r.unit else ""


def count(n: int) -> str:
    """5,412"""
    return f"{n:,}"


def size(n: int) -> str:
    """Bytes as disks and model servers count them, by thousands: "622 MB", "2.5 GB", "12 kB"."""
    for unit, step in (("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000)):
        if n >= step * 0.9995:
            value = n / step
            return f"{value:.1f} {unit}" if unit == "GB" and value < 99.95 else f"{value:,.0f} {unit}"
    return f"{n} B"


def percent(part: float) -> str:
    """A share as "60 %"; only what is whole is written as 100."""
    return "100 %" if part >= 1 else f"{min(99, round(100 * part))} %"


def seconds(value: float) -> str:
    """ "12 ms", "0.84 s", "2 min 05 s"; nothing that took time is written as 0."""
    if value < 0.0995:
        return f"{value * 1000:.0f} ms" if value >= 0.0005 or not value else "&lt; 1 ms"
    if value < 60:
        return f"{value:.2f} s" if value < 10 else f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest:02d} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"


def left(value: float) -> str:
    """Time left, in whole seconds and never below one: an estimate has no decimals."""
    whole = max(1, math.ceil(value))
    return f"{whole} s" if whole < 60 else seconds(whole)


def elapsed(value: float) -> str:
    """Time that is still running, in whole seconds: "0 s", "12 s", "2 min 05 s"."""
    whole = max(0, math.floor(value))
    return f"{whole} s" if whole < 60 else seconds(whole)


def movement(before: int | None, after: int | None, t: Texts) -> str:
    """HTML: by how many places a stage moved a chunk, a triangle and the number; "" when a rank is missing."""
    if before is None or after is None:
        return ""
    if before == after:
        return f'<span class="gb-move gb-same" title="{t("kept_rank")}">=</span>'
    up, places = after < before, abs(before - after)
    words = t("moved_up" if up else "moved_down", n=places)
    css, shape = ("gb-up", "M4 1 7.5 7H.5z") if up else ("gb-down", "M4 7 .5 1h7z")
    triangle = f'<svg viewBox="0 0 8 8" aria-hidden="true"><path d="{shape}"/></svg>'
    return f'<span class="gb-move {css}" title="#{before} → #{after}" aria-label="{words}">{triangle}{places}</span>'


def legend(names: Sequence[str], t: Texts) -> str:
    """HTML: name, what it is, range and direction of these numbers."""
    rows = "".join(
        f"<dt>{_name(n, t)}</dt><dd>{t(f'legend.{n}')} <span>{_range(NUMBERS[n], t)}</span></dd>" for n in names
    )
    return f'<dl class="gb-legend">{rows}</dl>'


def tip(kind: str, t: Texts) -> str:
    """Attribute text: what this number is, its range, its direction."""
    known = NUMBERS.get(kind)
    if known is None:
        return ""
    return esc(f"{t(f'legend.{kind}')} ({_range(known, t)})")


def _range(known: Number, t: Texts) -> str:
    return t("range", n=known.bounds, direction=t(known.direction))


def _name(kind: str, t: Texts) -> str:
    if kind in {"cosine", "bm25"}:
        return t(f"unit.{kind}")
    return {"rrf": "RRF", "seconds": t("time"), "idf": t("idf"), "scale": t("scale_name")}.get(kind) or t(kind)
