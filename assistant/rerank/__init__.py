"""Reranking and the gates: from the fused order to the final one. Adding a reranker is a file and a line here.

A reranker is a function (Asked, passages best first, settings) → Scored; see rerank/scored.py.
"""

from assistant.registry import Registry
from assistant.rerank.scored import Asked, Scored

RERANKERS: Registry[Scored] = Registry(
    "reranker", {"none": "assistant.rerank.none:scores", "graded": "assistant.rerank.graded:scores"}
)

__all__ = ["RERANKERS", "Asked", "Scored"]
