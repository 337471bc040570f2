"""unknown_identifiers: identifiers and numbers in the question that occur nowhere in the documents."""

from __future__ import annotations

from assistant.confidence.evidence import Evidence, Measured, missing
from assistant.trace import Reading


def measure(evidence: Evidence) -> Measured:
    """Share of the query's identifiers that no chunk holds: 0 = all known or none asked for, 1 = all unknown."""
    if not evidence.terms:
        return missing("the text route gave no terms", "share")
    asked = [t for t in evidence.terms if t.identifier]
    unknown = [t.text for t in asked if t.document_frequency == 0]
    share = len(unknown) / len(asked) if asked else 0.0
    if unknown:
        why = f"{', '.join(unknown)} occurs nowhere in the documents"
    else:
        why = (
            "every identifier of the question occurs in the documents" if asked else "the question names no identifier"
        )
    return Measured(Reading.of(share, "share"), Reading.of(share), why)
