"""Cutting by structure: sections, then paragraphs, then sentences."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from assistant.chunking.atoms import Atom, atoms, cut
from assistant.chunking.sections import Group, groups
from assistant.documents import Chunk, Document
from assistant.language import language_of
from assistant.settings import Chunking

PARAGRAPH_END = 0.85
"""A chunk that reaches this share of its size at the end of a paragraph stops there."""
PAGE_END = 0.4
"""A chunk that reaches this share of its size at the end of a page stops there, so that it has one page."""

_WORDS = re.compile(r"[^\W_]")


def chunk(
    document: Document, settings: Chunking, count_tokens: Callable[[str], int] | None, max_tokens: int
) -> tuple[Chunk, ...]:
    """Chunks of whole sentences, at most settings.size characters with their context, none across sections.

    Tables, code and questions with answers stay whole when they fit; longer tables repeat their header rows as
    context. Neighbours overlap by whole sentences inside a section.
    """
    packer = _Packer(document, settings, count_tokens, max_tokens)
    found = [made for group in groups(document.blocks, settings.size, packer.fits) for made in packer.pack(group)]
    return tuple(made.model_copy(update={"ordinal": n}) for n, made in enumerate(found))


@dataclass(frozen=True)
class _Packer:
    document: Document
    settings: Chunking
    count_tokens: Callable[[str], int] | None
    max_tokens: int

    def pack(self, group: Group) -> Iterator[Chunk]:
        """The chunks of one group, in order."""
        path = self._short_path(group.path)
        waiting = atoms(self.document.text, group.blocks, self.settings.size)
        at, before = 0, -1
        while at < len(waiting):
            limit = self._balanced(waiting, at)
            while True:
                first, end = self._take(waiting, at, limit, before)
                made = self._chunk(path, waiting[first:end])
                tokens = self._tokens(made)
                if tokens <= self.max_tokens:
                    break
                limit = min(limit - 1, int(limit * self.max_tokens / tokens * 0.97))
                if end == at + 1 and first == at:
                    waiting[at:end] = self._smaller(waiting[at], len(made.text), tokens)
            yield made
            before, at = first, end

    def _tokens(self, made: Chunk) -> int:
        return self.count_tokens(made.embedded_text()) if self.count_tokens else 0

    def fits(self, path: tuple[str, ...]) -> bool:
        """Whether a heading path leaves three quarters of the room to the text."""
        return not self.count_tokens or self.count_tokens(" › ".join(path)) <= self.max_tokens // 4

    def _short_path(self, path: tuple[str, ...]) -> tuple[str, ...]:
        """The innermost headings that leave three quarters of the room to the text."""
        while path and not self.fits(path):
            path = path[1:] if len(path) > 1 else (() if len(path[0]) < 20 else (path[0][: len(path[0]) // 2] + "…",))
        return path

    def _balanced(self, waiting: Sequence[Atom], at: int) -> int:
        """The size; when only a little more than one chunk is left, half of what is left."""
        size = self.settings.size
        left = waiting[-1].end - waiting[at].start
        if size < left <= size * 1.5 and not waiting[at].alone:
            return min(size, left // 2 + self.settings.overlap + 60)
        return size

    def _take(self, waiting: Sequence[Atom], at: int, limit: int, before: int) -> tuple[int, int]:
        """Indices of the first atom (overlap included) and behind the last one of the chunk that starts here."""
        if waiting[at].alone:
            return at, at + 1
        first = self._overlap(waiting, at, limit, before)
        end = at + 1
        while end < len(waiting) and self._joins(waiting, end) and waiting[end].end - waiting[first].start <= limit:
            if self._turns_page(waiting, at, end):
                return first, end
            end += 1
        if end < len(waiting) and not waiting[end - 1].closes and self._joins(waiting, end):
            end = self._paragraph_end(waiting, first, at, end, limit)
        while end - 1 > at and end < len(waiting) and self._leads(waiting[end - 1]):
            end -= 1
        return first, end

    def _leads(self, atom: Atom) -> bool:
        """Whether it goes with what follows: a heading, or a short line that ends in a colon."""
        line = self.document.text[atom.start : atom.end]
        return atom.kind == "heading" or (atom.closes and len(line) <= 60 and line.endswith((":", "：")))

    def _joins(self, waiting: Sequence[Atom], n: int) -> bool:
        """Whether this atom may follow the one before in a chunk: nothing that was left out stands between."""
        if waiting[n].alone or waiting[n - 1].alone:
            return False
        return not _WORDS.search(self.document.text, waiting[n - 1].end, waiting[n].start)

    def _turns_page(self, waiting: Sequence[Atom], at: int, n: int) -> bool:
        """Whether a new page begins with this atom and the chunk holds enough, or the whole page before (a slide)."""
        page, before = waiting[n].page, waiting[n - 1].page_end
        if page is None or before is None or page <= before or not waiting[n - 1].closes:
            return False
        whole = at == 0 or (waiting[at - 1].page_end or 0) < (waiting[at].page or 0)
        return whole or waiting[n - 1].end - waiting[at].start >= self.settings.size * PAGE_END

    def _paragraph_end(self, waiting: Sequence[Atom], first: int, at: int, end: int, limit: int) -> int:
        for n in range(end - 1, at, -1):
            if waiting[n - 1].end - waiting[first].start < limit * PARAGRAPH_END:
                return end
            if waiting[n - 1].closes:
                return n
        return end

    def _overlap(self, waiting: Sequence[Atom], at: int, limit: int, before: int) -> int:
        """The first of the sentences before, up to about settings.overlap characters, that leave room to the next."""
        room = min(self.settings.overlap * 3 // 2, limit - (waiting[at].end - waiting[at].start))
        first = at
        while (
            first - 1 > before >= 0 and waiting[first - 1].prose and waiting[at].prose and self._joins(waiting, first)
        ):
            turned = (waiting[first].page or 0) > (
                waiting[first - 1].page_end or 0
            )  # a new page: its number stays exact
            if turned or waiting[at].start - waiting[first - 1].start > room or self.settings.overlap == 0:
                break
            first -= 1
        return first

    def _smaller(self, atom: Atom, length: int, tokens: int) -> list[Atom]:
        """An atom that has too many tokens, in pieces."""
        limit = min(length - 1, int(length * self.max_tokens / tokens * 0.9)) or 1
        context = atom.context if len(atom.context) <= limit // 2 else ""
        pieces = cut(self.document.text, atom.start, atom.end, max(1, limit))
        return [replace(atom, start=start, end=end, context=context, closes=False) for start, end in pieces]

    def _chunk(self, path: tuple[str, ...], held: Sequence[Atom]) -> Chunk:
        start, end = held[0].start, held[-1].end
        text = self.document.text[start:end]
        kinds: Counter[str] = Counter()
        for atom in held:
            kinds[atom.kind] += atom.end - atom.start
        kind = kinds.most_common(1)[0][0]
        pages = [page for atom in held for page in (atom.page, atom.page_end) if page]
        return Chunk(
            ordinal=0,
            text=text,
            start=start,
            end=end,
            heading=path,
            pages=(min(pages), max(pages)) if pages else None,
            kind="paragraph" if kind == "heading" else kind,
            language=language_of(text),
            context=held[0].context,
        )
