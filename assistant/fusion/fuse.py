"""fuse: the routes' hits → one ledger, best first."""

from __future__ import annotations

import time
from collections.abc import Container, Mapping, Sequence

from assistant.fusion import FUSIONS, Scale
from assistant.settings import Retrieval
from assistant.trace import Candidate, Fused, Passage, Reading, Retrieved, RouteScore


def fuse(
    found: Sequence[Retrieved],
    passages: Sequence[Passage],
    settings: Retrieval,
    identifiers: Sequence[str] = (),
    present: Mapping[str, frozenset[str]] | None = None,
) -> Fused:
    """Every chunk that any route found, by the sum of its shares; equal sums by chunk id. Empty when nothing was found.

    `present`: chunk id → which of the query's terms it holds. Passages that are missing (deleted meanwhile) drop out.
    """
    started = time.perf_counter()
    weights, why = route_weights(settings, identifiers, found)
    texts = {p.chunk_id: p for p in passages}
    lines = _ledgers(found, texts, settings, weights)
    sums = {i: sum(line.share for line in ledger) for i, ledger in lines.items()}
    order = sorted(lines, key=lambda i: (-sums[i], i))
    terms = tuple(dict.fromkeys(t.text for r in found for t in r.terms))
    held = present or {}
    candidates = tuple(
        _candidate(i, rank, lines[i], sums[i], terms, held.get(i, frozenset())) for rank, i in enumerate(order, 1)
    )
    return Fused(
        attempt=found[0].attempt if found else 1,
        seconds=time.perf_counter() - started,
        method=settings.fusion,
        parts=tuple(dict.fromkeys(r.query for r in found)),
        weights=weights,
        weights_why=why,
        rrf_k=settings.rrf_k if settings.fusion == "reciprocal_rank" else None,
        identifiers=tuple(identifiers),
        candidates=candidates,
        passages=tuple(texts[i] for i in order),
    )


def route_weights(
    settings: Retrieval, identifiers: Sequence[str], found: Sequence[Retrieved]
) -> tuple[dict[str, float], str]:
    """{route: weight} and the sentence why; a route without a weight of its own counts 0.5."""
    if identifiers:
        known = {"vector": settings.identifier_vector_weight, "text": settings.identifier_text_weight}
        why = f"the query names {', '.join(identifiers)}: exact words count more"
    else:
        known = {"vector": settings.vector_weight, "text": settings.text_weight}
        why = "no identifier or number in the query"
    return {r: known.get(r, 0.5) for r in dict.fromkeys(f.route for f in found)}, why


def _ledgers(
    found: Sequence[Retrieved], known: Container[str], settings: Retrieval, weights: Mapping[str, float]
) -> dict[str, tuple[RouteScore, ...]]:
    """Chunk id → one line of each route, for the chunks that are known."""
    normalise = FUSIONS.part(settings.fusion)
    columns = [(_lines(r, normalise(r, settings), weights[r.route]), _no_line(r, weights[r.route])) for r in found]
    ids = dict.fromkeys(h.chunk_id for r in found for h in r.hits if h.chunk_id in known)
    return {i: tuple(lines.get(i, no_line) for lines, no_line in columns) for i in ids}


def _lines(found: Retrieved, scale: Scale, weight: float) -> dict[str, RouteScore]:
    """Chunk id → this route's line, for its hits."""
    return {
        hit.chunk_id: RouteScore(
            route=found.route,
            part=found.part,
            rank=hit.rank,
            raw=Reading.of(hit.score, found.unit),
            normalised=Reading.of(scale.scores[hit.chunk_id], scale.unit),
            weight=weight,
            share=weight * scale.scores[hit.chunk_id],
        )
        for hit in found.hits
    }


def _no_line(found: Retrieved, weight: float) -> RouteScore:
    """This route's line for every chunk that it did not find: the same for all of them."""
    missing = _missing(found)
    return RouteScore(route=found.route, part=found.part, raw=missing, normalised=missing, weight=weight, share=0.0)


def _missing(found: Retrieved) -> Reading:
    if found.state == "failed":
        return Reading.failed(found.why, found.unit)
    if found.state != "done":
        return Reading.not_run(found.why or found.state, found.unit)
    return Reading.not_run(f"not among the first {found.depth} of this route", found.unit)


def _candidate(
    chunk_id: str,
    rank: int,
    lines: tuple[RouteScore, ...],
    fused: float,
    terms: Sequence[str],
    present: frozenset[str],
) -> Candidate:
    return Candidate(
        chunk_id=chunk_id,
        routes=lines,
        fused=Reading.of(fused, "fused"),
        fused_rank=rank,
        present=tuple(t for t in terms if t in present),
        absent=tuple(t for t in terms if t not in present),
    )
