"""From ordered lines to headings, paragraphs, lists and tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from statistics import median

from assistant.documents import BlockKind
from assistant.readers.builder import TextBuilder, join_lines, row_line
from assistant.readers.headings import level_of_numbered
from assistant.readers.pdf.lines import Line, Page
from assistant.readers.pdf.order import regions
from assistant.readers.pdf.tables import Table

_ENDS = re.compile(r"[。！？；.!?;：:…][\"”’」』）)\]]*$")
_ITEM = re.compile(
    r"(?:[•●○▪■◆◇·–—*✓➢-]\s|[•●▪■◆➢]|\(?\d{1,2}[.)、）]\s?\D|[（(][一二三四五六七八九十\da-z]{1,3}[)）]|[a-z][.)]\s)"
)
_HAN = re.compile(r"[\u3400-\u9fff，、（）]")
_COMPOUND = re.compile(r"\b[a-z]{2,}-[a-z]{2,}\b")
_RTL = re.compile(r"[\u0590-\u08ff]")


@dataclass(frozen=True)
class Row:
    """The lines on one baseline, from the left (from the right for Arabic and Hebrew)."""

    lines: tuple[Line, ...]

    @cached_property
    def text(self) -> str:
        return join_lines([line.text for line in self.lines]) if len(self.lines) > 1 else self.lines[0].text

    @cached_property
    def x0(self) -> float:
        return min(line.x0 for line in self.lines)

    @cached_property
    def x1(self) -> float:
        return max(line.x1 for line in self.lines)

    @cached_property
    def y0(self) -> float:
        return min(line.y0 for line in self.lines)

    @cached_property
    def size(self) -> float:
        return max(self.lines, key=lambda line: len(line.text)).size

    @cached_property
    def bold(self) -> bool:
        return all(line.bold for line in self.lines)

    @cached_property
    def cells(self) -> bool:
        """Whether gaps between its lines are as wide as between cells."""
        pairs = pairwise(sorted(self.lines, key=lambda line: line.x0))
        return any(after.x0 - before.x1 > 1.2 * before.size for before, after in pairs)


@dataclass(slots=True)
class Passage:
    """What becomes one block. `filled`: how far the last row reaches across the column, 0–1.

    `row_pages`: the page of each row, or of each row of the table; () when all are on the first.
    """

    kind: BlockKind
    pages: tuple[int, int]
    rows: list[Row] = field(default_factory=list)
    table: tuple[tuple[str, ...], ...] = ()
    level: int = 0
    filled: float = 0.0
    row_pages: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        return join_lines([row.text for row in self.rows])

    @property
    def pages_of_rows(self) -> tuple[int, ...]:
        return self.row_pages or (self.pages[0],) * len(self.table or self.rows)

    def turns(self, compounds: Container[str]) -> list[int]:
        """Where in the joined rows each page after the first begins."""
        found: list[int] = []
        for n, (before, page) in enumerate(pairwise(self.pages_of_rows), start=1):
            if page > before:
                at = len(join_lines([row.text for row in self.rows[:n]], compounds))
                found += [at] * (page - before)
        return found


def write(builder: TextBuilder, pages: Sequence[Page]) -> None:
    """Appends the blocks of these pages; paragraphs and tables that run over a page break are one block."""
    body = _body_size(pages)
    passages = [passage for page in pages for passage in _passages(page, body)]
    levels = _levels([passage for passage in passages if passage.kind == "heading"])
    compounds = frozenset(word for page in pages for word in _COMPOUND.findall(page.text.lower()))
    for passage in _joined(passages):
        if passage.table:
            row_pages = passage.pages_of_rows
            for rows, headers in parts_of_table(passage.table):
                builder.add_table(rows, header_rows=headers, row_pages=row_pages[: len(rows)])
                row_pages = row_pages[len(rows) :]
            continue
        level = levels[id(passage.rows[0])] if passage.kind == "heading" else 0
        text = join_lines([row.text for row in passage.rows], compounds)
        builder.add(passage.kind, text, level=level, pages=passage.pages, turns=passage.turns(compounds))


def _levels(headings: Sequence[Passage]) -> dict[int, int]:
    """Level of each heading by its first row: by numbering, else by size; below the title when there is one.

    The title: the largest heading of all, once, on the first page that has headings.
    """
    sizes = sorted({heading.rows[0].size for heading in headings}, reverse=True)
    largest = [heading for heading in headings if heading.rows[0].size == sizes[0]]
    title = largest[0] if len(largest) == 1 < len(headings) and largest[0].pages[0] == headings[0].pages[0] else None
    if title is not None:
        sizes.remove(title.rows[0].size)
    found = {}
    for heading in headings:
        level = 0 if heading is title else (heading.level or sizes.index(heading.rows[0].size) + 1)
        found[id(heading.rows[0])] = max(1, min(6, level + (title is not None)))
    return found


def parts_of_table(rows: tuple[tuple[str, ...], ...]) -> Iterator[tuple[tuple[tuple[str, ...], ...], int]]:
    """The table, cut before rows that are one cell over all columns (titles inside a table), with its header rows."""
    width = max(map(len, rows))
    cuts = [n for n, row in enumerate(rows) if n and len(row) == 1 and width > 2 and len(row[0]) <= 60]
    for start, end in pairwise([0, *cuts, len(rows)]):
        part = rows[start:end]
        titles = int(len(part[0]) == 1 and width > 1)
        body = part[titles:]
        double = len(body) > 2 and bool(body[0][0]) and body[0][0] == body[1][0]
        yield part, titles + 1 + double


def _body_size(pages: Sequence[Page]) -> float:
    weights: Counter[float] = Counter()
    for page in pages:
        for line in page.lines:
            weights[line.size] += len(line.text)
    return weights.most_common(1)[0][0] if weights else 10.0


def _passages(page: Page, body: float) -> Iterator[Passage]:
    """The passages of a page in reading order; tables stand where they begin, footnotes and asides at the end."""
    marks = [_mark(table) for table in page.tables]
    notes: list[Line] = []
    upright = [line for line in page.lines if not line.aside]
    for region in regions([*upright, *marks]):
        held: list[Line] = []
        text, small = _without_notes(region, body)
        notes += small
        for line in text:
            if line in marks:
                yield from _in_region(held, page.number, body)
                yield Passage("table", (page.number, page.number), table=page.tables[marks.index(line)].rows)
                held = []
            else:
                held.append(line)
        yield from _in_region(held, page.number, body)
    yield from _in_region(notes, page.number, body)
    for line in page.lines:
        if line.aside:
            yield Passage("paragraph", (page.number, page.number), [Row((line,))])


def _without_notes(region: Sequence[Line], body: float) -> tuple[list[Line], list[Line]]:
    """A column's lines and the smaller ones at its foot, which would stand in the middle of a sentence."""
    at = len(region)
    while at and region[at - 1].size <= 0.93 * body and not region[at - 1].text.startswith("\0"):
        at -= 1
    return (list(region[:at]), list(region[at:])) if at else (list(region), [])


def _mark(table: Table) -> Line:
    """A line that stands for a table while the reading order is found; it is as wide, and full of text."""
    x0, y0, x1, _ = table.box
    return Line(f"\0{y0:.2f}" + "\0" * 40, x0, y0, x1, y0 + 1, 10.0, False)


def _in_region(lines: Sequence[Line], page: int, body: float) -> Iterator[Passage]:
    rows = _rows(lines)
    at = 0
    while at < len(rows):
        end = at
        while end < len(rows) and rows[end].cells:
            end += 1
        if end - at >= 3 or (end - at == 2 and len(rows[at].lines) >= 3):
            cells = tuple(tuple(line.text for line in row.lines) for row in rows[at:end])
            yield Passage("table", (page, page), table=cells)
            at = end
            continue
        stop = _next_cells(rows, max(end, at + 1))
        yield from _running(rows[at:stop], page, body)
        at = stop


def _next_cells(rows: Sequence[Row], at: int) -> int:
    while at < len(rows) and not all(row.cells for row in rows[at : at + 3]):
        at += 1
    return at


def _rows(lines: Sequence[Line]) -> list[Row]:
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: (line.middle, line.x0)):
        if rows and _same_row(rows[-1], line):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [Row(tuple(_across(row))) for row in rows]


def _same_row(row: Sequence[Line], line: Line) -> bool:
    first = max(row, key=lambda other: other.size)
    overlap = min(first.y1, line.y1) - max(first.y0, line.y0)
    return overlap > 0.5 * min(first.y1 - first.y0, line.y1 - line.y0)


def _across(row: Sequence[Line]) -> list[Line]:
    text = "".join(line.text for line in row)
    backwards = len(_RTL.findall(text)) * 2 > len(text)
    return sorted(row, key=lambda line: -line.x1 if backwards else line.x0)


def _running(rows: Sequence[Row], page: int, body: float) -> Iterator[Passage]:
    """Paragraphs, list items and headings of one column."""
    if not rows:
        return
    left, right = min(row.x0 for row in rows), max(row.x1 for row in rows)
    steps = [b.y0 - a.y0 for a, b in pairwise(rows) if 0 < b.y0 - a.y0 < 4 * a.size]
    step = median(steps) if steps else body * 1.2
    held: list[Row] = []
    for row in rows:
        if held and _begins(held[-1], row, left, right, step):
            yield _passage(held, page, body, (left, right))
            held = []
        held.append(row)
    yield _passage(held, page, body, (left, right))


def _begins(before: Row, row: Row, left: float, right: float, step: float) -> bool:
    """Whether a new paragraph begins with this row."""
    large = before.size >= 1.3 * step / 1.2  # larger than what the step of the column is made for: a title
    if row.y0 - before.y0 > (
        1.75 * before.size if large else max(1.35 * min(step, before.size * 1.9), 1.25 * before.size)
    ):
        return True
    if abs(row.size - before.size) > 0.08 * before.size or (row.bold != before.bold and not large):
        return not _goes_on(before, row, right)
    if _ITEM.match(row.text) or level_of_numbered(row.text, alone=True) or level_of_numbered(before.text):
        return True
    short = before.x1 < right - 1.5 * before.size
    if before.x1 < right - 4 * before.size and before.x0 < left + 3 * before.size and _HAN.match(before.text[-1]):
        return True  # Chinese lines are full but for the last one
    if row.x0 > left + 0.8 * row.size and row.x0 > before.x0 + 0.8 * row.size:
        return short or bool(_ENDS.search(before.text))
    return before.x1 < right - 0.2 * (right - left) and bool(_ENDS.search(before.text))


def _goes_on(before: Row, row: Row, right: float) -> bool:
    """A change of weight or size inside a sentence: the row before is full and ends in the middle of one."""
    similar = abs(row.size - before.size) <= 0.15 * before.size
    return similar and before.x1 > right - 2 * before.size and not _ENDS.search(before.text) and not row.bold


def _passage(rows: Sequence[Row], page: int, body: float, column: tuple[float, float]) -> Passage:
    filled = (rows[-1].x1 - column[0]) / max(1.0, column[1] - column[0])
    made = Passage("paragraph", (page, page), list(rows), filled=filled)
    text = made.text
    if len(rows) <= 3 and _heading(rows[0], text, body):
        return replace(made, kind="heading", level=level_of_numbered(text, alone=True))
    return replace(made, kind="list") if _ITEM.match(text) else made


def _heading(row: Row, text: str, body: float) -> bool:
    """Larger than the body, or bold or numbered and short; never a sentence."""
    if (
        len(text) > 120
        or not re.search(r"[^\W\d_]{2}|[\u4e00-\u9fff]", text)
        or re.search(r"[。；，,;.…]$|^\d{4}\s*年", text)
    ):
        return False
    if row.size >= body * 1.15:
        return True
    if row.size < body * 0.95:
        return False
    if level_of_numbered(text, alone=row.bold):
        return True
    return row.bold and len(text) <= 60 and not re.search(r"[:：]", text)


def _joined(passages: Sequence[Passage]) -> list[Passage]:
    """Paragraphs that go on in the next column or on the next page, and tables that go on with the same columns."""
    joined: list[Passage] = []
    for passage in passages:
        before = joined[-1] if joined else None
        if before and _continues(before, passage):
            table = _without_header(before.table, passage.table)
            own = passage.pages_of_rows
            joined[-1] = replace(
                before,
                pages=(before.pages[0], passage.pages[1]),
                rows=[*before.rows, *passage.rows],
                table=before.table + table,
                filled=passage.filled,
                row_pages=before.pages_of_rows + own[len(passage.table) - len(table) :],
            )
        else:
            joined.append(passage)
    return joined


def _continues(before: Passage, passage: Passage) -> bool:
    if before.table and passage.table:
        return before.pages[1] + 1 == passage.pages[0] and len(before.table[0]) == len(passage.table[0]) > 1
    if before.table or passage.table or passage.kind != "paragraph" or before.kind not in ("paragraph", "list"):
        return False
    start, end = passage.text[:1], before.text[-1:]
    if _ENDS.search(before.text) or abs(passage.rows[0].size - before.rows[-1].size) > 1:
        return False
    if _HAN.match(start) and _HAN.match(end) and before.filled > 0.6:
        return True
    return before.filled > 0.85 and (start.islower() or end in "-\u00ad，、," or bool(_HAN.match(start)))


def _without_header(before: Sequence[Sequence[str]], rows: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    if not rows:
        return ()
    return rows[1:] if row_line(rows[0]) == row_line(before[0]) else rows
