"""Reading order: columns first, then from the top; a sort over the whole page would weld columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median

from assistant.readers.pdf.lines import Line

_MIN_LINES = 4
_MIN_LINES_OF_SEVERAL = 16
_MIN_GUTTER = 6.0  # points


def regions(lines: Sequence[Line]) -> list[list[Line]]:
    """The lines by column, in reading order; what crosses a gutter (titles, wide figures) splits the columns."""
    gutter = _gutter(lines)
    if gutter is None:
        return [sorted(lines, key=lambda line: (line.middle, line.x0))] if lines else []
    crossing = sorted((line for line in lines if line.x0 < gutter < line.x1), key=lambda line: line.middle)
    found: list[list[Line]] = []
    rest = [line for line in lines if not line.x0 < gutter < line.x1]
    for wide, band in _bands(crossing, rest):
        if wide:
            found.append(wide)
        found += regions([line for line in band if line.x1 <= gutter])
        found += regions([line for line in band if line.x0 >= gutter])
    return found


def _bands(crossing: Sequence[Line], rest: Sequence[Line]) -> list[tuple[list[Line], list[Line]]]:
    """Pairs of wide lines and the column lines below them, from the top."""
    bands: list[tuple[list[Line], list[Line]]] = []
    wide: list[Line] = []
    band = [line for line in rest if not crossing or line.middle < crossing[0].middle]
    for n, line in enumerate(crossing):
        if band:
            bands.append((wide, band))
            wide = []
        wide.append(line)
        stop = crossing[n + 1].middle if n + 1 < len(crossing) else float("inf")
        band = [other for other in rest if line.middle <= other.middle < stop]
    return [*bands, (wide, band)]


def _gutter(lines: Sequence[Line]) -> float | None:
    """The x between two columns of running text, None when there is one column."""
    best: tuple[float, float] | None = None
    starts = Counter(round(line.x0 / 4) for line in lines)
    begins = {n for n in starts if starts[n - 1] + starts[n] + starts[n + 1] >= _MIN_LINES}
    for x in sorted({round(line.x0) - 0.5 for line in lines if round(line.x0 / 4) in begins}):
        left = [line for line in lines if line.x1 <= x]
        right = [line for line in lines if line.x0 >= x]
        if min(len(left), len(right)) < _MIN_LINES:
            continue
        width = min(line.x0 for line in right) - max(line.x1 for line in left)
        crossing = sum(len(line.text) for line in lines) - sum(len(line.text) for line in [*left, *right])
        if width < _MIN_GUTTER or crossing > 0.4 * sum(len(line.text) for line in lines):
            continue
        if _column(left) and _column(right) and _side_by_side(left, right):
            score = crossing - width
            if best is None or score < best[0]:
                best = (score, x - width / 2 + 0.5)
    return best[1] if best else None


def _column(side: Sequence[Line]) -> bool:
    """Running text in one column, or in several: two of three columns fill less than half of their common width."""
    return _running_text(side) or (len(side) >= _MIN_LINES_OF_SEVERAL and _gutter(side) is not None)


def _running_text(side: Sequence[Line]) -> bool:
    """Lines that fill their column; the cells of a table do not."""
    column = max(line.x1 for line in side) - min(line.x0 for line in side)
    wide = median(line.x1 - line.x0 for line in side) >= 0.5 * column
    return wide and column > 60 and median(_ems(line) for line in side) >= 7


def _ems(line: Line) -> float:
    return (line.x1 - line.x0) / max(line.size, 1.0)


def _side_by_side(left: Sequence[Line], right: Sequence[Line]) -> bool:
    top = max(min(line.y0 for line in left), min(line.y0 for line in right))
    bottom = min(max(line.y1 for line in left), max(line.y1 for line in right))
    shorter = min(max(line.y1 for line in side) - min(line.y0 for line in side) for side in (left, right))
    return bottom - top > 0.4 * shorter
