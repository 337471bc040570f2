"""Blocks as exact spans of a text."""

from __future__ import annotations

import re
from typing import Any

from assistant.documents import Block, BlockKind

_LINE_END = re.compile(r"\r\n|\r|\n")


def line_starts(text: str) -> list[int]:
    """Offset of each line's first character, and the length of the text as the last item."""
    starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
    if starts[-1] != len(text):
        starts.append(len(text))
    return starts


def span(text: str, kind: BlockKind, start: int, end: int, **fields: Any) -> Block | None:
    """The block of this span without the white space around it; None when nothing is left."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start == end:
        return None
    return Block(kind=kind, text=text[start:end], start=start, end=end, **fields)
