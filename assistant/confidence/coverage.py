"""coverage: how much of what the question asks about stands in the best chunk."""

from __future__ import annotations

from assistant.confidence.evidence import Evidence, Measured, missing
from assistant.trace import Reading


def measure(evidence: Evidence) -> Measured:
    """Σ idf of the query's terms that are in the best chunk / Σ idf of all of them: 0 none, 1 all.

    A term that occurs in no chunk has the highest idf, so a question about something unknown cannot be covered.
    """
    top = evidence.top
    total = sum(t.idf for t in evidence.terms)
    if not evidence.terms or total == 0:
        return missing("the text route gave no terms", "share of idf")
    if top is None:
        return Measured(Reading.of(0.0, "share of idf"), Reading.of(0.0), "no chunk was found")
    there = set(top.present)
    share = sum(t.idf for t in evidence.terms if t.text in there) / total
    absent = [t.text for t in sorted(evidence.terms, key=lambda t: -t.idf) if t.text not in there]
    why = (
        f"the best chunk lacks {', '.join(absent[:4])}" if absent else "the best chunk holds every term of the question"
    )
    return Measured(Reading.of(share, "share of idf"), Reading.of(share), why)
