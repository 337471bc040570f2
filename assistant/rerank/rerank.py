"""rerank: fused ledger → final order, with the gate that dropped each chunk that does not go on."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from assistant.rerank import RERANKERS
from assistant.rerank.scored import Asked, Scored
from assistant.settings import Retrieval
from assistant.trace import Candidate, Dropped, Fused, Passage, Place, Reading, Reranked


def rerank(
    fused: Fused,
    settings: Retrieval,
    neighbours: Mapping[str, Sequence[Passage]] | None = None,
    asked: Asked | None = None,
) -> Reranked:
    """The candidates in final order: reranked, gated (duplicate, min_fused, min_rerank, keep), then the dropped ones.

    `neighbours`: chunk id → passages beside it in its document, added after the kept ones. `asked`: the question and
    the model that may grade; by default the queries, and none.
    """
    started = time.perf_counter()
    texts = {p.chunk_id: p for p in fused.passages}
    scored = _scored(fused, settings, texts, asked or Asked(" ".join(fused.parts)))
    values = scored.values
    order = sorted(fused.candidates, key=lambda c: (-values.get(c.chunk_id, scored.unscored), c.fused_rank))
    leaders, twins = _collapse(order, texts)
    gates = _gates(order, leaders, texts, settings, scored)
    kept = [c for c in order if c.chunk_id not in gates]
    final = {c.chunk_id: rank for rank, c in enumerate(kept, 1)}
    why = scored.why or f"{settings.reranker} gave no score"
    unscored = Reading.failed(why) if scored.state == "failed" else Reading.not_run(why)
    ledger = [
        c.model_copy(  # one copy for all: copying is what costs here
            update={
                "rerank": scored.readings.get(c.chunk_id, unscored),
                "rerank_rank": rank if c.chunk_id in values else None,
                "final_rank": final.get(c.chunk_id),
                "dropped": gates.get(c.chunk_id),
                "also_in": tuple(twins.get(c.chunk_id, ())),
            }
        )
        for rank, c in enumerate(order, 1)
    ]
    added = _beside(kept, neighbours or {}, {c.chunk_id for c in order}, settings.keep)
    beside = [_neighbour(passage, by, len(kept) + n) for n, (passage, by) in enumerate(added, 1)]
    return Reranked(
        attempt=fused.attempt,
        seconds=time.perf_counter() - started,
        reranker=settings.reranker,
        state=scored.state,
        why=scored.why,
        candidates=(*(c for c in ledger if c.final_rank), *beside, *(c for c in ledger if not c.final_rank)),
        passages=tuple(passage for passage, _ in added),
        calls=scored.calls,
    )


def _scored(fused: Fused, settings: Retrieval, texts: Mapping[str, Passage], asked: Asked) -> Scored:
    score = RERANKERS.part(settings.reranker)
    try:
        return score(asked, [texts[c.chunk_id] for c in fused.candidates], settings)
    except Exception as err:  # a reranker is optional: without it the fused order stands, and the record says so
        return Scored(state="failed", why=f"{type(err).__name__}: {err}")


def _collapse(
    order: Sequence[Candidate], texts: Mapping[str, Passage]
) -> tuple[dict[str, str], dict[str, list[Place]]]:
    """(chunk id → the best chunk with the same text, that chunk → the places of the others)."""
    first: dict[str, str] = {}
    leaders: dict[str, str] = {}
    twins: dict[str, list[Place]] = {}
    for c in order:
        passage = texts[c.chunk_id]
        leader = leaders[c.chunk_id] = first.setdefault(passage.content_key(), c.chunk_id)
        if leader != c.chunk_id:
            twins.setdefault(leader, []).append(
                Place(chunk_id=c.chunk_id, document=passage.document, heading=passage.heading, pages=passage.pages)
            )
    return leaders, twins


def _gates(
    order: Sequence[Candidate],
    leaders: Mapping[str, str],
    texts: Mapping[str, Passage],
    settings: Retrieval,
    scored: Scored,
) -> dict[str, Dropped]:
    """Chunk id → the gate that drops it; those that go on are not in it."""
    gates: dict[str, Dropped] = {}
    values, least = scored.values, float("-inf") if scored.least is None else scored.least
    for c in order:
        leader, fused = leaders[c.chunk_id], c.fused.value or 0.0
        if leader != c.chunk_id:
            where = texts[leader].document
            gates[c.chunk_id] = Dropped(gate="duplicate", why=f"same text as a better ranked chunk of {where}")
        elif fused < settings.min_fused:
            why = f"fused score {fused:.3f} is below {settings.min_fused:.3f}"
            gates[c.chunk_id] = Dropped(gate="min_fused", why=why)
        elif values.get(c.chunk_id, least) < least:
            why = f"{settings.reranker} score {values[c.chunk_id]:g} is below {least:g}"
            gates[c.chunk_id] = Dropped(gate="min_rerank", why=why)
    going_on = [c.chunk_id for c in order if c.chunk_id not in gates]
    last = Dropped(gate="keep", why=f"only the first {settings.keep} go on")
    return gates | dict.fromkeys(going_on[settings.keep :], last)


def _beside(
    kept: Sequence[Candidate], neighbours: Mapping[str, Sequence[Passage]], known: set[str], most: int
) -> list[tuple[Passage, Candidate]]:
    """Neighbours of the kept chunks that no route found, each with the chunk it stands beside, at most `most`."""
    added: dict[str, tuple[Passage, Candidate]] = {}
    for c in kept:
        for passage in neighbours.get(c.chunk_id, ()):
            if passage.chunk_id not in known and len(added) < most:
                added.setdefault(passage.chunk_id, (passage, c))
    return list(added.values())


def _neighbour(passage: Passage, beside: Candidate, rank: int) -> Candidate:
    reading = Reading.not_run(f"stands beside chunk #{beside.fused_rank} in {passage.document}; added by widening")
    return Candidate(
        chunk_id=passage.chunk_id,
        routes=(),
        fused=reading,
        fused_rank=beside.fused_rank,
        rerank=reading,
        final_rank=rank,
    )
