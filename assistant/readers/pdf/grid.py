"""The grid that ruling lines draw: which places between the lines belong to one cell.

PyMuPDF's find_tables takes 20–350 ms a page for the same (it builds headers from characters); this takes 1–10 ms.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

Box = tuple[float, float, float, float]

_THIN = 3.0  # points: a filled rectangle no thicker is a rule
_NEAR = 3.0  # points: rules this close are one, ends this close meet
_SHORT = 5.0
MOST_RULES = 4000
"""A page with more is a drawing or a map, where looking for tables would take minutes."""


@dataclass(frozen=True)
class Rule:
    """A straight line: at `at` (y when `across`, else x) from `start` to `end`."""

    across: bool
    at: float
    start: float
    end: float


@dataclass(frozen=True)
class Grid:
    """Columns between `xs`, rows between `ys`; cells[row][column] is the number of the cell that covers the place."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    cells: tuple[tuple[int, ...], ...]

    @property
    def box(self) -> Box:
        return self.xs[0], self.ys[0], self.xs[-1], self.ys[-1]


def rules_of(drawings: Iterable[Any], turn: Any) -> list[Rule]:
    """The straight rules and box edges of a page, turned upright by `turn`; [] when there are too many."""
    found: set[Rule] = set()
    for drawing in drawings:
        for item in drawing["items"]:
            if item[0] == "l":
                found.update(_rules(turn((*item[1], *item[2]))))
            elif item[0] == "re":
                found.update(_rules(turn(item[1])))
            elif item[0] == "qu":
                corners = [tuple(point) for point in item[1]]
                xs, ys = [c[0] for c in corners], [c[1] for c in corners]
                found.update(_rules(turn((min(xs), min(ys), max(xs), max(ys)))))
        if len(found) > MOST_RULES:
            return []
    return sorted(found, key=lambda rule: (rule.across, rule.at, rule.start, rule.end))


def _rules(box: Sequence[float]) -> Iterable[Rule]:
    """A line or thin rectangle as one rule, a larger rectangle as its four edges."""
    x0, x1 = sorted((round(box[0], 1), round(box[2], 1)))
    y0, y1 = sorted((round(box[1], 1), round(box[3], 1)))
    if y1 - y0 <= _THIN:
        if x1 - x0 > _SHORT:
            yield Rule(True, (y0 + y1) / 2, x0, x1)
    elif x1 - x0 <= _THIN:
        yield Rule(False, (x0 + x1) / 2, y0, y1)
    elif x1 - x0 > _SHORT and y1 - y0 > _SHORT:
        yield from (Rule(True, y0, x0, x1), Rule(True, y1, x0, x1), Rule(False, x0, y0, y1), Rule(False, x1, y0, y1))


def grids_of(rules: Sequence[Rule]) -> list[Grid]:
    """The grids of at least two columns and two rows that rules which touch each other form."""
    across = [rule for rule in rules if rule.across]
    down = [rule for rule in rules if not rule.across]
    if len(across) < 2 or len(down) < 2:
        return []
    return [grid for group in _touching(across, down) if (grid := _grid(group)) is not None]


def _touching(across: Sequence[Rule], down: Sequence[Rule]) -> list[list[Rule]]:
    """Rules in groups that hang together."""
    parent = {id(rule): id(rule) for rule in [*across, *down]}

    def root(key: int) -> int:
        while parent[key] != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    for a in across:
        for d in down:
            if d.start - _NEAR <= a.at <= d.end + _NEAR and a.start - _NEAR <= d.at <= a.end + _NEAR:
                parent[root(id(a))] = root(id(d))
    groups: defaultdict[int, list[Rule]] = defaultdict(list)
    for rule in [*across, *down]:
        groups[root(id(rule))].append(rule)
    return list(groups.values())


def _grid(rules: Sequence[Rule]) -> Grid | None:
    across = [rule for rule in rules if rule.across]
    down = [rule for rule in rules if not rule.across]
    if len(across) < 2 or not down:
        return None
    # the outer sides of a table are often not drawn: its horizontal rules end there
    ends = [min(rule.start for rule in across), max(rule.end for rule in across)]
    xs, ys = _places([*(rule.at for rule in down), *ends]), _places([rule.at for rule in across])
    if len(xs) < 3 or len(ys) < 3:
        return None
    walls = _walls(down, xs, ys)
    floors = _walls(across, ys, xs)
    return Grid(tuple(xs), tuple(ys), _cells(len(ys) - 1, len(xs) - 1, walls, floors))


def _places(values: Iterable[float]) -> list[float]:
    places: list[float] = []
    for value in sorted(values):
        if not places or value - places[-1] > _NEAR:
            places.append(value)
    return places


def _walls(rules: Iterable[Rule], at: Sequence[float], along: Sequence[float]) -> set[tuple[int, int]]:
    """Pairs (n, m): on line n of `at` a rule covers the stretch between m and m + 1 of `along`."""
    found = set()
    for rule in rules:
        n = min(range(len(at)), key=lambda i: abs(at[i] - rule.at))
        for m, (low, high) in enumerate(pairwise(along)):
            if rule.start - _NEAR <= low + 0.1 * (high - low) and rule.end + _NEAR >= high - 0.1 * (high - low):
                found.add((n, m))
    return found


def _cells(
    rows: int, columns: int, walls: set[tuple[int, int]], floors: set[tuple[int, int]]
) -> tuple[tuple[int, ...], ...]:
    """The places numbered by cell: neighbours without a rule between them are one cell."""
    numbers = [[-1] * columns for _ in range(rows)]
    count = 0
    for row in range(rows):
        for column in range(columns):
            if numbers[row][column] >= 0:
                continue
            waiting = [(row, column)]
            while waiting:
                r, c = waiting.pop()
                if not (0 <= r < rows and 0 <= c < columns) or numbers[r][c] >= 0:
                    continue
                numbers[r][c] = count
                waiting += [(r, c + 1)] if (c + 1, r) not in walls else []
                waiting += [(r, c - 1)] if (c, r) not in walls else []
                waiting += [(r + 1, c)] if (r + 1, c) not in floors else []
                waiting += [(r - 1, c)] if (r, c) not in floors else []
            count += 1
    return tuple(map(tuple, numbers))
