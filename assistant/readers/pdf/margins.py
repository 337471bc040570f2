"""Running headers, footers and page numbers: lines at a page's edge that repeat from page to page."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from assistant.readers.pdf.lines import Line, Page

EDGE_LINES = 3
"""Rows looked at from the top and from the bottom."""
SHARE = 0.4
"""A line is dropped when it stands on at least 2 pages and on this share of all, odd or even pages."""

_NUMBER = re.compile(r"\d+|[〇零一二三四五六七八九十百]+|\b[ivxlc]+\b", re.IGNORECASE)
_LETTERS = re.compile(r"[^\W\d_#]")
_SAME_HEIGHT = 6.0  # points


def without_running_lines(pages: Sequence[Page]) -> list[Page]:
    """The pages without what repeats at their edges. A line that occurs once is never dropped."""
    found: defaultdict[str, list[tuple[int, Line]]] = defaultdict(list)
    for page in pages:
        for line in _edge(page):
            found[_key(line.text)].append((page.number, line))
    dropped = {
        (number, id(line))
        for key, places in found.items()
        for number, line in _repeated(key, places, [page.number for page in pages])
    }
    return [
        replace(page, lines=tuple(line for line in page.lines if (page.number, id(line)) not in dropped))
        for page in pages
    ]


def _edge(page: Page) -> Iterable[Line]:
    lines = sorted((line for line in page.lines if not line.aside), key=lambda line: line.middle)
    heights: list[float] = []
    for line in lines:
        if not heights or line.middle - heights[-1] > 4:
            heights.append(line.middle)
    edges = [*heights[:EDGE_LINES], *heights[-EDGE_LINES:]]
    return [line for line in lines if any(0 <= line.middle - height <= 4 for height in edges)]


def _key(text: str) -> str:
    return re.sub(r"\s+", "", _NUMBER.sub("#", text)).casefold()


def _repeated(key: str, places: Sequence[tuple[int, Line]], numbers: Sequence[int]) -> Iterable[tuple[int, Line]]:
    """Those of these lines that repeat at the same height; bare numbers only when they count the pages."""
    for group in _by_height(places):
        on = {number for number, _ in group}
        if len(on) < 2 or not _often(on, numbers):
            continue
        if _LETTERS.search(key) or "#" not in key or _counts(group):
            yield from group


def _by_height(places: Sequence[tuple[int, Line]]) -> Iterable[list[tuple[int, Line]]]:
    group: list[tuple[int, Line]] = []
    for place in sorted(places, key=lambda p: p[1].middle):
        if group and place[1].middle - group[-1][1].middle > _SAME_HEIGHT:
            yield group
            group = []
        group.append(place)
    if group:
        yield group


def _often(on: set[int], numbers: Sequence[int]) -> bool:
    if len(on) >= SHARE * len(numbers):
        return True
    for odd in (0, 1):
        side = [number for number in numbers if number % 2 == odd]
        mine = [number for number in on if number % 2 == odd]
        if len(mine) >= 2 and len(mine) >= SHARE * len(side):
            return True
    return False


def _counts(group: Sequence[tuple[int, Line]]) -> bool:
    """Whether the number in the line grows with the page (roman numerals are taken on trust)."""
    offsets = []
    for number, line in group:
        digits = re.search(r"\d+", line.text)
        if digits:
            offsets.append(int(digits[0]) - number)
    return not offsets or max(map(offsets.count, offsets)) >= 0.8 * len(offsets)
