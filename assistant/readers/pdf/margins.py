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
_PAGE_NUMBER = re.compile(r"[-–—·|]*(?:page)?#[-–—·|]*|第#[页頁](?:[,，/]?共#[页頁])?|[页頁]码?#")
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
    """Those of these lines that repeat at one height: word for word, or with a number that counts the pages.

    Lines that differ in another number (an invoice number, the cells of a table) are text.
    """
    for group in _by_height(places):
        if "#" in key and _often({number for number, _ in group}, numbers) and _counts(key, group):
            yield from group
            continue
        for text in {line.text for _, line in group}:
            same = [(number, line) for number, line in group if line.text == text]
            if _LETTERS.search(text) and _often({number for number, _ in same}, numbers):
                yield from same


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
    if len(on) < 2:
        return False
    if len(on) >= SHARE * len(numbers):
        return True
    for odd in (0, 1):
        side = [number for number in numbers if number % 2 == odd]
        mine = [number for number in on if number % 2 == odd]
        if len(mine) >= 2 and len(mine) >= SHARE * len(side):
            return True
    return False


def _counts(key: str, group: Sequence[tuple[int, Line]]) -> bool:
    """Whether a number in the line grows with the page; roman and Chinese ones must look like a page number."""
    found = [(number, re.findall(r"\d+", line.text)) for number, line in group]
    width = min(len(digits) for _, digits in found)
    if not width:
        return bool(_PAGE_NUMBER.fullmatch(key))
    for n in range(width):
        offsets = [int(digits[n]) - number for number, digits in found]
        if max(map(offsets.count, offsets)) >= 0.8 * len(offsets):
            return True
    return False
