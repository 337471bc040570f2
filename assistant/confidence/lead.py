"""lead: how clearly the best candidate leads the next one."""

from __future__ import annotations

from assistant.confidence.evidence import Evidence, Measured, missing
from assistant.trace import Reading


def measure(evidence: Evidence) -> Measured:
    """(s1 − s2) / s1 of the fused scores: 0 = a tie, 1 = no second. Chunks with the same text are one candidate."""
    if not evidence.scored:
        return missing("no chunk was found", "share of the top score")
    first = evidence.scored[0][1]
    if first <= 0:
        return missing("every fused score is 0", "share of the top score")
    second = evidence.scored[1][1] if len(evidence.scored) > 1 else 0.0
    lead = (first - second) / first
    return Measured(
        Reading.of(lead, "share of the top score"),
        Reading.of(lead),
        f"fused {first:.3f} against {second:.3f} for the next",
    )
