"""Markdown: blocks by markdown-it's line maps, as spans of the file itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.documents import Block, BlockKind, Document
from assistant.language import language_of
from assistant.readers.encoding import decode
from assistant.readers.front_matter import authority_of, date_of, front_matter
from assistant.readers.questions import fold
from assistant.readers.spans import line_starts, span
from assistant.settings import Reading

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_KINDS: dict[str, BlockKind] = {
    "paragraph_open": "paragraph",
    "blockquote_open": "paragraph",
    "html_block": "paragraph",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "fence": "code",
    "code_block": "code",
    "table_open": "table",
}
_LONGEST_HEADING = 160  # a rule under a long paragraph makes it a heading by the letter of Markdown, not by its sense
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TAG_ONLY = re.compile(r"(?:\s*</?[A-Za-z][^<>]*>)+\s*")
_ATX = re.compile(r"[ ]{0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$", re.DOTALL)


def read(path: Path, data: bytes, settings: Reading) -> Document:
    """The Document whose text is the decoded file; front matter and HTML comments belong to no block."""
    text, encoding = decode(data, settings.legacy_encoding, path.name)
    fields, start = front_matter(text)
    blocks = fold(text, list(blocks_of(text, start)))
    headings = sorted((b for b in blocks if b.kind == "heading"), key=lambda b: (b.level, b.start))
    return Document(
        path=str(path),
        name=path.name,
        title=fields.get("title") or (headings[0].text if headings else ""),
        media="md",
        text=text,
        blocks=tuple(blocks),
        language=language_of(text[start:]),
        modified=date_of(fields),
        authority=authority_of(fields),
        encoding=encoding,
        meta=fields,
    )


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    # Only the line maps are wanted. "reference" would swallow the text of footnotes: [^1]: …
    return MarkdownIt("commonmark").enable("table").disable(["inline", "reference"])


def blocks_of(text: str, start: int = 0) -> Iterator[Block]:
    """The blocks of a Markdown text from this place on, in order."""
    body = text[start:]
    starts = [start + offset for offset in line_starts(body)]
    tokens = _parser().parse(body)
    for i, token in enumerate(tokens):
        if token.level or token.nesting < 0 or token.map is None:
            continue
        first, last = starts[token.map[0]], starts[min(token.map[1], len(starts) - 1)]
        if token.type == "heading_open":
            block = _heading(text, first, last, token, tokens[i + 1])
            if block:
                yield block
        elif token.type == "table_open":
            yield from _table(text, first, last, starts[min(token.map[0] + 2, len(starts) - 1)])
        elif token.type in _KINDS:
            yield from _without_comments(text, _KINDS[token.type], first, last)


def _heading(text: str, start: int, end: int, token: Token, inline: Token) -> Block | None:
    """The heading without its marks; a paragraph when it is too long to be one."""
    atx = _ATX.fullmatch(text[start:end].rstrip("\r\n"))
    if atx:
        first, last = start + atx.start(2), start + atx.end(2)
    else:
        first, last = start, start + len(text[start:end].rstrip().rstrip("=-").rstrip())
    if len(inline.content) > _LONGEST_HEADING:
        return span(text, "paragraph", first, last)
    return span(text, "heading", first, last, level=int(token.tag[1]))


def _table(text: str, start: int, end: int, header_end: int) -> Iterator[Block]:
    block = span(text, "table", start, end)
    if block:
        yield block.model_copy(update={"header_end": min(header_end, block.end)})


def _without_comments(text: str, kind: BlockKind, start: int, end: int) -> Iterator[Block]:
    if kind == "code":
        block = span(text, kind, start, end)
        if block:
            yield block
        return
    at = start
    for comment in [*_COMMENT.finditer(text, start, end), None]:
        block = span(text, kind, at, comment.start() if comment else end)
        if block and not _TAG_ONLY.fullmatch(block.text):
            yield block
        at = comment.end() if comment else end
