"""Plain text: paragraphs by blank lines, numbered headings where they are clear, questions with their answers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from assistant.documents import Block, Document
from assistant.language import language_of
from assistant.readers.encoding import decode
from assistant.readers.headings import level_of_numbered
from assistant.readers.questions import fold
from assistant.readers.spans import span
from assistant.settings import Reading

_BLANK_LINES = re.compile(r"(?:\r\n|\r|\n)[^\S\r\n]*(?:\r\n|\r|\n)\s*")
_LINE = re.compile(r"[^\r\n]+")
_LISTED = re.compile(r"\s*(?:[-*•·●○▪–—]\s|\(?\d{1,3}[.)、）]|（\d{1,3}）)")
_ENDS = re.compile(r"[。！？；：，、,;:.!?…][\"”’」』）)]*$")


def read(path: Path, data: bytes, settings: Reading) -> Document:
    """The Document whose text is the decoded file, newlines untouched."""
    text, encoding = decode(data, settings.legacy_encoding, path.name)
    blocks = fold(text, list(_blocks(text)))
    title = blocks[0].text if blocks and blocks[0].kind == "heading" else ""
    return Document(
        path=str(path),
        name=path.name,
        title=title,
        media="txt",
        text=text,
        blocks=tuple(blocks),
        language=language_of(text),
        encoding=encoding,
    )


def _blocks(text: str) -> Iterator[Block]:
    cuts = [0, *(n for m in _BLANK_LINES.finditer(text) for n in m.span()), len(text)]
    paragraphs = [(start, end) for start, end in zip(cuts[::2], cuts[1::2], strict=True) if text[start:end].strip()]
    for i, (start, end) in enumerate(paragraphs):
        lines = [m.span() for m in _LINE.finditer(text, start, end)]
        if i == 0 and len(lines) == 1 and len(paragraphs) > 1 and _title(text[start:end]):
            yield from _kept(span(text, "heading", start, end, level=1))
            continue
        yield from _in_paragraph(text, lines)


def _in_paragraph(text: str, lines: list[tuple[int, int]]) -> Iterator[Block]:
    """Headings that stand on their own line, lists, and the running text between them."""
    open_from: int | None = None
    last = lines[-1][1] if lines else 0
    for n, (start, end) in enumerate(lines):
        level = level_of_numbered(text[start:end].strip(), alone=len(lines) == 1)
        if level:
            if open_from is not None:
                yield from _kept(_running(text, open_from, start))
            yield from _kept(span(text, "heading", start, end, level=level))
            open_from = None
        elif open_from is None:
            open_from = start
        elif n and _new_paragraph(text, lines[n - 1], start, end):
            yield from _kept(_running(text, open_from, start))
            open_from = start
    if open_from is not None:
        yield from _kept(_running(text, open_from, last))


def _new_paragraph(text: str, before: tuple[int, int], start: int, end: int) -> bool:
    """A long line that ends a sentence is a paragraph of its own; so is what follows an indented first line."""
    ended = bool(_ENDS.search(text[before[0] : before[1]].rstrip()))
    return ended and (before[1] - before[0] > 160 or text.startswith(("\u3000\u3000", "    "), start))


def _running(text: str, start: int, end: int) -> Block | None:
    lines = _LINE.findall(text[start:end])
    listed = len(lines) > 1 and sum(bool(_LISTED.match(line)) for line in lines) * 2 > len(lines)
    return span(text, "list" if listed else "paragraph", start, end)


def _title(line: str) -> bool:
    line = line.strip().strip("*_")
    return len(line) <= 60 and not _ENDS.search(line) and not _LISTED.match(line) and bool(re.search(r"[^\W\d_]", line))


def _kept(block: Block | None) -> tuple[Block, ...]:
    return (block,) if block else ()
