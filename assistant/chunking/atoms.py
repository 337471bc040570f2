"""The smallest pieces a chunk is packed from: sentences, whole tables, rows, code lines."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from assistant.chunking.sentences import sentences, trimmed
from assistant.documents import Block

_BREAKS = (
    re.compile(r"[\r\n]+"),
    re.compile(r"[，、：；。！？」』”）】》]|[,;:)\]](?=\s)|\s[–—-](?=\s)|——"),
    re.compile(r"\s+"),
    re.compile(r"(?<=[\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef])|(?=[\u2e80-\u9fff\uac00-\ud7af])"),
)
_LINE = re.compile(r"[^\r\n]+")
_CAPTION = re.compile(r"(?:表|图|Table|Tab\.|Figure|Fig\.|Exhibit)\s*[\d一二三四五六七八九十A-Z]", re.IGNORECASE)
_LONGEST_CAPTION = 120


@dataclass(frozen=True)
class Atom:
    """A span that is not cut further. `alone`: a chunk of its own. `closes`: a paragraph ends here."""

    start: int
    end: int
    kind: str
    page: int | None = None
    page_end: int | None = None
    context: str = ""
    alone: bool = False
    closes: bool = True

    @property
    def prose(self) -> bool:
        """Whether it may be repeated as overlap."""
        return self.kind in ("paragraph", "list", "caption") and not self.alone


def atoms(text: str, blocks: Sequence[Block], limit: int) -> list[Atom]:
    """The atoms of these blocks in order, each at most `limit` characters with its context."""
    found: list[Atom] = []
    for block in blocks:
        pieces = [_on_its_pages(piece, block) for piece in _of_block(text, block, limit)]
        if block.kind == "table" and found and pieces and _captions(text, found[-1], pieces[0], limit):
            pieces[0] = replace(pieces[0], start=found.pop().start)
        found.extend(pieces)
    return found


def _on_its_pages(piece: Atom, block: Block) -> Atom:
    """The piece with its own pages, out of a block that runs over several."""
    if not block.turns or block.page is None or len(block.turns) != (block.page_end or block.page) - block.page:
        return piece
    first, last = bisect_right(block.turns, piece.start), bisect_left(block.turns, piece.end)
    return replace(piece, page=block.page + first, page_end=block.page + max(first, last))


def _of_block(text: str, block: Block, limit: int) -> Iterator[Atom]:
    whole = Atom(block.start, block.end, block.kind, block.page, block.page_end or block.page, alone=block.kind == "qa")
    fits = block.end - block.start <= limit
    if block.kind == "table":
        return iter([whole]) if fits else _rows(text, block, replace(whole, alone=True), limit)
    if block.kind in ("code", "heading"):
        return iter([whole]) if fits else _lines(text, whole, limit)
    if block.kind == "qa":
        return iter([whole]) if fits else _answer(text, block, whole, limit)
    return _sentences(text, whole, limit)


def _sentences(text: str, whole: Atom, limit: int) -> Iterator[Atom]:
    spans = [(whole.start + s, whole.start + e) for s, e in sentences(text[whole.start : whole.end])]
    pieces = [piece for start, end in spans for piece in cut(text, start, end, limit)]
    for n, (start, end) in enumerate(pieces):
        following = pieces[n + 1][0] if n + 1 < len(pieces) else None
        closes = following is None or "\n" in text[end:following]
        yield replace(whole, start=start, end=end, closes=closes)


def _lines(text: str, whole: Atom, limit: int) -> Iterator[Atom]:
    for line in _LINE.finditer(text, whole.start, whole.end):
        for start, end in cut(text, *line.span(), limit):
            if text[start:end].strip():
                yield replace(whole, start=start, end=end, closes=False)


def _rows(text: str, block: Block, whole: Atom, limit: int) -> Iterator[Atom]:
    """Runs of whole rows; all but the first carry the header rows as context."""
    header = text[block.start : block.header_end].strip() if block.header_end else ""
    context = header if len(header) <= limit // 2 else header[: limit // 2]
    return _runs(text, whole, context, [m.span() for m in _LINE.finditer(text, block.start, block.end)], limit)


def _answer(text: str, block: Block, whole: Atom, limit: int) -> Iterator[Atom]:
    """Runs of sentences of an answer that is too long; all but the first carry the question as context."""
    question = text[block.start : block.header_end or block.start].strip()
    context = question if len(question) <= limit // 2 else question[: limit // 2]
    spans = [(block.start + s, block.start + e) for s, e in sentences(block.text)]
    return _runs(text, whole, context, spans, limit)


def _runs(text: str, whole: Atom, context: str, spans: Sequence[tuple[int, int]], limit: int) -> Iterator[Atom]:
    room = limit - len(context)
    start, last, carried = None, 0, ""
    for a, b in [piece for s, e in spans for piece in cut(text, s, e, room)]:
        if start is not None and b - start > (room if carried else limit):
            yield replace(whole, start=start, end=last, context=carried)
            start, carried = a, context
        start, last = (a if start is None else start), b
    if start is not None:
        yield replace(whole, start=start, end=last, context=carried)


def _captions(text: str, before: Atom, table: Atom, limit: int) -> bool:
    """Whether the line before a table is its title: it then stays with the first rows."""
    line = text[before.start : before.end]
    if before.kind not in ("paragraph", "caption") or not before.closes or table.end - before.start > limit:
        return False
    if re.search(r"[^\W_]", text[before.end : table.start]) or len(line) > _LONGEST_CAPTION:
        return False
    return before.kind == "caption" or bool(_CAPTION.match(line)) or line.endswith((":", "："))


def cut(text: str, start: int, end: int, limit: int) -> list[tuple[int, int]]:
    """The span in pieces of at most `limit` characters: at line ends, then commas, then spaces, then between
    ideographs; only a single word longer than the limit is cut inside."""
    pieces = []
    while end - start > limit:
        at = _last_break(text, start, start + limit)
        pieces.append(trimmed(text, start, at))
        start = trimmed(text, at, end)[0]
    pieces.append(trimmed(text, start, end))
    return [(a, b) for a, b in pieces if a < b]


def _last_break(text: str, start: int, stop: int) -> int:
    for rule in _BREAKS:
        ends = [match.end() for match in rule.finditer(text, start, stop) if match.end() > start]
        if ends and ends[-1] - start >= (stop - start) // 3:
            return ends[-1]
    if "\udc00" <= text[stop : stop + 1] <= "\udfff" or "\u0300" <= text[stop : stop + 1] <= "\u036f":
        return max(start + 1, stop - 1)
    return stop
