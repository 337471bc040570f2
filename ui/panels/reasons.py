"""Reason sentences of the records in the language of the screen."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from string import Formatter

from ui.panels.markup import said
from ui.panels.sentences import CHINESE, EITHER_WAY
from ui.panels.sentences_of_files import Pair
from ui.texts import Texts

_KINDS = {
    "": ".+?",
    "reason": ".+?",
    "list": ".+?",
    "number": r"[+\-−]?\d[\d.,]*",
    "page": r"(?:Pages?|Slides?|Sheet|In|Messages|The attachments) [^;]+?\.",
}
_NESTED = {"reason", "page"}


@lru_cache(maxsize=4096)  # most sentences stand on every card
def reason(sentence: str, lang: str) -> str:
    """The sentence in this language; the same one when it is not known, and values in it untouched.

    Records speak English, so "en" changes only what is said in the language of the question (a label, a caveat).
    """
    rules = _rules("zh" if lang == "zh" else "en")
    return next((found for rule in rules if (found := rule.apply(sentence, lang)) is not None), sentence)


def told(sentence: str, t: Texts) -> str:
    """HTML of the sentence in the language of the screen."""
    return said(reason(sentence, t.lang))


@dataclass(frozen=True)
class _Rule:
    """One pair, compiled: `pattern` with a named group for each value, `kinds` of these, pieces of the other side."""

    pattern: re.Pattern[str]
    kinds: dict[str, str]
    template: tuple[tuple[str, str], ...]

    def apply(self, sentence: str, lang: str) -> str | None:
        match = self.pattern.fullmatch(sentence)
        if match is None:
            return None
        values = {name: _value(text, self.kinds[name], lang) for name, text in match.groupdict().items()}
        return "".join(words + values.get(name, "") for words, name in self.template)


def _value(text: str, kind: str, lang: str) -> str:
    if kind in _NESTED:
        return reason(text, lang)
    return text.replace(", ", "、") if kind == "list" and lang == "zh" else text


@cache
def _rules(lang: str) -> tuple[_Rule, ...]:
    pairs: Iterable[Pair] = CHINESE if lang == "zh" else ((chinese, english) for english, chinese in EITHER_WAY)
    return tuple(_rule(known, wanted) for known, wanted in pairs)


def _rule(known: str, wanted: str) -> _Rule:
    pieces = list(Formatter().parse(known))
    kinds = {name: kind or "" for _, name, kind, _ in pieces if name}
    pattern = "".join(re.escape(words) + (_group(name, kinds[name]) if name else "") for words, name, _, _ in pieces)
    template = tuple((words, name or "") for words, name, _, _ in Formatter().parse(wanted))
    return _Rule(re.compile(pattern, re.DOTALL), kinds, template)


def _group(name: str, kind: str) -> str:
    return f"(?P<{name}>{_KINDS.get(kind, kind)})"
