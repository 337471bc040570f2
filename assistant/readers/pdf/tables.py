"""Ruled tables of a page as rows of cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from assistant.readers.builder import join_lines, row_line

_THIN = 3.0  # points: a filled rectangle no thicker is a rule
_LONG = 12.0

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Table:
    """Rows of cells, from the top. `box` in page points.

    A cell over several columns stands once in its row, one over several rows in each of them.
    """

    box: Box
    rows: tuple[tuple[str, ...], ...]

    @property
    def text(self) -> str:
        return "\n".join(filter(None, (row_line(row) for row in self.rows)))

    def holds(self, x0: float, x1: float, y: float) -> bool:
        """Whether a line between these x at this height lies inside."""
        left, top, right, bottom = self.box
        return top - 1 <= y <= bottom + 1 and min(x1, right) - max(x0, left) > 0.5 * (x1 - x0)


def tables_of(page: Any) -> list[Table]:
    """The ruled tables of an upright page, from the top; [] at once for pages without enough rules.

    Looking costs 20–180 ms a page in PyMuPDF, counting the rules under 1 ms.
    """
    if page.rotation or not _ruled(page.get_cdrawings()):
        return []
    words = page.get_text("words")
    found: list[Table] = []
    for table in page.find_tables().tables:
        cells = [tuple(map(float, cell)) for cell in table.cells if cell]
        made = _table(tuple(map(float, table.bbox)), cells, words)  # type: ignore[arg-type]
        if made and not any(_inside(made.box, other.box) for other in found):
            found.append(made)
    return sorted(found, key=lambda table: (table.box[1], table.box[0]))


def _ruled(drawings: Sequence[Any]) -> bool:
    """Whether there are at least three horizontal and two vertical rules, or several boxes."""
    across = down = 0
    for drawing in drawings:
        for item in drawing["items"]:
            if item[0] == "l":
                (ax, ay), (bx, by) = item[1], item[2]
                width, height = abs(ax - bx), abs(ay - by)
            elif item[0] == "re":
                x0, y0, x1, y1 = item[1]
                width, height = abs(x1 - x0), abs(y1 - y0)
            else:
                continue
            across += width > _LONG and height <= _THIN
            down += height > _LONG / 2 and width <= _THIN
            if item[0] == "re" and width > _LONG and height > _THIN:
                across, down = across + 2, down + 2
    return across >= 3 and down >= 2


def _inside(box: Box, other: Box) -> bool:
    return other[0] - 2 <= box[0] and other[1] - 2 <= box[1] and box[2] <= other[2] + 2 and box[3] <= other[3] + 2


def _table(box: Box, cells: Sequence[Any], words: Sequence[Any]) -> Table | None:
    columns, rows = _edges(cells, 0), _edges(cells, 1)
    if len(columns) < 2 or len(rows) < 2:
        return None
    texts = {cell: _words_in(cell, words) for cell in cells}
    if sum(bool(text) for text in texts.values()) < 3 or _mostly_one_cell(texts):
        return None
    grid = [[_covering(cells, (x0, y0, x1, y1)) for x0, x1 in columns] for y0, y1 in rows]
    return Table(box, tuple(_row(row, texts) for row in grid if any(texts.get(cell) for cell in row)))


def _edges(cells: Sequence[Any], axis: int) -> list[tuple[float, float]]:
    """The columns (axis 0) or rows (axis 1) of the grid, neighbouring edges within 2 points taken as one."""
    places: list[float] = []
    for place in sorted({value for cell in cells for value in (cell[axis], cell[axis + 2])}):
        if not places or place - places[-1] > 2:
            places.append(place)
    return list(pairwise(places))


def _covering(cells: Sequence[Any], place: Box) -> Any | None:
    x, y = (place[0] + place[2]) / 2, (place[1] + place[3]) / 2
    return next((cell for cell in cells if cell[0] <= x <= cell[2] and cell[1] <= y <= cell[3]), None)


def _row(row: Sequence[Any], texts: dict[Any, str]) -> tuple[str, ...]:
    return tuple(texts.get(cell, "") for n, cell in enumerate(row) if cell is None or n == 0 or cell != row[n - 1])


def _words_in(cell: Any, words: Sequence[Any]) -> str:
    from assistant.readers.pdf.lines import clean

    x0, y0, x1, y1 = cell
    held = [w for w in words if x0 <= (w[0] + w[2]) / 2 <= x1 and y0 <= (w[1] + w[3]) / 2 <= y1]
    lines: list[list[Any]] = []
    for word in sorted(held, key=lambda w: (round((w[1] + w[3]) / 2), w[0])):
        middle = (word[1] + word[3]) / 2
        if lines and abs((lines[-1][0][1] + lines[-1][0][3]) / 2 - middle) < 0.5 * (word[3] - word[1]):
            lines[-1].append(word)
        else:
            lines.append([word])
    return join_lines([clean(" ".join(w[4] for w in sorted(line, key=lambda w: w[0]))) for line in lines])


def _mostly_one_cell(texts: dict[Any, str]) -> bool:
    """A frame around running text is no table."""
    lengths = sorted(map(len, texts.values()))
    return lengths[-1] > 400 and lengths[-1] > 0.7 * sum(lengths)
