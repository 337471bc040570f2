"""No reranker: the fused order stands."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.rerank.scored import Asked, Scored
from assistant.settings import Retrieval
from assistant.trace import Passage


def scores(asked: Asked, passages: Sequence[Passage], settings: Retrieval) -> Scored:
    """Nothing is scored."""
    return Scored(state="not_run", why="no reranker chosen")
