"""Whether a value or a name of a sentence stands in the sources at a place that is about the same thing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from assistant.answer.statements import Piece, Statement
from assistant.answer.values import Value, holds, values_of
from assistant.answer.wording import without_values, wording
from assistant.language import is_chinese

OWN_WORDS = 3  # of a part of a sentence without values of its own
ALL_BUT = 0.85  # of a clause's words: the statement that holds so many says all of it but the value
ABOUT = 0.6  # of the nearest statement's overlap: with less, a value there belongs to something else
_BETWEEN = re.compile(r"[;；，、]|,(?!\d)|\s(?:and|but|while|whereas)\s|和|而|以及|但")
_CLAUSE = re.compile(r"[;:]|,(?!\d)|\s(?:and|but|while|whereas|which|who)\s")
_WORD = re.compile(r"[^\W\d_][\w’'-]*")
_NAME = re.compile(r"(?<=[^\W_A-Z] )[^\W\d_][\w’'-]*\w|(?<=[,;)%] )[^\W\d_][\w’'-]*\w")
_CALENDAR = """
january february march april may june july august september october november december jan feb mar apr jun jul aug sep
sept oct nov dec monday tuesday wednesday thursday friday saturday sunday i
"""
_NO_NAME = frozenset(_CALENDAR.split())


@dataclass(frozen=True)
class Clause:
    """A part of a sentence with its values."""

    text: str
    values: tuple[Value, ...]

    @cached_property
    def terms(self) -> frozenset[str]:
        """Its words."""
        return wording(self.text).terms


def clauses(text: str, values: Sequence[Value]) -> Iterator[Clause]:
    """The parts that have values and words of their own ("Berlin 150, Paris 180") or many words, else the whole."""
    at = 0
    for mark in _BETWEEN.finditer(text):
        if any(v.start < mark.end() and mark.start() < v.end for v in values):
            continue
        before, after = _within(text, values, at, mark.start()), _within(text, values, mark.end(), len(text))
        least = 1 if before.values and after.values else OWN_WORDS
        if len(before.terms) >= least and len(after.terms) >= least:
            yield before
            at = mark.end()
    yield _within(text, values, at, len(text))


def _within(text: str, values: Sequence[Value], start: int, end: int) -> Clause:
    return Clause(text[start:end], tuple(v for v in values if start <= v.start and v.end <= end))


def misplaced(value: Value, clause: Clause, said: Sequence[Value], pool: Sequence[Statement]) -> bool:
    """Whether the sources give this value of something else, and another one of what the clause is about.

    Values of the same clause, and all identifiers `said` in the sentence, are no rivals of each other. False when no
    statement holds the value.
    """
    own = said if value.kind == "identifier" else clause.values
    heads = {s.header for s in pool}
    rows = [s for s in pool if s.text not in heads]
    holders = [s for s in rows if s.whole.holds(value)]
    if not holders or not clause.terms:
        return False
    rivals = [s for s in rows if _has_rival(s.whole, value, own, s.alone)]
    # what a sentence is about may stand in the one before: "It costs 450 euros."
    before = [s for s in rows if not s.alone and s not in rivals]
    closest = max(_near(clause.terms, s, before) for s in holders)
    for other in rows:
        near = len(clause.terms & other.words.terms)
        if closest >= ABOUT * near:
            continue
        if other in rivals and near >= (1 if other.alone else 2):
            return True
        if not value.counted and near >= max(OWN_WORDS, ALL_BUT * len(clause.terms)) and _unsaid(other, value, own):
            return True
    here = [s for s in holders if _near(clause.terms, s, before) == closest]
    return all(_in_another_piece(value, clause, s) for s in here)


def _unsaid(statement: Statement, value: Value, said: Sequence[Value]) -> bool:
    """Whether it has a value of the same kind that the sentence does not say, in whatever unit."""
    return any(own.kind == value.kind and not any(_same(own, v) for v in said) for own in values_of(statement.text))


def _near(terms: frozenset[str], statement: Statement, before: Sequence[Statement]) -> int:
    """How many of the words it holds, together with the sentence before it if that is among these."""
    joined = () if statement.alone else (s.words.terms for s in before if _follows(s, statement))
    return len(terms & statement.words.terms.union(*joined))


def _follows(one: Statement, other: Statement) -> bool:
    return one.number == other.number and 0 <= other.start - one.end <= 3


def _has_rival(piece: Piece, value: Value, said: Sequence[Value], row: bool) -> bool:
    """Whether a value of the same kind and unit stands there that the sentence does not say; rows may omit the unit."""
    return any(
        own.kind == value.kind
        and own.unit in (value.unit, "" if row else value.unit)
        and _like_year(own) == _like_year(value)
        for own in values_of(piece.text)
        if not any(_same(own, v) for v in said)
    )


def _same(one: Value, other: Value) -> bool:
    if one.kind == other.kind == "identifier":
        return holds(one.text, other.text)
    return one.stands_for(other) or other.stands_for(one)


def _like_year(value: Value) -> bool:
    return not value.unit and any(1900 <= n <= 2100 for n in value.readings)


def _in_another_piece(value: Value, clause: Clause, statement: Statement) -> bool:
    """Whether within one statement the words belong to another clause, or in a row to another column."""
    pieces = statement.pieces
    mine = [i for i, piece in enumerate(pieces) if piece.holds(value)]
    if not mine or len(pieces) == 1 or value.counted:
        return False
    own = frozenset[str]().union(*(pieces[i].terms for i in mine))
    for i, other in enumerate(pieces):
        # what stands before may be what the value is about; columns have no order
        if i in mine or (i < mine[0] and not statement.header) or not _has_rival(other, value, clause.values, True):
            continue
        theirs = other.terms - own
        if 2 * len(theirs & clause.terms) >= max(1, len(theirs)) and theirs & clause.terms:
            return not statement.header or not (own - other.terms) & clause.terms
    return False


def names(text: str) -> list[str]:
    """Capitalised words within an English sentence; none where most are, as in a heading, and none in Chinese."""
    if is_chinese(text):
        return []
    plain = without_values(text)
    every = _WORD.findall(plain)
    if 2 * sum(word[0].isupper() for word in every) > len(every):
        return []
    return [m[0] for m in _NAME.finditer(plain) if m[0][0].isupper() and m[0].lower().removesuffix("s") not in _NO_NAME]


def misplaced_name(name: str, text: str, pool: Sequence[Statement]) -> bool:
    """Whether the sources say the rest of the clause of another name than this one."""
    clause = next((part for part in _CLAUSE.split(text) if name in part), text)
    said = wording(" ".join(names(text))).terms
    rest = wording(clause).terms - said
    holders = [s for s in pool if wording(name).terms <= s.words.terms]
    if not holders or not rest:
        return False
    best = max(pool, key=lambda s: len(rest & s.words.terms))
    closest = max(_near(rest, s, pool) for s in holders)
    if closest < ABOUT * len(rest & best.words.terms):
        return bool(names(best.text)) and not said & best.words.terms
    here = [s for s in holders if _near(rest, s, pool) == closest]
    return all(_of_the_name_before(wording(name).terms, rest, said, s) for s in here)


def _of_the_name_before(name: frozenset[str], rest: frozenset[str], said: frozenset[str], statement: Statement) -> bool:
    """Whether within one statement the rest stands in an earlier clause, with another name that is not said.

    Only earlier: what follows the clause of a name may still be about it ("Keller met Weber and presented the plan").
    """
    pieces = statement.pieces
    mine = next((i for i, piece in enumerate(pieces) if name <= piece.terms), 0)
    for other in pieces[:mine]:
        named = wording(" ".join(_capitals(other.text))).terms
        theirs = other.terms - pieces[mine].terms - named
        if theirs & rest and 2 * len(theirs & rest) >= len(theirs) and named - said:
            return True
    return False


def _capitals(text: str) -> list[str]:
    return [word for word in _WORD.findall(text)[0 if text[:1].isspace() else 1 :] if word[0].isupper()]
