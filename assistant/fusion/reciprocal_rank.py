"""Reciprocal rank fusion (Cormack, Clarke, Büttcher, SIGIR 2009): only ranks count, not how much better a hit is."""

from __future__ import annotations

from assistant.fusion import Scale
from assistant.settings import Retrieval
from assistant.trace import Retrieved


def normalise(found: Retrieved, settings: Retrieval) -> Scale:
    """1 / (k + rank), rank from 1."""
    return Scale({hit.chunk_id: 1.0 / (settings.rrf_k + hit.rank) for hit in found.hits}, "reciprocal rank")
