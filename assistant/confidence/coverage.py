"""coverage: how much of what the question asks about stands in the best chunk."""

from __future__ import annotations

import math

from assistant.confidence.evidence import Evidence, Measured, missing
from assistant.language import ASKING_WORDS
from assistant.trace import Reading

UNIT = "share of idf"
PRIOR_CHUNKS = 50  # in a base of one chunk a missing word would otherwise weigh five times a present one


def measure(evidence: Evidence) -> Measured:
    """Σ idf of the query's terms that are in the best chunk / Σ idf of all of them: 0 none, 1 all.

    A term that occurs in no chunk has the highest idf, so a question about something unknown cannot be covered.
    Question words do not count: documents rarely hold them, and their absence means nothing. idf as if the base had
    PRIOR_CHUNKS more chunks, none of which holds a term.
    """
    terms = [t for t in evidence.terms if t.text not in ASKING_WORDS] or list(evidence.terms)
    if not terms or evidence.text is None:
        return missing("the text route gave no terms", UNIT)
    rarity = {t.text: _idf((evidence.text.chunks or 0) + PRIOR_CHUNKS, t.document_frequency) for t in terms}
    if evidence.top is None:
        return missing("no chunk was found", UNIT)
    there = set(evidence.top.present)
    share = sum(r for term, r in rarity.items() if term in there) / sum(rarity.values())
    absent = [term for term in sorted(rarity, key=lambda term: -rarity[term]) if term not in there]
    why = f"the best chunk lacks {', '.join(absent[:4])}" if absent else "the best chunk holds every term asked about"
    return Measured(Reading.of(share, UNIT), Reading.of(share), why)


def _idf(chunks: int, document_frequency: int) -> float:
    return math.log(1 + (max(0, chunks - document_frequency) + 0.5) / (document_frequency + 0.5))
