"""Fusion: the hits of all routes in one order, every share kept. Adding a method is a file and a line in `FUSIONS`.

A method is a function from one route's hits to a `Scale`; the fused score of a chunk is the sum over routes of weight ×
normalised score, so the shares add up whatever the method.
"""

from typing import NamedTuple

from assistant.registry import Registry


class Scale(NamedTuple):
    """A route's scores as they are added up: {chunk id: normalised score}, and the name of that scale."""

    scores: dict[str, float]
    unit: str


FUSIONS: Registry[Scale] = Registry(
    "fusion",
    {
        "scores": "assistant.fusion.scores:normalise",
        "min_max": "assistant.fusion.min_max:normalise",
        "reciprocal_rank": "assistant.fusion.reciprocal_rank:normalise",
    },
)
