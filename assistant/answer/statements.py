"""A source as what it states: its sentences and table rows, each with what stands above it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from assistant.answer.extractive import units
from assistant.answer.values import Value, holds, values_of
from assistant.answer.wording import Wording, joined, wording
from assistant.language import language_of
from assistant.trace import Passage

_LISTED = re.compile(r"\s*(?:[-*+•·]|\(?\d{1,3}[.)、）]|（?[一二三四五六七八九十]{1,3}[、）])")


@dataclass(frozen=True)
class Statement:
    """One sentence or row of a source, or two that stand together: document[start:end].

    `above`: the headings, the document's name and the header of the table: they say what the statement is about.
    """

    number: int
    chunk_id: str
    start: int
    end: int
    text: str
    above: str = ""

    @cached_property
    def words(self) -> Wording:
        """The words of the statement itself."""
        return wording(self.text)

    @cached_property
    def words_above(self) -> Wording:
        """The words above it."""
        return wording(self.above)

    @cached_property
    def values(self) -> tuple[Value, ...]:
        """Its numbers, dates and identifiers, with those above it."""
        return (*values_of(self.text, source=True), *values_of(self.above, source=True))

    def holds(self, value: Value) -> bool:
        """Whether the value stands in it or above it."""
        if value.kind == "identifier":
            return holds(f"{self.text}\n{self.above}", value.text)
        return any(own.stands_for(value) for own in self.values)

    def with_next(self, following: Statement) -> Statement:
        """Both as one."""
        above = self.above if following.above in self.above else f"{self.above}\n{following.above}"
        return Statement(self.number, self.chunk_id, self.start, following.end, f"{self.text}\n{following.text}", above)


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
        """Its statements, and each two neighbours as one."""
        pairs = zip(self.statements, self.statements[1:], strict=False)
        return (*self.statements, *(a.with_next(b) for a, b in pairs))

    def holds(self, value: Value) -> bool:
        """Whether the value stands anywhere in it."""
        return any(s.holds(value) for s in self.statements)


def in_chinese(text: str) -> bool | None:
    """True for Chinese, False for a Latin script, None for both or neither."""
    return {"zh": True, "en": False}.get(language_of(text))


def read(sources: Sequence[Passage]) -> tuple[Source, ...]:
    """The sources, numbered from 1."""
    return tuple(Source(n, p, tuple(_statements(n, p))) for n, p in enumerate(sources, 1))


def all_words(sources: Iterable[Source]) -> list[Wording]:
    """The words of every statement, those above it included, for counting how rare each is."""
    return [joined((s.words, s.words_above)) for source in sources for s in source.statements]


def _statements(number: int, passage: Passage) -> Iterable[Statement]:
    named = "\n".join((passage.document, passage.title, *passage.heading, passage.context))
    lead, table, last = "", "", 0
    for start, end in units(passage.text):
        text = passage.text[start:end]
        row = "|" in text
        if not (row and _only_rules(passage.text[last:start])):
            table = ""
        if not (row or _LISTED.match(text)):
            lead = ""
        yield Statement(
            number, passage.chunk_id, passage.start + start, passage.start + end, text, f"{named}\n{lead}\n{table}"
        )
        table = table or (text if row else "")
        lead = text if text.endswith((":", "：")) else lead
        last = end


def _only_rules(between: str) -> bool:
    """Whether nothing but the line between a header and its rows stands there."""
    return "\n\n" not in between and not any(c.isalnum() for c in between)
