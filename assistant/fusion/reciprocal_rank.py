"""Reciprocal rank fusion (Cormack, Clarke, Büttcher, SIGIR 2009): only ranks count, not how much better a hit is."""

from __future__ import annotations

from assistant.settings import Retrieval
from assistant.trace import Retrieved

UNIT = "reciprocal rank"


def normalise(found: Retrieved, settings: Retrieval) -> dict[str, float]:
    """{chunk id: 1 / (k + rank)}, rank from 1."""
    return {hit.chunk_id: 1.0 / (settings.rrf_k + hit.rank) for hit in found.hits}
