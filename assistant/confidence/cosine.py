"""cosine_z: how far the best chunk stands out in meaning from all others."""

from __future__ import annotations

from assistant.confidence.evidence import Evidence, Measured, missing
from assistant.trace import Reading


def measure(evidence: Evidence) -> Measured:
    """(top cosine − mean cosine to all chunks) / their standard deviation, divided by 10 and clipped to 0–1.

    In standard deviations rather than as a bare cosine, because each embedder has its own range of cosines.
    """
    found = evidence.vector
    if found is None or found.background is None:
        return missing("the vector route did not finish", "standard deviations")
    background = found.background
    if not found.hits or background.chunks < 2 or background.deviation <= 1e-9:
        return missing("too few chunks to tell what is usual", "standard deviations")
    z = (found.hits[0].score - background.mean) / background.deviation
    why = f"the nearest chunk stands {z:.1f} standard deviations above the average of {background.chunks} chunks"
    return Measured(Reading.of(z, "standard deviations"), Reading.of(min(1.0, max(0.0, z / 10))), why)
