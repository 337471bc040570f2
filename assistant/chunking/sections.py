"""The blocks under their headings, and which tiny sections are cut together."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from assistant.documents import Block

WHOLE = 0.6
"""A section with all its subsections up to this share of the chunk size is one group."""
TINY = 0.2
"""Neighbouring sections under one parent, each up to this share, are grouped up to WHOLE."""

_LINK = re.compile(r"!?\[([^\]]*)\]\([^)\s]*\)")
_LONGEST_TITLE = 120


@dataclass(frozen=True)
class Section:
    """One heading with the blocks up to the next; the first section of a document has none. `path` includes it."""

    path: tuple[str, ...]
    level: int
    heading: Block | None
    blocks: tuple[Block, ...]

    @property
    def size(self) -> int:
        """Characters of the blocks and the heading."""
        return sum(block.end - block.start for block in self.blocks) + (len(self.heading.text) if self.heading else 0)


@dataclass(frozen=True)
class Group:
    """Blocks that may share a chunk, with the heading path they have in common."""

    path: tuple[str, ...]
    blocks: tuple[Block, ...]


def groups(blocks: Sequence[Block], size: int, fits: Callable[[tuple[str, ...]], bool]) -> list[Group]:
    """The document's sections, in order, tiny ones together; empty groups are left out.

    `fits`: whether a heading path is short enough to stand above every chunk. A heading that has only sections below
    it is carried by their paths; it stands in a chunk of its own when one of those is too long.
    """
    sections = _sections(blocks)
    found = []
    for start, end in _grouped(sections, 0, len(sections), size):
        group = _group(sections[start:end], _carried(sections, end - 1, fits))
        if group.blocks:
            found.append(group)
    return found


def _carried(sections: Sequence[Section], at: int, fits: Callable[[tuple[str, ...]], bool]) -> bool:
    """Whether this heading stands in full in the path of sections below it."""
    below = sections[at : _subtree(sections, at, len(sections))]
    heading = sections[at].heading
    if len(below) < 2 or heading is None or len(heading.text) > _LONGEST_TITLE:
        return False
    return all(fits(section.path) for section in below)


def _sections(blocks: Sequence[Block]) -> list[Section]:
    sections: list[Section] = []
    stack: list[tuple[int, str]] = []
    heading: Block | None = None
    held: list[Block] = []
    for block in [*blocks, None]:
        if block is not None and block.kind != "heading":
            held.append(block)
            continue
        if heading or held:
            sections.append(Section(tuple(t for _, t in stack), stack[-1][0] if stack else 0, heading, tuple(held)))
        if block is not None:
            level = block.level or 1
            stack = [(above, title) for above, title in stack if above < level] + [(level, title_of(block.text))]
            heading, held = block, []
    return sections


def title_of(heading: str) -> str:
    """The heading on one line, without Markdown marks and link targets, cut at 120 characters."""
    plain = re.sub(r"\s+", " ", _LINK.sub(r"\1", heading)).strip()
    plain = re.sub(r"\*+|`+|(?<!\w)_+|_+(?!\w)", "", plain).strip()
    return plain if len(plain) <= _LONGEST_TITLE else plain[: _LONGEST_TITLE - 1].rstrip() + "…"


def _subtree(sections: Sequence[Section], at: int, end: int) -> int:
    """Where the section at this place and everything below it ends."""
    after = at + 1
    while after < end and sections[after].level > sections[at].level:
        after += 1
    return after


def _grouped(sections: Sequence[Section], start: int, end: int, size: int) -> Iterator[tuple[int, int]]:
    """Ranges of sections (siblings and what is below them) that are packed together."""
    at = start
    while at < end:
        after = _subtree(sections, at, end)
        total = _size(sections, at, after)
        if total > size * WHOLE or not _on_one_page(sections, at, after):
            yield at, at + 1
            yield from _grouped(sections, at + 1, after, size)
            at = after
            continue
        first = at
        while total <= size * TINY and after < end and sections[after].level == sections[first].level:
            following = _subtree(sections, after, end)
            more = _size(sections, after, following)
            if more > size * TINY or _size(sections, first, following) > size * WHOLE:
                break
            if not _on_one_page(sections, first, following):
                break
            total, after = more, following
        yield first, after
        at = after


def _on_one_page(sections: Sequence[Section], start: int, end: int) -> bool:
    """Whether these sections begin on one page, so that a chunk of them has one page number."""
    return len({section.heading.page if section.heading else None for section in sections[start:end]}) <= 1


def _size(sections: Sequence[Section], start: int, end: int) -> int:
    return sum(section.size for section in sections[start:end])


def _group(sections: Sequence[Section], carried: bool) -> Group:
    """The blocks of these sections with their headings, which may hold the answer themselves.

    A heading with nothing under it is text itself, unless the last one is `carried` by the sections that follow.
    """
    path = _common([_content_path(sections, i) for i in range(len(sections)) if _holds(sections, i, carried)])
    blocks: list[Block] = []
    for i, section in enumerate(sections):
        if section.heading and (_holds(sections, i, carried) or _below(sections, i)):
            blocks.append(section.heading)
        blocks.extend(section.blocks)
    return Group(path, tuple(blocks))


def _below(sections: Sequence[Section], i: int) -> bool:
    return i + 1 < len(sections) and sections[i + 1].level > sections[i].level


def _holds(sections: Sequence[Section], i: int, carried: bool) -> bool:
    """Whether the section has text of its own: blocks, or a heading that leads to nothing."""
    if sections[i].blocks:
        return True
    return not (_below(sections, i) or (i == len(sections) - 1 and carried))


def _content_path(sections: Sequence[Section], i: int) -> tuple[str, ...]:
    return sections[i].path if sections[i].blocks else sections[i].path[:-1]


def _common(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    if not paths:
        return ()
    shared = 0
    while all(len(path) > shared and path[shared] == paths[0][shared] for path in paths):
        shared += 1
    return paths[0][:shared]
