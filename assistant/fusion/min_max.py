"""Min-max fusion: each route's scores stretched to 0–1 over its own hits."""

from __future__ import annotations

from assistant.fusion import Scale
from assistant.settings import Retrieval
from assistant.trace import Retrieved


def normalise(found: Retrieved, settings: Retrieval) -> Scale:
    """(score − lowest) / (highest − lowest): 1 for the best hit, 0 for the last; all 1 when they are equal."""
    if not found.hits:
        return Scale({}, "min-max")
    scores = [hit.score for hit in found.hits]
    low, high = min(scores), max(scores)
    if high <= low:
        return Scale({hit.chunk_id: 1.0 for hit in found.hits}, "min-max")
    return Scale({hit.chunk_id: (hit.score - low) / (high - low) for hit in found.hits}, "min-max")
