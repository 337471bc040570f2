"""Score fusion on fixed scales: what a score means does not depend on which other chunks were found."""

from __future__ import annotations

from assistant.fusion import Scale, min_max
from assistant.settings import Retrieval
from assistant.trace import Background, Retrieved

K1 = 1.2


def normalise(found: Retrieved, settings: Retrieval) -> Scale:
    """Cosines as headroom, BM25 as share of its bound, both 0–1; a route with neither scale by its own range (min-max).

    BM25's bound is Σ idf × (k1 + 1): what a chunk that repeated every term without end would reach.
    """
    if found.background is not None:
        return Scale({h.chunk_id: headroom(h.score, found.background) for h in found.hits}, "headroom")
    bound = sum(t.idf for t in found.terms) * (K1 + 1)
    if bound > 0:
        return Scale({h.chunk_id: min(1.0, max(0.0, h.score / bound)) for h in found.hits}, "share of the bound")
    return min_max.normalise(found, settings)


def headroom(cosine: float, background: Background) -> float:
    """(cosine − mean) / (1 − mean), 0–1: 0 = as near as any chunk is on average, 1 = the same text.

    Each embedder has its own range of cosines (0.8 is average for one, high for another); this takes it out.
    """
    room = 1.0 - background.mean
    return min(1.0, max(0.0, (cosine - background.mean) / room)) if room > 1e-9 else 0.0
