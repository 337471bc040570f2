"""lead: how clearly the best candidate leads the next one."""

from __future__ import annotations

from assistant.confidence.evidence import Evidence, Measured, missing
from assistant.trace import Reading

UNIT = "share of the top score"


def measure(evidence: Evidence) -> Measured:
    """(s1 − s2) / s1 of the fused scores: 0 = a tie, 1 = no second. Chunks with the same text count once."""
    if not evidence.scored:
        return missing("no chunk was found", UNIT)
    first = evidence.scored[0][1]
    if first <= 0:
        return missing("every fused score is 0", UNIT)
    second = _second(evidence)
    lead = (first - second) / first
    return Measured(Reading.of(lead, UNIT), Reading.of(lead), f"fused {first:.3f} against {second:.3f} for the next")


def _second(evidence: Evidence) -> float:
    """The score of the best candidate with another text, 0 when there is none."""
    top = evidence.passages[evidence.scored[0][0].chunk_id].content_key()
    others = (s for c, s in evidence.scored[1:] if evidence.passages[c.chunk_id].content_key() != top)
    return next(others, 0.0)
