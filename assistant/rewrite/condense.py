"""condense: a follow-up that cannot stand alone gets the key terms of the question before it, and says so."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assistant.language import ASKING_WORDS
from assistant.tokens import query_terms
from assistant.trace import Condensed, Turn

_FOLLOWS = re.compile(
    r"^(?:那么?(?!里)|还有|另外|然后|而(?!且))|呢[？?]?\s*$|^(?:and|or|but|also|then|what about|how about)\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"(?:它们?|他们?|她们?|这个|那个|这些|那些|此|上述|前者|后者|其中|其)(?!他|中国|实|余|次)"
    r"|\b(?:it|its|they|them|their|theirs|he|him|his|she|her|hers|this|these|those|former|latter)\b",
    re.IGNORECASE,
)
FEW_TERMS = 3  # a question with more of its own words stands alone even if it says "it" somewhere
MOST_ADDED = 8


def condense(question: str, history: Sequence[Turn]) -> Condensed:
    """The question to search for. It is the question itself unless it points back to the turn before it."""
    if not history:
        return _as_asked(question, "the first question of the conversation")
    if not _points_back(question):
        return _as_asked(question, "the question stands alone")
    added = _key_terms(history[-1].question, question)
    if not added:
        return _as_asked(question, "the question before it has no terms to add")
    return Condensed(
        original=question,
        standalone=f"{question} {' '.join(added)}",
        method="terms of the last question added",
        added=added,
        why=f"the question points back; added from “{history[-1].question}”: {', '.join(added)}",
    )


def _points_back(question: str) -> bool:
    if _FOLLOWS.search(question):
        return True
    own = [t for t in query_terms(question) if t.text not in ASKING_WORDS and not _PRONOUN.fullmatch(t.text)]
    return len(own) <= FEW_TERMS and _PRONOUN.search(question) is not None


def _as_asked(question: str, why: str) -> Condensed:
    return Condensed(original=question, standalone=question, method="as asked", why=why)


def _key_terms(last: str, question: str) -> tuple[str, ...]:
    """Words of the last question that carry meaning and are not in this one, as written, in order."""
    known = {t.text for t in query_terms(question)}
    words = [re.sub(r"['’]s$", "", w) for w in re.findall(r"[\w.+#'’-]+", _ZH_QUESTION.sub(" ", last))]
    kept = [w for w in words if w.casefold() not in ASKING_WORDS and w.casefold() not in known]
    return tuple(dict.fromkeys(kept))[:MOST_ADDED]


_ZH_QUESTION = re.compile(
    r"请问|是什么|什么时候|什么|是多少|多少|怎么样|怎么|如何|为什么|哪里|哪些|哪个|哪一?年|几[个年天月次]|是谁|谁|吗|呢|有没有|是否|[的了在是有](?=\s|$)"
)
