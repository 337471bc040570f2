"""Reranking and the gates: from the fused order to the final one. Adding a reranker is a file and a line here.

A reranker is a function (question, passages best first) → {chunk id: score}, higher is better.
"""

from assistant.registry import Registry

RERANKERS: Registry[dict[str, float]] = Registry("reranker", {"none": "assistant.rerank.none:scores"})
