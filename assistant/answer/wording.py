"""The words that a sentence is compared by: without function words, endings and values."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from assistant.answer.values import values_of
from assistant.language import ASKING_WORDS
from assistant.tokens import tokens

_FUNCTION_WORDS = """
not no nor only also both each every any some all such if then else while because so but up out over under per via
within during before after until unless upon between more most less least further other another same own very just who
according source sources document documents text states stated says said mentions mentioned note yes means namely
however therefore thus additionally moreover furthermore finally first there here etc one
"""
_FUNCTION = ASKING_WORDS | frozenset(_FUNCTION_WORDS.split())
_FUNCTION_HAN = frozenset(
    "的了是在和与及或也都就为被把对从到于由这那其它们将会能可应该等之以所而且并但如若则每各需须向给让使按后前时中内上下个"
    "不没未无有"
)
_ENDINGS = re.compile(
    r"(?:ational|ations?|ments?|ness|ingly|edly|ing|ied|ies|ed|es|s|ly|ion|ions|ive|able|ible|ance|ence|al|er|ers|or|ors|e|y)$"
)
_SHORTEST_STEM = 4
_DOUBLED = re.compile(r"([bdgklmnprt])\1$")
_HAN = re.compile(r"[㐀-鿿]")


@dataclass(frozen=True)
class Wording:
    """The terms of a text: stems of Latin words and pairs of Han characters; `han`: its Han characters."""

    terms: frozenset[str]
    han: frozenset[str]


@lru_cache(maxsize=8192)
def wording(text: str) -> Wording:
    """What the text says beside its values (numbers, dates, identifiers): those are compared by what they mean."""
    plain = without_values(text)
    found = frozenset(t for t in map(_term, tokens(plain)) if t)
    return Wording(found, frozenset(_HAN.findall(plain)))


def joined(parts: Iterable[Wording]) -> Wording:
    """The wording of texts that stand together."""
    listed = list(parts)
    terms = frozenset[str]().union(*(p.terms for p in listed))
    return Wording(terms, frozenset[str]().union(*(p.han for p in listed)))


def without_values(text: str) -> str:
    """The text with blanks in place of its values."""
    pieces, at = [], 0
    for value in values_of(text):
        if value.counted or value.start < at:
            continue
        pieces += [text[at : value.start], " "]
        at = value.end
    return "".join(pieces) + text[at:]


def is_han(term: str) -> bool:
    """Whether a term is one of Han characters."""
    return bool(_HAN.match(term))


def _term(token: str) -> str:
    if _HAN.match(token):
        return "" if any(c in _FUNCTION_HAN for c in token) else token
    if token in _FUNCTION or token.isdigit() or (len(token) < 2 and token.isascii()):
        return ""
    return stem(token)


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The word without its ending, never shorter than four letters: submitted, submitting, submits → submit.

    Cut more boldly than for search, since whole sentences are compared: two words that fall together by mistake weigh
    little among ten.
    """
    if not word.isalpha() or not word.isascii():
        return word
    for _ in range(2):
        cut = _ENDINGS.sub("", word)
        if cut == word or len(cut) < _SHORTEST_STEM:
            break
        word = cut
    return _DOUBLED.sub(r"\1", word)
