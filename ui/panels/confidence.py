"""Confidence: one number, the decision that follows from it, and the whole calculation."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.trace import Adjustment, Confidence, Decided, Signal
from ui.panels import numbers
from ui.panels.markup import esc, opening, said
from ui.panels.reasons import told
from ui.texts import T, Texts

TONES = {"answer": "gb-good", "caveat": "gb-fair", "rewrite": "gb-fair", "decline": "gb-poor"}


def panel(confidence: Confidence | None, decided: Decided | None = None, lang: str = "en") -> str:
    """HTML of the confidence; a designed "not judged yet" for None."""
    t = T(lang)
    if confidence is None:
        return (
            f'<section class="gb-conf" aria-label="{t("confidence")}"><div class="gb-conf-head">'
            f'<span class="gb-big gb-none" title="{t("not_judged")}">{numbers.NONE}</span>'
            f'<div class="gb-conf-words"><span class="gb-label">{t("confidence")}</span>'
            f"<strong>{t('not_judged')}</strong></div></div></section>"
        )
    tone = TONES.get(decided.decision, "") if decided else ""
    return (
        f'<section class="gb-conf {tone}" aria-label="{t("confidence")}">{_head(confidence, decided, t)}'
        f"{_meter(confidence, t)}{opening(t('show_calculation'), _calculation(confidence, t), 'gb-calc')}</section>"
    )


def _head(c: Confidence, decided: Decided | None, t: Texts) -> str:
    shown = numbers.confidence(c.value, (c.decline_below, c.answer_at))
    word = t.name("decision", decided.decision) if decided else t("undecided")
    limited = ""
    if c.limited_by:
        limited = f'<p class="gb-limited"><span>{t("limited_by")}</span> {told(c.limited_by, t)}</p>'
    why = f'<p class="gb-why">{told(decided.why, t)}</p>' if decided and decided.why else ""
    return (
        f'<div class="gb-conf-head"><span class="gb-big" title="{c.value!r} · {numbers.tip("confidence", t)}">{shown}'
        f'</span><div class="gb-conf-words"><span class="gb-label">{t("confidence")}</span>'
        f'<strong class="gb-decision">{word}</strong></div><div class="gb-conf-why">{limited}{why}</div></div>'
    )


def _meter(c: Confidence, t: Texts) -> str:
    ticks = "".join(
        f'<b style="left:{100 * at:.1f}%" title="{words}"></b>'
        for at, words in (
            (c.decline_below, t("decline_below", n=numbers.number("confidence", c.decline_below))),
            (c.answer_at, t("answer_at", n=numbers.number("confidence", c.answer_at))),
        )
    )
    return (
        f'<div class="gb-meter" role="meter" aria-valuemin="0" aria-valuemax="1" aria-valuenow="{c.value:.3f}" '
        f'aria-label="{t("confidence")}"><i style="width:{100 * c.value:.1f}%"></i>{ticks}</div>'
        f'<div class="gb-bands" aria-hidden="true"><span style="left:{100 * c.decline_below:.1f}%">'
        f"{t('decline_below', n=numbers.number('confidence', c.decline_below))}</span>"
        f'<span style="left:{100 * c.answer_at:.1f}%">'
        f"{t('answer_at', n=numbers.number('confidence', c.answer_at))}</span></div>"
    )


@dataclass(frozen=True)
class _Bar:
    """One row of the waterfall: `points` as written, drawn from `start` to `end` (true values)."""

    points: float
    start: float
    end: float


def _bars(c: Confidence) -> list[_Bar]:
    true = [c.start, *(s.points for s in c.signals), *(a.points for a in c.adjustments)]
    written = numbers.adding_up(true, c.value, numbers.NUMBERS["points"].digits)
    bars, at = [], 0.0
    for value, shown in zip(true, written, strict=True):
        bars.append(_Bar(shown, at, at + value))
        at += value
    return bars


def _calculation(c: Confidence, t: Texts) -> str:
    start, *rest = _bars(c)
    heads = "".join(
        f'<th scope="col" class="gb-num" title="{numbers.tip(tip, t)}">{t(word)}</th>'
        for word, tip in (
            ("raw", ""),
            ("value", ""),
            ("weight", "weight"),
            ("contribution", "contribution"),
            ("points", "points"),
        )
    )
    rows = [_row(t("start"), t("start_why"), ("", "", "", numbers.signed(c.intercept, 3)), start, t)]
    for signal, bar in zip(c.signals, rest, strict=False):
        rows.append(_row(said(t.name("signal", signal.name)), told(signal.why, t), _cells(signal, t), bar, t))
    for adjustment, bar in zip(c.adjustments, rest[len(c.signals) :], strict=True):
        rows.append(_adjustment(adjustment, bar, t))
    return (
        f'<div class="gb-scroll"><table class="gb-waterfall"><thead><tr><th scope="col">{t("signal")}</th>{heads}'
        f'<th aria-hidden="true"></th></tr></thead><tbody>{"".join(rows)}</tbody>{_foot(c, t)}</table></div>'
        f"{_formula(c, t)}{numbers.legend(('confidence', 'points', 'contribution', 'weight'), t)}"
    )


def _cells(s: Signal, t: Texts) -> tuple[str, str, str, str]:
    unit = f' <small class="gb-unit">{esc(t.name("unit", s.raw.unit))}</small>' if s.raw.unit else ""
    return (
        f"{numbers.reading(s.raw, t)}{unit}{numbers.reason(s.raw, t)}",
        numbers.reading(s.value, t),
        numbers.fixed(s.weight, 3),
        numbers.signed(s.contribution, 3),
    )


def _adjustment(a: Adjustment, bar: _Bar, t: Texts) -> str:
    name = f'{said(t.name("signal", a.name))} <small class="gb-unit">{t("adjustment")}</small>'
    return _row(name, told(a.why, t), ("", "", "", ""), bar, t)


def _row(name: str, why: str, cells: tuple[str, str, str, str], bar: _Bar, t: Texts) -> str:
    low, high = sorted((min(1.0, max(0.0, bar.start)), min(1.0, max(0.0, bar.end))))
    tone = "gb-minus" if bar.points < 0 else "gb-plus" if bar.points else "gb-zero"
    labels = (t("raw"), t("value"), t("weight"), t("contribution"))
    middle = "".join(
        f'<td class="gb-num" data-label="{label}">{cell}</td>' if cell else "<td></td>"
        for label, cell in zip(labels, cells, strict=True)
    )
    return (
        f'<tr><th scope="row">{name}<span class="gb-why">{why}</span></th>{middle}'
        f'<td class="gb-num gb-points {tone}" data-label="{t("points")}">{numbers.signed(bar.points, 3)}</td>'
        f'<td class="gb-fall" aria-hidden="true"><i class="{tone}" '
        f'style="left:{100 * low:.1f}%;width:{100 * (high - low):.1f}%"></i></td></tr>'
    )


def _foot(c: Confidence, t: Texts) -> str:
    return (
        f'<tfoot><tr><th scope="row">{t("sum")}</th><td></td><td></td><td></td>'
        f'<td class="gb-num">{numbers.signed(c.total, 3)}</td>'
        f'<td class="gb-num gb-points" title="{c.value!r}">= {numbers.fixed(c.value, 3)}</td>'
        f'<td class="gb-fall" aria-hidden="true"><i style="left:0;width:{100 * c.value:.1f}%"></i></td></tr></tfoot>'
    )


def _formula(c: Confidence, t: Texts) -> str:
    terms = "".join(
        f" {numbers.MINUS if s.contribution < 0 else '+'} {numbers.fixed(abs(s.contribution), 3)}" for s in c.signals
    )
    total = f"{numbers.fixed(c.intercept, 3)}{terms} = {numbers.fixed(c.total, 3)}"
    linked = numbers.fixed(c.linked, 3)
    link = f"1 / (1 + e^−({numbers.fixed(c.total, 3)})) = {linked}" if c.link == "logistic" else f"0…1: {linked}"
    moved = "".join(
        f" {numbers.MINUS if a.points < 0 else '+'} {numbers.fixed(abs(a.points), 3)}" for a in c.adjustments
    )
    last = f"{linked}{moved} = {numbers.fixed(c.value, 3)}" if c.adjustments else ""
    how = t("method_coefficients", method=esc(t.name("method", c.method)), coefficients=esc(c.coefficients))
    caution = f'<p class="gb-why">{told(c.caution, t)}</p>' if c.caution else ""
    lines = "".join(f"<code>{line}</code>" for line in (total, link, last) if line)
    return (
        f'<div class="gb-formula"><span class="gb-label">{t("formula")}</span>{lines}<small>{how}</small>{caution}'
        "</div>"
    )
