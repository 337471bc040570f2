"""The figures of a chart, from the values that the file keeps beside the drawing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from assistant.readers.builder import one_line
from assistant.readers.cell_values import shown
from assistant.readers.package import child, local, value


@dataclass(frozen=True)
class Chart:
    """`rows`: first the names of the series, then a row per category; () when no values are kept."""

    title: str
    rows: tuple[tuple[str, ...], ...]


def chart_of(space: Any) -> Chart:
    """The chart below a chartSpace element, of whatever type: every series keeps names, categories and values."""
    series = [element for element in space.iter() if local(element) == "ser"]
    names = [" ".join(_points(child(ser, "tx")).values()) for ser in series]
    categories: dict[int, str] = {}
    for ser in series:
        categories |= _points(child(ser, "cat") if child(ser, "cat") is not None else child(ser, "xVal"))
    values = [_points(child(ser, "val") if child(ser, "val") is not None else child(ser, "yVal")) for ser in series]
    count = sorted({index for column in [categories, *values] for index in column})
    rows = [(categories.get(index, ""), *(column.get(index, "") for column in values)) for index in count]
    return Chart(title_of(space), (("", *names), *rows) if rows else ())


def title_of(space: Any) -> str:
    """The chart's title, then those of its axes; "" when there is none."""
    titles = (element for element in space.iter() if local(element) == "title")
    lines = (one_line("".join(t.text or "" for t in title.iter() if local(t) in ("t", "v"))) for title in titles)
    return " – ".join(filter(None, lines))


def _points(held: Any | None) -> dict[int, str]:
    """Texts by their index; of categories in several levels, the levels joined."""
    found: dict[int, str] = {}
    if held is None:
        return found
    for element in _caches(held):
        number_format = next((f.text or "" for f in element if local(f) == "formatCode"), "General")
        for point in (p for p in element if local(p) == "pt"):
            index, text = int(value(point, "idx") or 0), child(point, "v")
            written = _written((text.text if text is not None else "") or "", number_format)
            found[index] = f"{written} {found[index]}" if index in found else written
    return found or ({0: one_line(held[0].text or "")} if len(held) and local(held[0]) == "v" else {})


def _caches(held: Any) -> Iterator[Any]:
    return (e for e in held.iter() if local(e) in ("strCache", "numCache", "lvl", "strLit", "numLit"))


def _written(text: str, number_format: str) -> str:
    """Numbers as cells show them: 0.30000000000000004 is 0.3, dates are dates."""
    from openpyxl.styles.numbers import is_date_format
    from openpyxl.utils.datetime import from_excel

    try:
        number = float(text)
    except ValueError:
        return one_line(text)
    if is_date_format(number_format):
        return shown(from_excel(number), number_format)
    return shown(number, number_format)
