"""Whether each sentence of an answer stands in its sources: by its words and its values, without asking a model.

A sentence is supported when the sources hold enough of the weight of its words, each of its values and names at a place
that is about the same, and nothing that says the contrary.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from assistant.answer.not_there import says_not_there
from assistant.answer.placing import clauses, misplaced, misplaced_name, names
from assistant.answer.polarity import contrary
from assistant.answer.statements import Source, Statement, in_chinese, read
from assistant.answer.values import Value, values_of
from assistant.answer.wording import SHORT_WORD, is_han, wording
from assistant.tokens import fold
from assistant.trace import Passage, Sentence, Support

ENOUGH = 0.55  # share of a sentence's weight; fixed on the tuning half of the planted sentences of the tests
IN_WORDS = 0.3  # of the weight of its words alone
VALUE_WEIGHT = 1.5  # of a number, date or identifier; a word weighs 0.7 to 1.3
COUNT_WEIGHT = 0.5  # of a small number in words, which may count what the source lists
IN_CHARACTERS = 0.5  # of a Chinese word of which a statement holds the characters, but not together
ADDS = 0.12  # what a further statement must add to the share
TOGETHER = 3  # statements at most behind one sentence
AS_GOOD = 0.7  # of the best statement's share: a named source that holds so much supports the sentence too
_GREETING = re.compile(
    r"\W*(?:hello|hi|sure|certainly|of course|yes|no|i hope this helps|in summary|let me know[^.]*"
    r"|here (?:is|are)[^.:,]{0,60}|(?:according to|based on)[^,.]*"
    r"|你好|您好|好的|当然|是的|不是|可以|总之|综上所述|希望[^。]*帮助|以下是[^。：:，]{0,40}|(?:根据|依据)[^，。]{0,15})\W*",
    re.IGNORECASE,
)
_LEAD_IN = re.compile(r"[^.。!！?？]{0,80}[:：]\W*")


@dataclass(frozen=True)
class _Said:
    """A sentence taken apart: its words, each with its weight, and its values."""

    text: str
    weights: dict[str, float]
    values: tuple[Value, ...]

    @property
    def total(self) -> float:
        return sum(self.weights.values()) + sum(map(_weight, self.values))

    def share(self, statements: Sequence[Statement]) -> float:
        """Share of its weight that the statements hold together, 0–1."""
        values = sum(_weight(v) for v in self.values if any(s.holds(v) for s in statements))
        held = self._held(statements) + values
        return min(1.0, held / self.total) if self.total else 0.0

    def stands_on(self, statements: Sequence[Statement]) -> bool:
        """Whether they hold enough of it; values alone, which many texts share, are not."""
        return self.share(statements) >= ENOUGH and self.words(statements) >= IN_WORDS

    def words(self, statements: Sequence[Statement]) -> float:
        """Share of the weight of its words, without its values; 1 when it has none."""
        whole = sum(self.weights.values())
        return self._held(statements) / whole if whole else 1.0

    def _held(self, statements: Sequence[Statement]) -> float:
        return sum(w * max((_credit(t, s) for s in statements), default=0.0) for t, w in self.weights.items())


@dataclass(frozen=True)
class _Wrong:
    """What speaks against a sentence: values and names that are absent, that belong elsewhere, and a contrary word."""

    absent: tuple[str, ...]
    elsewhere: tuple[str, ...]
    contrary: tuple[str, str] | None

    @property
    def why(self) -> str:
        """One sentence, "" when nothing does."""
        if self.absent:
            return f"not in the sources: {', '.join(self.absent)}"
        if self.elsewhere:
            return f"the sources say this of something else: {', '.join(self.elsewhere)}"
        if self.contrary is None:
            return ""
        said, held = self.contrary
        if said and held:
            return f"it says “{said}” where the source says “{held}”"
        return f"it says “{said}”, and the source does not" if said else f"the source says “{held}”, and it does not"


_NOTHING = _Wrong((), (), None)


def supported(said: Sequence[Sentence], sources: Sequence[Passage]) -> tuple[Sentence, ...]:
    """The sentences with supported, why, support, missing and citations; sources[n - 1] is what number n means.

    What the model named does not count as support; it only decides which of several good sources is shown. Without
    sources nothing is checked.
    """
    known = read(sources)
    rarity = _Rarity.of(known)
    return tuple(_checked(sentence, known, rarity) for sentence in said)


@dataclass(frozen=True)
class _Rarity:
    """How much a word says: 0.7 when every statement has it, 1.3 when none has."""

    statements: int
    counts: Counter[str]

    @classmethod
    def of(cls, sources: Sequence[Source]) -> _Rarity:
        listed = [s for source in sources for s in source.statements]
        return cls(len(listed), Counter(term for s in listed for term in s.all_words.terms))

    def said(self, text: str) -> _Said:
        return _Said(text, {t: self._weight(t) for t in wording(text).terms}, values_of(text))

    def _weight(self, term: str) -> float:
        n = self.statements
        rare = 0.7 + 0.6 * math.log((1 + n) / (1 + self.counts[term])) / math.log(1 + n) if n else 1.0
        return rare * (SHORT_WORD if len(term) == 1 and is_han(term) else 1.0)


def _checked(sentence: Sentence, sources: Sequence[Source], rarity: _Rarity) -> Sentence:
    said = rarity.said(sentence.text)
    unchecked = _not_to_check(sentence, said, sources)
    if unchecked:
        nothing = {"supported": None, "why": unchecked, "citations": sentence.named, "support": (), "missing": ()}
        return sentence.model_copy(update=nothing)
    chinese = in_chinese(sentence.text)
    readable = [s for s in sources if chinese is None or s.chinese is None or s.chinese == chinese]
    behind = _behind(said, readable)
    enough = said.stands_on(behind)
    unread = _unread(sentence, sources, readable)
    if not enough and unread:
        return _translated(sentence, said, unread)
    quoted = len(behind) == 1 and _key(behind[0].text) == _key(sentence.text)
    wrong = _NOTHING if quoted else _wrong(said, behind, readable, unread)
    support = _support(said, behind, [s for s in readable if s.number in sentence.named])
    found = tuple(dict.fromkeys(s.number for s in support)) if enough else ()
    held = min(said.share(behind), said.words(behind))
    unfound = "" if found else f"no source says this: the nearest sentences hold {held:.2f} of it"
    why = wrong.why or unfound
    return sentence.model_copy(
        update={
            "supported": not why,
            "why": why or _shown_why(sentence.named, found),
            "support": support,
            "missing": (*wrong.absent, *wrong.elsewhere),
            "citations": tuple(n for n in sentence.named if n in found) or found,
        }
    )


def _key(text: str) -> str:
    return "".join(c for c in fold(text) if c.isalnum())


def _not_to_check(sentence: Sentence, said: _Said, sources: Sequence[Source]) -> str:
    if not sources:
        return "not checked: there is no source"
    if says_not_there(sentence.text):
        return "not checked: it says what the sources do not hold"
    empty = _LEAD_IN.fullmatch(sentence.text) or _GREETING.fullmatch(sentence.text)
    if not said.total or (empty and not said.values):
        return "not checked: it states nothing"
    return ""


# ---------------------------------------------------------------- what stands behind a sentence


def _weight(value: Value) -> float:
    return COUNT_WEIGHT if value.counted else VALUE_WEIGHT


def _credit(term: str, statement: Statement) -> float:
    """How far a statement holds a word, 0–1."""
    words = statement.all_words
    if term in words.terms:
        return 1.0
    if len(term) < 2 or not is_han(term):
        return 0.0
    held = sum(c in words.han for c in term) / len(term)
    return IN_CHARACTERS * held if held >= 0.5 else 0.0


def _behind(said: _Said, sources: Sequence[Source]) -> list[Statement]:
    """The statement nearest to the sentence, then those that hold what the ones before lack."""
    chosen: list[Statement] = []
    share = 0.0
    windows = [w for source in sources for w in source.windows]
    while len(chosen) < TOGETHER and windows:
        # two sentences must be worth the second one
        best = max(windows, key=lambda w: (said.share([*chosen, w]) - 0.05 * ("\n" in w.text), -len(w.text)))
        reached = said.share([*chosen, best])
        if reached < share + (ADDS if chosen else 1e-9):
            break
        chosen.append(best)
        share = reached
    return chosen


def _support(said: _Said, behind: Sequence[Statement], named: Sequence[Source]) -> tuple[Support, ...]:
    """What stands behind the sentence, and of each other named source the statement that holds as much; best first."""
    shares = {id(s): said.share([s]) for s in behind}
    most = max(shares.values(), default=0.0)
    listed = list(behind)
    for source in named:
        near = max(source.windows, key=lambda w: (said.share([w]), -len(w.text)), default=None)
        if (
            near
            and all(s.number != source.number for s in behind)
            and said.share([near]) >= max(ENOUGH, AS_GOOD * most)
        ):
            listed.append(near)
    made = [
        Support(number=s.number, chunk_id=s.chunk_id, start=s.start, end=s.end, score=round(said.share([s]), 4))
        for s in listed
    ]
    return tuple(sorted(made, key=lambda s: -s.score))


def _shown_why(named: tuple[int, ...], found: tuple[int, ...]) -> str:
    """Why other numbers are shown than the model named, "" when they are the same."""
    if not named:
        return "the model named no source; found by comparing words"
    wrong = [n for n in named if n not in found]
    if not wrong:
        return ""
    return f"the model named {_numbers(wrong)}, but this stands in {_numbers(found)}"


def _numbers(numbers: Sequence[int]) -> str:
    return ", ".join(f"[{n}]" for n in numbers)


# ---------------------------------------------------------------- what speaks against it


def _wrong(said: _Said, behind: Sequence[Statement], sources: Sequence[Source], unread: Sequence[Source]) -> _Wrong:
    """`unread`: sources in the other language that it may stand on too: they are only asked for its values."""
    pool = [s for source in sources for s in source.statements]
    absent, elsewhere = _wrong_values(said, behind, pool, [s for source in unread for s in source.statements])
    for name in names(said.text):
        if not any(wording(name).terms <= s.all_words.terms for s in pool):
            absent += [] if unread else [name]
        elif misplaced_name(name, said.text, pool):
            elsewhere.append(name)
    opposed = contrary(said.text, "\n".join(s.text for s in behind))
    return _Wrong(tuple(dict.fromkeys(absent)), tuple(dict.fromkeys(elsewhere)), opposed)


def _wrong_values(
    said: _Said, behind: Sequence[Statement], pool: Sequence[Statement], unread: Sequence[Statement]
) -> tuple[list[str], list[str]]:
    """(values that stand nowhere, those that stand with something else)."""
    absent, elsewhere = [], []
    for clause in clauses(said.text, said.values):
        for value in clause.values:
            if any(s.holds(value) for s in pool):
                elsewhere += [value.text] if misplaced(value, clause, said.values, pool) else []
            elif not any(s.holds(value) for s in unread):
                absent += [value.text] if not value.counted or _contradicted(value, said, behind) else []
    return absent, elsewhere


def _contradicted(value: Value, said: _Said, behind: Sequence[Statement]) -> bool:
    """Whether the sources count the same thing otherwise: a small number in words may also count what they list."""
    after = _next_word(said.text, value.end)
    return any(
        own.kind == "number" and own.unit == value.unit and (own.unit or _next_word(s.text, own.end) == after)
        for s in behind
        for own in values_of(s.text, source=True)
    )


def _next_word(text: str, at: int) -> str:
    found = re.match(r"[\s-]*([A-Za-z]+|[㐀-鿿])", text[at:])
    return next(iter(wording(found[1]).terms), found[1]) if found else ""


# ---------------------------------------------------------------- the other language


def _unread(sentence: Sentence, sources: Sequence[Source], readable: Sequence[Source]) -> list[Source]:
    """Sources in the other language that it may stand on: those that the model named, or any when it named none."""
    others = [s for s in sources if s not in readable]
    return [s for s in others if s.number in sentence.named] if sentence.named else others


def _translated(sentence: Sentence, said: _Said, sources: Sequence[Source]) -> Sentence:
    """Words of another language cannot be compared; numbers, dates and identifiers can."""
    pool = [s for source in sources for s in source.statements]
    absent = tuple(v.text for v in said.values if not (v.counted or any(s.holds(v) for s in pool)))
    support = tuple(_support(said, _behind(said, sources)[:1], ()))
    return sentence.model_copy(
        update={
            "supported": False if absent else None,
            "why": _Wrong(absent, (), None).why or "not checked: the source is in another language",
            "missing": absent,
            "support": support,
            "citations": sentence.named or tuple(s.number for s in support),
        }
    )
