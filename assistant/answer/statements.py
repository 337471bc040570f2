"""A source as what it states: its sentences, list items and table rows, each with what stands above it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from assistant.answer.extractive import units
from assistant.answer.values import Value, holds, values_of
from assistant.answer.wording import Wording, joined, wording
from assistant.language import language_of
from assistant.trace import Passage

_ENDING = re.compile(r"\.[A-Za-z]{2,5}$")  # 2024.md would be read as one word
_LISTED = re.compile(r"\s*(?:[-*+•·]\s|\(?\d{1,3}[.)、）]|（?[一二三四五六七八九十]{1,3}[、）])")
_BETWEEN = re.compile(r"[;；，、。]|,(?!\d)|\s(?:and|but|while|whereas|or)\s|而|但|并")


@dataclass(frozen=True)
class Piece:
    """A clause of a sentence or a cell of a row, with its column's name."""

    text: str

    @cached_property
    def terms(self) -> frozenset[str]:
        """Its words."""
        return wording(self.text).terms

    @cached_property
    def values(self) -> tuple[Value, ...]:
        """Its numbers, dates and times."""
        return values_of(self.text, source=True)

    def holds(self, value: Value) -> bool:
        """Whether the value stands in it."""
        if value.kind == "identifier":
            return holds(self.text, value.text)
        return any(own.stands_for(value) for own in self.values)


@dataclass(frozen=True)
class Statement:
    """One sentence, list item or row of a source, or two sentences that follow each other: document[start:end].

    `above`: the headings, the document's name, the list's first line: they say what it is about. `header`: the first
    row of its table. `alone`: an item or row, which does not go on from the one before.
    """

    number: int
    chunk_id: str
    start: int
    end: int
    text: str
    above: str
    header: str = ""
    alone: bool = False

    @cached_property
    def words(self) -> Wording:
        """The words of the statement itself."""
        return wording(self.text)

    @cached_property
    def all_words(self) -> Wording:
        """Its words and those above it."""
        return joined((self.words, wording(self.above), wording(self.header)))

    @cached_property
    def whole(self) -> Piece:
        """The statement itself as one piece."""
        return Piece(self.text)

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """Its clauses; of a row its cells, each under its column's name."""
        if "|" not in self.text:
            return tuple(Piece(part) for part in _split(self.text))
        cells, names = _cells(self.text), _cells(self.header)
        names = names if len(names) == len(cells) else [""] * len(cells)
        return tuple(Piece(f"{name}\n{cell}") for name, cell in zip(names, cells, strict=True))

    def holds(self, value: Value) -> bool:
        """Whether the value stands in it or above it."""
        return self.whole.holds(value) or Piece(self.above).holds(value) or Piece(self.header).holds(value)

    def with_next(self, following: Statement) -> Statement:
        """Both as one."""
        text = f"{self.text}\n{following.text}"
        return Statement(self.number, self.chunk_id, self.start, following.end, text, self.above)


@dataclass(frozen=True)
class Source:
    """A numbered source with its statements in order."""

    number: int
    passage: Passage
    statements: tuple[Statement, ...]

    @cached_property
    def chinese(self) -> bool | None:
        """Whether it is written in Chinese; None when it is of both languages or of neither."""
        return in_chinese(self.passage.text)

    @cached_property
    def windows(self) -> tuple[Statement, ...]:
        """Its statements, and each two sentences that follow each other."""
        pairs = zip(self.statements, self.statements[1:], strict=False)
        return (*self.statements, *(a.with_next(b) for a, b in pairs if not (a.alone or b.alone)))


def in_chinese(text: str) -> bool | None:
    """True for Chinese, False for a Latin script, None for both or neither."""
    return {"zh": True, "en": False}.get(language_of(text))


def read(sources: Sequence[Passage]) -> tuple[Source, ...]:
    """The sources, numbered from 1."""
    return tuple(Source(n, p, tuple(_statements(n, p))) for n, p in enumerate(sources, 1))


def _statements(number: int, passage: Passage) -> Iterator[Statement]:
    named = "\n".join((_ENDING.sub("", passage.document), passage.title, *passage.heading, passage.context))
    first = next((line for line in passage.context.splitlines() if "|" in line), "")
    lead, header, last = "", first, 0
    for start, end in units(passage.text):
        text = passage.text[start:end]
        row, listed = "|" in text, bool(_LISTED.match(text))
        if row and last and not _only_rules(passage.text[last:start]):
            header = ""
        if not (row or listed):
            lead = header = ""
        above = f"{named}\n{lead}" if row or listed else named
        span = (passage.start + start, passage.start + end)
        yield Statement(number, passage.chunk_id, *span, text, above, header, row or listed)
        header = header or (text if row else "")
        lead = text if text.endswith((":", "：")) else lead
        last = end


def _only_rules(between: str) -> bool:
    """Whether nothing but the line between a header and its rows stands there."""
    return "\n\n" not in between and not any(c.isalnum() for c in between)


def _split(text: str) -> Iterator[str]:
    """The clauses, never cut within a value."""
    taken = [(v.start, v.end) for v in values_of(text, source=True)]
    at = 0
    for mark in _BETWEEN.finditer(text):
        if not any(a < mark.end() and mark.start() < b for a, b in taken):
            yield text[at : mark.start()]
            at = mark.end()
    yield text[at:]


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")]
