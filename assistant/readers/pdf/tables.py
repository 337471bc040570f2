"""Ruled tables of a page as rows of cells."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from assistant.readers.builder import join_lines, row_line
from assistant.readers.pdf.grid import Box, Grid, grids_of, rules_of

_LEAST_FILLED = 0.1
"""Share of the cells that hold text; fewer are the grid of a chart."""
_MOST_GAPPY = 3
_LONGEST_REPEATED = 60

Turn = Callable[[Sequence[float]], Box]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells, from the top. `box` in points, upright.

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


def tables_of(page: Any, turn: Turn, clean: Callable[[str], str]) -> list[Table]:
    """The ruled tables of a page from the top; `turn` makes boxes upright, `clean` is applied to each cell's lines."""
    grids = grids_of(rules_of(page.get_cdrawings(), turn))
    if not grids:
        return []
    words = [(*turn(word[:4]), word[4]) for word in page.get_text("words")]
    found: list[Table] = []
    for grid in sorted(grids, key=lambda grid: -_area(grid.box)):
        if any(_inside(grid.box, other.box) for other in found):
            continue
        made = _table(grid, words, clean)
        if made is not None:
            found.append(made)
    return sorted(found, key=lambda table: (table.box[1], table.box[0]))


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _inside(box: Box, other: Box) -> bool:
    return other[0] - 2 <= box[0] and other[1] - 2 <= box[1] and box[2] <= other[2] + 2 and box[3] <= other[3] + 2


def _table(grid: Grid, words: Sequence[Any], clean: Callable[[str], str]) -> Table | None:
    held: defaultdict[int, list[Any]] = defaultdict(list)
    for word in words:
        x, y = (word[0] + word[2]) / 2, (word[1] + word[3]) / 2
        if grid.xs[0] <= x < grid.xs[-1] and grid.ys[0] <= y < grid.ys[-1]:
            held[grid.cells[bisect_right(grid.ys, y) - 1][bisect_right(grid.xs, x) - 1]].append(word)
    rows_of = {cell: _in_rows(inside) for cell, inside in held.items()}
    if any(sum(map(_gappy, rows)) >= _MOST_GAPPY for rows in rows_of.values()):
        return None  # a frame around lines that are set in columns of their own
    texts = {cell: join_lines([clean(" ".join(w[4] for w in row)) for row in rows]) for cell, rows in rows_of.items()}
    cells = len({cell for row in grid.cells for cell in row})
    if len(texts) < 3 or cells < 4 or len(texts) < _LEAST_FILLED * cells or _mostly_one_cell(texts):
        return None
    rows = tuple(_rows(grid, texts))
    return Table(grid.box, rows) if max(map(len, rows)) > 1 else None


def _rows(grid: Grid, texts: dict[int, str]) -> Iterator[tuple[str, ...]]:
    """A tall cell's text is repeated only when it is short: a category, not a remark."""
    above: tuple[int, ...] = ()
    for row in grid.cells:
        if any(cell in texts for cell in row):
            yield tuple(
                "" if cell in above and len(texts.get(cell, "")) > _LONGEST_REPEATED else texts.get(cell, "")
                for n, cell in enumerate(row)
                if n == 0 or cell != row[n - 1]
            )
        above = row


def _in_rows(words: Sequence[Any]) -> list[list[Any]]:
    """The words of a cell by line, from the left."""
    rows: list[list[Any]] = []
    for word in sorted(words, key=lambda w: (round((w[1] + w[3]) / 2), w[0])):
        middle = (word[1] + word[3]) / 2
        if rows and abs((rows[-1][0][1] + rows[-1][0][3]) / 2 - middle) < 0.5 * (word[3] - word[1]):
            rows[-1].append(word)
        else:
            rows.append([word])
    return [sorted(row, key=lambda w: w[0]) for row in rows]


def _gappy(row: Sequence[Any]) -> bool:
    return any(after[0] - before[2] > 1.5 * (before[3] - before[1]) for before, after in pairwise(row))


def _mostly_one_cell(texts: dict[int, str]) -> bool:
    """A frame around running text is no table."""
    lengths = sorted(map(len, texts.values()))
    return lengths[-1] > 400 and lengths[-1] > 0.7 * sum(lengths)
