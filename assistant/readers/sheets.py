"""From the cells of a sheet to titles and tables, for every format that holds sheets."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from assistant.readers.builder import TextBuilder, one_line

_GENERIC = re.compile(r"(?:sheet|工作表|表|table|tabelle|feuil|hoja)\s*\d*", re.IGNORECASE)
_YEAR = re.compile(r"(?:19|20)\d\d\s*年?|(?:FY|CY)?(?:19|20)\d\d")
_DATUM = re.compile(
    r"[-+(]?[¥$€£￥]?\s*[-+]?\d[\d,.\s']*\)?\s*[%‰]?[¥$€£元]?"  # 1,200  -3.5 %  $12
    r"|\d{2,4}[-/.年]\d{1,2}(?:[-/.月]\d{1,4}日?)?(?:[ T]\d{1,2}:\d\d.*)?"  # dates
    r"|\d{1,2}:\d\d(?::\d\d)?|\S+@\S+\.\S+|https?://\S+|true|false|是|否",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[。；;，,：:]$|[.!?！？]$")
_LONGEST_LABEL = 60
_LONGEST_TITLE = 120
_LONGEST_REPEATED = 40
"""Characters: a longer text in a cell over several columns stands once in its row."""


@dataclass(frozen=True)
class Merged:
    """Cells that are one, from 0, the ends exclusive."""

    top: int
    bottom: int
    left: int
    right: int


@dataclass(frozen=True)
class Sheet:
    """One sheet: rows of cell texts, "" for empty ones; rows may differ in length. `remarks`: what hangs on it."""

    name: str
    rows: Sequence[Sequence[str]]
    merged: Sequence[Merged] = ()
    remarks: Sequence[str] = ()


@dataclass
class _Part:
    """Rows that belong together, without empty ones, from column `left`, `width` columns wide.

    `header`: how many of the rows name the columns.
    """

    left: int
    width: int
    rows: list[list[str]]
    titles: list[str]
    header: int

    @property
    def is_text(self) -> bool:
        return not self.header and all(_filled_cells(row) <= 1 for row in self.rows)


def write_sheets(builder: TextBuilder, sheets: Sequence[Sheet]) -> None:
    """Appends the sheets that hold something: name and titles as headings, tables with their header rows, remarks."""
    held = [sheet for sheet in sheets if sheet.remarks or any(any(row) for row in sheet.rows)]
    for sheet in held:
        named = bool(sheet.name) and (len(held) > 1 or not _GENERIC.fullmatch(sheet.name))
        if named:
            builder.add("heading", one_line(sheet.name), level=1)
        _write(builder, list(_parts(sheet)), 2 if named else 1)
        for remark in sheet.remarks:
            builder.add("paragraph", remark)


def _write(builder: TextBuilder, parts: Sequence[_Part], level: int) -> None:
    for n, part in enumerate(parts):
        for i, title in enumerate(part.titles):
            heads = i == 0 and len(title) <= _LONGEST_TITLE and not _SENTENCE_END.search(title)
            builder.add("heading" if heads else "caption", title, level=level if heads else 0)
        if part.is_text:
            _write_text(builder, part, level, n + 1 < len(parts) and not parts[n + 1].is_text)
        else:
            builder.add_table(part.rows, header_rows=part.header)


def _write_text(builder: TextBuilder, part: _Part, level: int, before_table: bool) -> None:
    """Lines of one cell each: the title of the table below when there is only one, running text otherwise."""
    lines = [one_line(value) for row in part.rows for value in _values(row)]
    if len(lines) == 1 and before_table and len(lines[0]) <= _LONGEST_LABEL and not _SENTENCE_END.search(lines[0]):
        builder.add("heading", lines[0], level=level)
    else:
        builder.add("paragraph", "\n".join(lines))


def _parts(sheet: Sheet) -> Iterator[_Part]:
    """The tables and texts of a sheet; rows below a gap that have no header of their own belong to the table above."""
    rows = _filled(sheet)
    merged = defaultdict[int, list[Merged]](list)
    for cells in sheet.merged:
        merged[cells.top].append(cells)
    above: _Part | None = None
    for top, bottom in _bands(rows):
        for left, right in _columns(rows[top:bottom]):
            part = _part([row[left:right] for row in rows[top:bottom]], top, left, merged)
            if above and _goes_on(above, part):
                above.rows += [[""] * (part.left - above.left) + row for row in part.rows]
                continue
            if above:
                yield _narrowed(above)
            above = part
    if above:
        yield _narrowed(above)


def _filled(sheet: Sheet) -> list[list[str]]:
    """The rows with the value of merged cells in each of them; over the whole width, and long ones, once in a row."""
    rows = [list(row) for row in sheet.rows]
    width = max(map(len, rows), default=0)
    for cells in sheet.merged:
        value = _at(rows, cells.top, cells.left)
        if not value:
            continue
        once = _filled_cells(rows[cells.top]) == 1 or len(value) > _LONGEST_REPEATED
        right = cells.left + 1 if once else min(cells.right, width)
        for y in range(cells.top, min(cells.bottom, len(rows))):
            rows[y] += [""] * (right - len(rows[y]))
            rows[y][cells.left : right] = [value] * (right - cells.left)
    return rows


def _at(rows: Sequence[Sequence[str]], y: int, x: int) -> str:
    return rows[y][x] if y < len(rows) and x < len(rows[y]) else ""


def _values(row: Sequence[str]) -> list[str]:
    """The different texts of a row, in order."""
    return list(dict.fromkeys(filter(None, row)))


def _filled_cells(row: Sequence[str]) -> int:
    return sum(map(bool, row))


def _bands(rows: Sequence[Sequence[str]]) -> Iterator[tuple[int, int]]:
    """Runs of rows that hold something."""
    start: int | None = None
    for y, row in enumerate([*rows, []]):
        if any(row):
            start = y if start is None else start
        elif start is not None:
            yield start, y
            start = None


def _columns(band: Sequence[Sequence[str]]) -> list[tuple[int, int]]:
    """Where the tables that stand side by side begin and end: an empty column between, and surely not one table."""
    used = sorted({x for row in band for x, text in enumerate(row) if text})
    runs: list[tuple[int, int]] = []
    for x in used:
        if runs and runs[-1][1] == x:
            runs[-1] = (runs[-1][0], x + 1)
        else:
            runs.append((x, x + 1))
    if len(runs) > 1 and all(right - left > 1 for left, right in runs) and _apart(band, runs):
        return runs
    return [(used[0], used[-1] + 1)]


def _apart(band: Sequence[Sequence[str]], runs: Sequence[tuple[int, int]]) -> bool:
    """Whether they differ in their rows or repeat a column's name, which one table would not."""
    heights = {sum(any(row[left:right]) for row in band) for left, right in runs}
    names = [name for left, right in runs for name in _values(band[0][left:right])]
    return len(heights) > 1 or len(names) > len(set(names))


def _part(rows: list[list[str]], top: int, left: int, merged: Mapping[int, Sequence[Merged]]) -> _Part:
    rows = [row for row in rows if any(row)]
    start = next((y for y, row in enumerate(rows) if _filled_cells(row) > 1), 0)
    titles = [one_line(value) for row in rows[:start] for value in _values(row)]
    first = top + start
    near = [cells for y in range(first, first + 3) for cells in merged.get(y, ()) if cells.left >= left]
    return _Part(left, max(map(len, rows)), rows[start:], titles, _header_rows(rows[start:], first, near))


def _header_rows(rows: Sequence[Sequence[str]], top: int, merged: Sequence[Merged]) -> int:
    """How many rows name the columns: the first if it may, and those below it that its merged cells take in."""
    if len(rows) < 2 or not names_columns(rows[0], rows[1:60]):
        return 0
    count = 1
    for cells in merged:
        wide = cells.right - cells.left > 1  # it names the names below it
        reach = max(cells.bottom - top, cells.top - top + 2 if wide else 0)
        within = cells.top < top + count and count < reach <= min(4, len(rows) - 1)
        if within and all(_labels(row) for row in rows[count:reach]):
            count = reach
    return count


def names_columns(row: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether a row reads as column names: short texts over at least half of the columns, no figures but years."""
    filled = [text for text in row if text]
    width = max(map(_filled_cells, below), default=0)
    return len(filled) >= max(2, width / 2) and _labels(row) and not all(map(_YEAR.fullmatch, filled))


def _labels(row: Sequence[str]) -> bool:
    return all(
        len(text) <= _LONGEST_LABEL and (_YEAR.fullmatch(text) or not _DATUM.fullmatch(text)) for text in row if text
    )


def _goes_on(above: _Part, part: _Part) -> bool:
    """Whether a part without title and header lies under the columns of the table above."""
    if not above.header or part.header or part.titles or part.is_text:
        return False
    return above.left <= part.left and part.left + part.width <= above.left + above.width


def _narrowed(part: _Part) -> _Part:
    """Without the columns that are empty in all rows."""
    kept = sorted({x for row in part.rows for x, text in enumerate(row) if text})
    if len(kept) == part.width:
        return part
    part.rows = [[row[x] if x < len(row) else "" for x in kept] for row in part.rows]
    return part
