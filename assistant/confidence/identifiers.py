"""identifiers: whether the names, codes and numbers of the question stand in the best chunk."""

from __future__ import annotations

from assistant.confidence.evidence import Evidence, Measured, missing
from assistant.trace import Reading

UNIT = "share of identifiers"


def measure(evidence: Evidence) -> Measured:
    """2 × share of the query's identifiers in the best chunk − 1: 1 = all, −1 = none, 0 = the question names none."""
    if not evidence.terms:
        return missing("the text route gave no terms", UNIT)
    asked = [t for t in evidence.terms if t.identifier]
    if not asked:
        return Measured(Reading.not_run("the question names no identifier", UNIT), Reading.of(0.0), "none to look for")
    there = set(evidence.top.present) if evidence.top else set()
    share = sum(t.text in there for t in asked) / len(asked)
    unknown = [t.text for t in asked if t.document_frequency == 0]
    absent = [t.text for t in asked if t.text not in there]
    if unknown:
        why = f"{', '.join(unknown)} occurs nowhere in the documents"
    else:
        why = f"the best chunk does not hold {', '.join(absent)}" if absent else "the best chunk holds every identifier"
    return Measured(Reading.of(share, UNIT), Reading.of(2 * share - 1), why)
