"""What the store returns: hits of both routes and counts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Background:
    """Cosines of the query to all chunks of the scope: mean, standard deviation, how many; zeros when there is none."""

    mean: float = 0.0
    deviation: float = 0.0
    n: int = 0


@dataclass(frozen=True, slots=True)
class VectorFound:
    """The nearest chunks, best first: `cosines` are −1…1. `background` is over all chunks of the scope."""

    ids: tuple[str, ...]
    cosines: tuple[float, ...]
    background: Background


@dataclass(frozen=True, slots=True)
class TextHit:
    """One chunk found by its words. `matches`: term → (times it occurs, its share); the shares add up to `score`.

    `length`: the chunk's length in terms.
    """

    chunk_id: str
    score: float
    length: int
    matches: dict[str, tuple[int, float]]


@dataclass(frozen=True, slots=True)
class TextFound:
    """Hits of the text route by BM25, best first.

    `document_frequencies`, `n` and `average_length` are over the whole base, also when the search had a scope.
    """

    hits: tuple[TextHit, ...]
    document_frequencies: dict[str, int]
    n: int
    average_length: float


@dataclass(frozen=True, slots=True)
class Counts:
    """Rows as counted now: documents, chunks, and chunks the text index knows."""

    documents: int
    chunks: int
    postings_chunks: int
