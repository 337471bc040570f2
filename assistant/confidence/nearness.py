"""nearness: how much nearer the best chunk is in meaning than chunks are on average."""

from __future__ import annotations

from assistant.confidence.evidence import Evidence, Measured, missing
from assistant.fusion.scores import headroom
from assistant.trace import Reading


def measure(evidence: Evidence) -> Measured:
    """Headroom of the highest cosine, (top − mean) / (1 − mean): 0 = average, 1 = the same text."""
    found = evidence.vector
    if found is None or found.background is None:
        return missing("the vector route did not finish", "cosine")
    if not found.hits:
        return missing("no chunk was found", "cosine")
    top, mean = found.hits[0].score, found.background.mean
    value = headroom(top, found.background)
    others = f" and {found.background.references} unrelated texts" if found.background.references else ""
    why = (
        f"the nearest chunk has cosine {top:.3f}; the average of {found.background.chunks} chunks{others} is {mean:.3f}"
    )
    return Measured(Reading.of(top, "cosine"), Reading.of(value), why)
