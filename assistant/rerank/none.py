"""No reranker: the fused order stands."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.trace import Passage


def scores(question: str, passages: Sequence[Passage]) -> dict[str, float]:
    """{}: nothing is scored."""
    return {}
