"""Questions with their answers, kept together as one block."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from assistant.documents import Block
from assistant.readers.spans import span

LONGEST = 1600
"""Characters: a longer answer under a question that is a heading keeps its own blocks; the heading path carries it."""

_BOLD = r"(?:\*\*|__)?"
_START, _NUMBER = r"[ \t\u3000>]*(?:#+\s*)?", r"\s*(?:\d{1,3}|[一二三四五六七八九十]{1,3})?\s*"
_COLON = r"\s*[:：.．、]"
_QUESTION = re.compile(rf"{_START}{_BOLD}(?:问题?|Question|Q){_NUMBER}{_BOLD}{_COLON}\s*{_BOLD}\s*\S", re.IGNORECASE)
_ANSWER = re.compile(rf"{_START}{_BOLD}(?:答案?|回答|Answer|A){_NUMBER}{_BOLD}{_COLON}", re.IGNORECASE)
_BOLD_QUESTION = re.compile(r"\s*(\*\*|__)[^*\n]{2,200}[?？]\s*\1\s*(?=\n|\Z)")
_ASKS = re.compile(r"[?？][\"”’」』）)]*\s*#*\s*$")
_LINE = re.compile(r"[^\r\n]+")


def fold(text: str, blocks: Sequence[Block]) -> list[Block]:
    """The blocks, those that form a question and its answer replaced by one of kind qa each.

    Its `header_end` is where the question ends. Taken for questions: a heading that ends in a question mark (with a
    short body), "Q:" or "问：" followed by "A:" or "答：", and a paragraph that is one bold question.
    """
    folded: list[Block] = []
    pieces = list(_pieces(text, blocks))
    at = 0
    while at < len(pieces):
        end, header_end = _answered(pieces, at)
        qa = end and span(
            text, "qa", pieces[at].start, pieces[end - 1].end, header_end=header_end, **_pages(pieces, at, end)
        )
        folded.append(qa or pieces[at])
        at = end or at + 1
    return folded


def _pieces(text: str, blocks: Iterable[Block]) -> Iterable[Block]:
    """The blocks, paragraphs that hold several pairs cut before each question."""
    for block in blocks:
        if block.kind not in ("paragraph", "list") or not _asked_and_answered(block.text):
            yield block
            continue
        cuts = [block.start + m.start() for m in _LINE.finditer(block.text) if _QUESTION.match(m[0])]
        for start, end in zip([block.start, *cuts], [*cuts, block.end], strict=True):
            piece = span(text, block.kind, start, end, page=block.page, page_end=block.page_end)
            if piece:
                yield piece


def _asked_and_answered(passage: str) -> bool:
    lines = [m[0] for m in _LINE.finditer(passage)]
    return any(map(_QUESTION.match, lines)) and any(map(_ANSWER.match, lines))


def _answered(pieces: Sequence[Block], at: int) -> tuple[int, int]:
    """Where the answer to the question at this place ends (exclusive) and where the question ends; 0, 0 if none."""
    first = pieces[at]
    if first.kind == "heading":
        return _under_heading(pieces, at)
    if first.kind not in ("paragraph", "list"):
        return 0, 0
    if _QUESTION.match(first.text):
        return _marked(pieces, at)
    if _BOLD_QUESTION.fullmatch(first.text):
        end = _until(pieces, at + 1, lambda block: block.kind == "heading" or bool(_BOLD_QUESTION.match(block.text)))
        end = min(end, at + 2) if end == len(pieces) or pieces[end].kind == "heading" else end
        return _short(pieces, at, end, first.end)
    return 0, 0


def _under_heading(pieces: Sequence[Block], at: int) -> tuple[int, int]:
    heading = pieces[at]
    if not (_ASKS.search(heading.text) or _QUESTION.match(heading.text)):
        return 0, 0
    end = _until(pieces, at + 1, lambda block: block.kind == "heading")
    if end < len(pieces) and pieces[end].level > heading.level:  # parts of its own: an ordinary section
        return 0, 0
    if any(_QUESTION.match(block.text) for block in pieces[at + 1 : end]):
        return 0, 0
    return _short(pieces, at, end, heading.end)


def _marked(pieces: Sequence[Block], at: int) -> tuple[int, int]:
    """From "Q:" to the last block before the next one; the last pair of a row ends with its "A:" block."""
    first = pieces[at]
    stop = _until(pieces, at + 1, lambda block: block.kind == "heading" or bool(_QUESTION.match(block.text)))
    inside = [m for m in _LINE.finditer(first.text) if _ANSWER.match(m[0])]
    if inside:
        last, header_end = at + 1, first.start + inside[0].start()
    elif at + 1 < stop and _ANSWER.match(pieces[at + 1].text):
        last, header_end = at + 2, first.end
    else:
        return 0, 0
    more = stop < len(pieces) and pieces[stop].kind != "heading"
    end, header_end = _short(pieces, at, stop if more else last, header_end)
    return (end, header_end) if end else (last, header_end or first.end)


def _short(pieces: Sequence[Block], at: int, end: int, header_end: int) -> tuple[int, int]:
    if end <= at + 1 or pieces[end - 1].end - pieces[at].start > LONGEST:
        return 0, 0
    return end, header_end


def _until(pieces: Sequence[Block], at: int, stops: object) -> int:
    assert callable(stops)
    while at < len(pieces) and not stops(pieces[at]):
        at += 1
    return at


def _pages(pieces: Sequence[Block], at: int, end: int) -> dict[str, int | None]:
    pages = [page for block in pieces[at:end] for page in (block.page, block.page_end) if page]
    return {"page": min(pages), "page_end": max(pages)} if pages else {}
