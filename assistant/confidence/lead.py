"""lead: how clearly the best candidate leads the next one."""

from __future__ import annotations

import math

from assistant.confidence.evidence import Evidence, Measured, missing
from assistant.trace import Reading

UNIT = "share of the top score"
SMALL_BASE = 200  # chunks; below, the best one leads because there is hardly another (decisions: confidence)


def measure(evidence: Evidence) -> Measured:
    """(s1 − s2) / s1 of the fused scores: 0 = a tie, 1 = no second. Chunks with the same text count once.

    In a base of n < SMALL_BASE chunks it is weighed as √(n / SMALL_BASE) of that.
    """
    if not evidence.scored:
        return missing("no chunk was found", UNIT)
    first = evidence.scored[0][1]
    if first <= 0:
        return missing("every fused score is 0", UNIT)
    second = _second(evidence)
    lead = (first - second) / first
    share = math.sqrt(min(1.0, _chunks(evidence) / SMALL_BASE))
    why = f"fused {first:.3f} against {second:.3f} for the next"
    if share < 1:
        why += f"; with so few chunks it counts {share:.2f} times"
    return Measured(Reading.of(lead, UNIT), Reading.of(lead * share), why)


def _chunks(evidence: Evidence) -> int:
    """Chunks searched; SMALL_BASE when no route says."""
    counts = (r.chunks for r in (evidence.vector, evidence.text) if r is not None and r.chunks is not None)
    return next(counts, SMALL_BASE)


def _second(evidence: Evidence) -> float:
    """The score of the best candidate with another text, 0 when there is none."""
    top = evidence.passages[evidence.scored[0][0].chunk_id].content_key()
    others = (s for c, s in evidence.scored[1:] if evidence.passages[c.chunk_id].content_key() != top)
    return next(others, 0.0)
