"""Fusion: the hits of all routes in one order, every share kept. Adding a method is a file and a line in `FUSIONS`.

A method is a function from one route's hits to {chunk id: normalised score}; the fused score of a chunk is the
sum over routes of weight × normalised score, so the shares add up whatever the method.
"""

from assistant.registry import Registry

FUSIONS: Registry[dict[str, float]] = Registry(
    "fusion",
    {
        "scores": "assistant.fusion.scores:normalise",
        "reciprocal_rank": "assistant.fusion.reciprocal_rank:normalise",
    },
)
