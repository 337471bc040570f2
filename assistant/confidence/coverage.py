"""coverage: how much of what the question asks about stands in the best chunk."""

from __future__ import annotations

from assistant.confidence.evidence import Evidence, Measured, missing
from assistant.language import ASKING_WORDS
from assistant.trace import Reading

UNIT = "share of idf"


def measure(evidence: Evidence) -> Measured:
    """Σ idf of the query's terms that are in the best chunk / Σ idf of all of them: 0 none, 1 all.

    A term that occurs in no chunk has the highest idf, so a question about something unknown cannot be covered.
    Question words do not count: documents rarely hold them, and their absence means nothing.
    """
    terms = [t for t in evidence.terms if t.text not in ASKING_WORDS] or list(evidence.terms)
    total = sum(t.idf for t in terms)
    if total == 0:
        return missing("the text route gave no terms", UNIT)
    if evidence.top is None:
        return missing("no chunk was found", UNIT)
    there = set(evidence.top.present)
    share = sum(t.idf for t in terms if t.text in there) / total
    absent = [t.text for t in sorted(terms, key=lambda t: -t.idf) if t.text not in there]
    why = f"the best chunk lacks {', '.join(absent[:4])}" if absent else "the best chunk holds every term asked about"
    return Measured(Reading.of(share, UNIT), Reading.of(share), why)
