"""Whether each sentence of an answer stands in its sources: by its words and by its values, without asking a model."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from assistant.answer.not_there import says_not_there
from assistant.answer.statements import Source, Statement, all_words, in_chinese, read
from assistant.answer.values import Value, values_of
from assistant.answer.wording import Wording, is_han, wording
from assistant.trace import Passage, Sentence, Support

ENOUGH = 0.55
VALUE_WEIGHT = 1.5
HALF_PAIR = 0.4
ADDS = 0.15
MOST_TOGETHER = 3
MISPLACED = 0.2
_CLAUSES = re.compile(r"[，,；;、：:。]|\s(?:and|but|while|or)\s|而|但|并且|以及")
_LEAD_IN = re.compile(r"[^。.!！?？]{0,60}[:：]\s*\**")
_GREETING = re.compile(
    r"\W*(?:hello|hi|sure|certainly|of course|yes|no|here (?:is|are)[^.]*|according to[^,.]*|i hope this helps[^.]*"
    r"|let me know[^.]*|in summary|你好|您好|好的|当然|是的|不是|可以|以下是[^。]*|希望[^。]*帮助|综上所述|总之"
    r"|根据[^，。]{0,15})\W*",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Said:
    """A sentence taken apart: its words, each with its weight, and its values."""

    text: str
    words: Wording
    weights: dict[str, float]
    values: tuple[Value, ...]

    @property
    def total(self) -> float:
        return sum(self.weights.values()) + VALUE_WEIGHT * len(self.values)


def supported(said: Sequence[Sentence], sources: Sequence[Passage]) -> tuple[Sentence, ...]:
    """The sentences with what supports them; sources[n - 1] is what number n means.

    Sets supported, why, support, missing and citations. Without sources nothing is checked.
    """
    known = read(sources)
    rarity = _Rarity.of(known)
    return tuple(_checked(s, known, rarity) for s in said)


@dataclass(frozen=True)
class _Rarity:
    """How much a word says: 0.5 when every statement has it, 1.5 when none has."""

    statements: int
    counts: Counter[str]

    @classmethod
    def of(cls, sources: Sequence[Source]) -> _Rarity:
        words = all_words(sources)
        return cls(len(words), Counter(term for w in words for term in w.terms))

    def weight(self, term: str) -> float:
        n = self.statements
        return 0.5 + math.log((1 + n) / (1 + self.counts[term])) / math.log(1 + n) if n else 1.0


def _checked(sentence: Sentence, sources: Sequence[Source], rarity: _Rarity) -> Sentence:
    said = _read(sentence.text, rarity)
    why = _not_to_check(sentence, said, sources)
    if why:
        return sentence.model_copy(update={"supported": None, "why": why})
    chinese = in_chinese(sentence.text)
    same = [s for s in sources if s.chinese is None or chinese is None or s.chinese == chinese]
    standing = _together(said, same)
    share = _share(said, standing)
    if share < ENOUGH and _of_another_language(sentence, said, sources, same):
        return _across(sentence, said, sources)
    missing = _missing(said, standing, same)
    support = tuple(_support(said, s) for s in standing)
    if missing:
        why = f"no source says {', '.join(missing)} here"
        return sentence.model_copy(
            update={"supported": False, "why": why, "support": support, "missing": missing,
                    "citations": _shown(sentence, standing)}
        )  # fmt: skip
    if share < ENOUGH:
        return sentence.model_copy(
            update={"supported": False, "why": "no source says this", "support": support, "citations": ()}
        )
    return sentence.model_copy(
        update={"supported": True, "why": _why(sentence, standing), "support": support,
                "citations": _shown(sentence, standing)}
    )  # fmt: skip


def _not_to_check(sentence: Sentence, said: _Said, sources: Sequence[Source]) -> str:
    if not sources:
        return "not checked: there is no source"
    if says_not_there(sentence.text):
        return "not checked: it says what the sources do not hold"
    if not said.total or _GREETING.fullmatch(sentence.text) or (not said.values and _LEAD_IN.fullmatch(sentence.text)):
        return "not checked: it states nothing"
    return ""


def _read(text: str, rarity: _Rarity) -> _Said:
    words = wording(text)
    return _Said(text, words, {t: rarity.weight(t) for t in words.terms}, values_of(text))


def _credit(term: str, statement: Statement) -> float:
    if term in statement.words.terms:
        return 1.0
    if term in statement.words_above.terms:
        return 1.0
    if is_han(term):
        han = statement.words.han | statement.words_above.han
        return HALF_PAIR if all(c in han for c in term) else 0.0
    return 0.0


def _share(said: _Said, statements: Sequence[Statement]) -> float:
    """Share of the sentence's weight that the statements hold together, 0–1."""
    held = sum(w * max((_credit(t, s) for s in statements), default=0.0) for t, w in said.weights.items())
    held += VALUE_WEIGHT * sum(any(s.holds(v) for s in statements) for v in said.values)
    return held / said.total if said.total else 0.0


def _together(said: _Said, sources: Sequence[Source]) -> list[Statement]:
    """The statement nearest to the sentence, then those that hold what the ones before lack."""
    chosen: list[Statement] = []
    share = 0.0
    windows = [w for source in sources for w in source.windows]
    while len(chosen) < MOST_TOGETHER:
        # of two as good, the shorter: a pair of statements must be worth its second half
        rated = ((_share(said, [*chosen, w]), w) for w in windows)
        best = max(rated, key=lambda pair: pair[0] - 0.0001 * len(pair[1].text), default=None)
        if best is None or best[0] - share < (ADDS if chosen else 0.0001):
            break
        share = best[0]
        chosen.append(best[1])
    return chosen


def _support(said: _Said, statement: Statement) -> Support:
    return Support(
        number=statement.number, chunk_id=statement.chunk_id, start=statement.start, end=statement.end,
        score=round(min(1.0, _share(said, [statement])), 4),
    )  # fmt: skip


def _missing(said: _Said, standing: Sequence[Statement], sources: Sequence[Source]) -> tuple[str, ...]:
    """The values that no statement holds, or none that says the same as the words around them."""
    lacking = [v for v in said.values if not any(s.holds(v) for s in standing)]
    return tuple(v.text for v in lacking if not v.counted)


def _shown(sentence: Sentence, standing: Sequence[Statement]) -> tuple[int, ...]:
    found = tuple(dict.fromkeys(s.number for s in standing))
    kept = tuple(n for n in sentence.named if n in found)
    return kept or found


def _why(sentence: Sentence, standing: Sequence[Statement]) -> str:
    return ""


def _of_another_language(sentence: Sentence, said: _Said, sources: Sequence[Source], same: Sequence[Source]) -> bool:
    others = [s for s in sources if s not in same]
    if not others:
        return False
    return not sentence.named or any(s.number in sentence.named for s in others)


def _across(sentence: Sentence, said: _Said, sources: Sequence[Source]) -> Sentence:
    missing = tuple(v.text for v in said.values if not v.counted and not any(s.holds(v) for s in sources))
    if missing:
        why = f"no source says {', '.join(missing)} here"
        return sentence.model_copy(update={"supported": False, "why": why, "missing": missing})
    return sentence.model_copy(update={"supported": None, "why": "not checked: the source is in another language"})
