"""content: what a question names, apart from the words that only ask."""

from __future__ import annotations

import re
from collections.abc import Iterable

from assistant.language import ASKING_WORDS, is_chinese, language_of
from assistant.tokens import Tokenizer, fold, identifiers, query_terms

SAME = 0.9  # share of common words from which on two queries find the same passages
_STEM = Tokenizer(stem=True)
_LATIN = re.compile(r"[A-Za-z][\w.+#&-]*[\w+#]")
_CAPITAL = re.compile(r"(?<=[a-z0-9,] )[A-Z][\w&-]+(?: [A-Z][\w&-]+)*")
_QUOTED = re.compile(r"[“\"「『《]([^”\"」』》]{1,40})[”\"」』》]")


def content(text: str) -> frozenset[str]:
    """The terms that carry meaning, without a plural s; empty for a question of question words."""
    meant = (t.text for t in query_terms(text) if t.text not in ASKING_WORDS)
    return frozenset(_STEM.tokens(term)[0] for term in meant)


def language_asked(question: str) -> str:
    """zh, en, or "" when it is neither; Chinese with Latin names in it is Chinese."""
    code = language_of(question)
    return {"zh": "zh", "mixed": "zh", "en": "en"}.get(code, "")


def is_in(text: str, language: str) -> bool:
    """Whether the text is in zh or en; in "" is every text."""
    return not language or language_asked(text) == language


def same_search(query: str, earlier: Iterable[str]) -> bool:
    """Whether a search for these words, in whatever order, was made already."""
    return any(_same(query, other) for other in earlier)


def _same(one: str, other: str) -> bool:
    if fold("".join(one.split())) == fold("".join(other.split())):
        return True
    if set(identifiers(one)) != set(identifiers(other)):
        return False
    words, others = content(one), content(other)
    return bool(words) and len(words & others) >= SAME * len(words | others)


def names_in(question: str) -> tuple[str, ...]:
    """What must survive in other words: codes, numbers, capitalised and quoted names; each once."""
    capitals = [] if is_chinese(question) else _CAPITAL.findall(question)
    if len(capitals) > 2:  # A Title Is Written Like This
        capitals = []
    named = {fold(name): name for name in (*codes_in(question), *capitals, *_QUOTED.findall(question))}
    return tuple(named.values())


def codes_in(question: str) -> tuple[str, ...]:
    """What survives a translation too: identifiers and numbers, and Latin words within Chinese."""
    latin = _LATIN.findall(question) if is_chinese(question) else []
    named = {fold(name): name for name in (*identifiers(question), *latin)}
    return tuple(named.values())


def holds(text: str, name: str) -> bool:
    """Whether the name occurs in the text: a word as a word, several words or Chinese word for word."""
    folded = fold(name)
    if len(query_terms(name)) > 1 and not identifiers(name):
        return folded in fold(text)
    return folded in query_words(text) or (is_chinese(name) and folded in fold(text))


def query_words(text: str) -> frozenset[str]:
    """Every term of the text, identifiers whole, in parts, and without what joins the parts: err-42 as err42."""
    terms = {t.text for t in query_terms(text)}
    return frozenset(terms | {re.sub(r"[\W_]+", "", term) for term in terms})
