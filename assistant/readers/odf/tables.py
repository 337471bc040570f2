"""Tables of OpenDocument: rows, repetitions, merged cells, and whole sheets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assistant.readers.builder import one_line
from assistant.readers.cell_values import shown
from assistant.readers.odf.styles import Styles
from assistant.readers.package import local, value
from assistant.readers.sheets import Merged, Sheet

_GROUPS = frozenset(["table-header-rows", "table-rows", "table-row-group"])
_MOST_ROWS, _MOST_COLUMNS = 1_048_576, 16_384
_MOST_REPEATED = 1000
"""The same row or cell more often is a format that was laid over a whole sheet, and one file can claim billions."""
_CELLS = frozenset(["table-cell", "covered-table-cell"])


def rows_of(table: Any) -> Iterator[Any]:
    """The rows of a table, those in groups too."""
    for element in table:
        if local(element) == "table-row":
            yield element
        elif local(element) in _GROUPS:
            yield from rows_of(element)


def cells_of(row: Any) -> list[Any]:
    """The cells of a row, covered ones too."""
    return [cell for cell in row if local(cell) in _CELLS]


def header_rows(table: Any) -> int:
    """How many rows the table repeats on each page."""
    return sum(len(list(rows_of(group))) for group in table if local(group) == "table-header-rows")


def count(stated: str | None) -> int:
    """The number that an attribute states, 1 when there is none."""
    return max(1, int(stated)) if stated and stated.isdigit() else 1


def repeated(element: Any, what: str) -> int:
    """How often a cell ("columns") or a row ("rows") stands there."""
    return min(_MOST_REPEATED, count(value(element, f"number-{what}-repeated")))


def sheets_of(body: Any, styles: Styles) -> list[Sheet]:
    """The sheets that are shown."""
    return [
        _sheet(table, styles)
        for table in body
        if local(table) == "table" and not styles.hidden(value(table, "style-name"))
    ]


def _sheet(table: Any, styles: Styles) -> Sheet:
    rows: list[list[str]] = []
    merged: list[Merged] = []
    remarks: list[str] = []
    empty = 0  # rows without text are only written when a row with text follows: sheets end in a million of them
    for row in rows_of(table):
        texts = _texts(row, styles, len(rows) + empty, merged, remarks)
        if not any(texts):
            empty = min(_MOST_REPEATED, empty + count(value(row, "number-rows-repeated")))
            continue
        times = repeated(row, "rows")
        if len(rows) + empty + times > _MOST_ROWS:
            break
        rows += [[] for _ in range(empty)]
        empty = 0
        rows += [list(texts) for _ in range(times)]
    name = value(table, "name") or ""
    return Sheet(name, rows, tuple(merged), tuple(remarks))


def _texts(row: Any, styles: Styles, y: int, merged: list[Merged], remarks: list[str]) -> list[str]:
    texts: list[str] = []
    for cell in cells_of(row):
        text = _value(cell, styles) if local(cell) == "table-cell" else ""
        times = repeated(cell, "columns") if text else count(value(cell, "number-columns-repeated"))
        wide, deep = count(value(cell, "number-columns-spanned")), count(value(cell, "number-rows-spanned"))
        if text and (wide > 1 or deep > 1):
            merged.append(Merged(y, y + deep, len(texts), len(texts) + wide))
        remarks += [remark for note in cell if local(note) == "annotation" if (remark := _remark(note, styles))]
        if len(texts) + times > _MOST_COLUMNS:
            break
        texts += [text] * times
    while texts and not texts[-1]:
        texts.pop()
    return texts


def _value(cell: Any, styles: Styles) -> str:
    """What stands in a cell: numbers with all their digits, dates as 2024-09-30, otherwise what is shown."""
    kind = value(cell, "value-type")
    stated = value(cell, "value") or ""
    try:
        if kind in ("float", "currency"):
            return shown(float(stated))
        if kind == "percentage":
            return shown(float(stated), "0%")
    except ValueError:
        kind = ""
    if kind == "date":
        date = (value(cell, "date-value") or "").removesuffix("T00:00:00")
        return date.replace("T", " ").removesuffix(":00") if "T" in date else date
    return _shown_text(cell, styles)


def _shown_text(cell: Any, styles: Styles) -> str:
    from assistant.readers.odf.body import text_of

    lines = ["".join(text_of(p, styles)) for p in cell if local(p) == "p"]
    return one_line("\n".join(lines))


def _remark(note: Any, styles: Styles) -> str:
    author = next((e.text or "" for e in note if local(e) == "creator"), "")
    text = _shown_text(note, styles)
    return f"[{author}] {text}" if author and text else text
