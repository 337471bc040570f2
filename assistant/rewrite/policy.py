"""policy: why the last attempt failed → which rewriters are tried, in which order.

The reasons come from the records alone. All that hold are gone through from top to bottom; rewriters that ask no model
and mend something seen come first whatever their row, since they cost nothing. Without a model only those and widen
apply.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from assistant.language import ASKING_WORDS
from assistant.rewrite.content import language_asked
from assistant.rewrite.situation import Situation
from assistant.rewrite.split import parts_of
from assistant.trace import Term

FREE = ("split", "identifiers")
ALWAYS = "not convincing"

POLICY: dict[str, tuple[str, ...]] = {
    "two parts": ("split", "decompose"),
    "absent identifier": ("identifiers", "reword"),
    "other language": ("translate", "reword"),
    "nothing found": ("reword", "translate", "step_back"),
    "vague": ("reword", "hyde"),
    "low coverage": ("reword", "translate", "hyde", "step_back"),
    ALWAYS: ("hyde", "reword", "widen"),
}

FEW_DOCUMENTS = 0.1  # of a bilingual base in the language of the question: what it asks is hardly among them
MOSTLY = 0.5
COVERED = 0.75  # share of the question's idf in the best chunk; answered questions of the fitted sets lie above
VAGUE = 2.5  # nats: the words together leave more than one chunk in twelve
PRIOR_CHUNKS = 50  # as coverage counts: in a small base every word would be common


def plan(situation: Situation) -> Iterator[tuple[str, str]]:
    """(rewriter, reason) in the order in which they are tried, each rewriter once; only those that settings allow."""
    allowed = situation.settings.loop.rewriters
    rows = [(name, reason) for reason in reasons(situation) for name in POLICY[reason]]
    known = {name for names in POLICY.values() for name in names}
    rows += [(name, ALWAYS) for name in allowed if name not in known]  # a part of one's own
    first: dict[str, str] = {}
    for name, reason in sorted(rows, key=lambda row: (row[0] not in FREE, row[0] == "widen")):
        if name in allowed:
            first.setdefault(name, reason)
    yield from first.items()


def reasons(situation: Situation) -> tuple[str, ...]:
    """Every reason that holds, in the order of the table; the last one always does."""
    return tuple(reason for reason in POLICY if reason == ALWAYS or _TESTS[reason](situation))


def two_parts(situation: Situation) -> bool:
    """Whether the question asks for two things and was searched as one."""
    return len(situation.queries) < 2 and len(parts_of(situation.question)) > 1


def absent_identifier(situation: Situation) -> bool:
    """Whether a code or name of the question is in other chunks only, or in none."""
    lost = set(situation.missing)
    return bool(situation.buried) or any(t.identifier and t.text in lost for t in situation.terms)


def other_language(situation: Situation) -> bool:
    """Whether the base, or what was found, is mostly in the other language of Chinese and English."""
    own = language_asked(situation.question)
    if not own:
        return False
    other = other_of(own)
    here = sum(situation.languages.get(code, 0) for code in (own, "mixed"))
    there = situation.languages.get(other, 0)
    foreign = sum(p.language == other for p in situation.nearest)
    return there > 0 and (here <= FEW_DOCUMENTS * there or foreign > MOSTLY * len(situation.nearest))


def other_of(language: str) -> str:
    """en for zh, zh for en."""
    return "en" if language == "zh" else "zh"


def vague(situation: Situation) -> bool:
    """Whether the words of the question hardly tell one chunk from another. Words that no chunk holds are not vague."""
    meant = _meant(situation.terms)
    if any(t.identifier or not t.document_frequency for t in meant):
        return False
    return bool(situation.terms) and sum(_rarity(t) for t in meant) < VAGUE


def low_coverage(situation: Situation) -> bool:
    """Whether the best chunk lacks much of what the question asks about, weighed by rarity."""
    meant = _meant(situation.terms)
    lost = set(situation.missing)
    lacking = sum(_rarity(t) for t in meant if t.text in lost)
    return bool(meant) and lacking > (1 - COVERED) * sum(_rarity(t) for t in meant)


def nothing_found(situation: Situation) -> bool:
    """Whether no chunk came near the question at all."""
    return not situation.nearest


def _meant(terms: Sequence[Term]) -> list[Term]:
    return [t for t in terms if t.text not in ASKING_WORDS]


def _rarity(term: Term) -> float:
    """The term's idf as if the base had PRIOR_CHUNKS more chunks without it; their number follows from its idf."""
    held = term.document_frequency + 0.5
    chunks = math.exp(term.idf) * held - 1 + PRIOR_CHUNKS
    return math.log(1 + max(0.0, chunks - term.document_frequency + 0.5) / held)


_TESTS: dict[str, Callable[[Situation], bool]] = {
    "two parts": two_parts,
    "absent identifier": absent_identifier,
    "other language": other_language,
    "nothing found": nothing_found,
    "vague": vague,
    "low coverage": low_coverage,
}
