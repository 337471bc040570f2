"""rerank: fused ledger → final order, with the gate that dropped each chunk that does not go on."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from assistant.rerank import RERANKERS
from assistant.settings import Retrieval
from assistant.trace import Candidate, Dropped, Fused, Passage, Place, Reading, Reranked


def rerank(fused: Fused, settings: Retrieval, neighbours: Mapping[str, Sequence[Passage]] | None = None) -> Reranked:
    """The candidates in final order: reranked, gated (duplicate, min_fused, keep), then the dropped ones.

    `neighbours`: chunk id → passages beside it in its document, added after the kept ones.
    """
    started = time.perf_counter()
    texts = {p.chunk_id: p for p in fused.passages}
    scored, state, why = _scores(fused, settings, texts)
    ordered = _by_rerank(fused.candidates, scored, settings.reranker, state, why)
    ordered = _collapse(ordered, texts)
    kept, dropped = _gate(ordered, settings)
    added = _beside(kept, neighbours or {}, {c.chunk_id for c in ordered}, settings.keep)
    kept += [_neighbour(passage, beside) for passage, beside in added]
    kept = [c.model_copy(update={"final_rank": rank}) for rank, c in enumerate(kept, 1)]
    return Reranked(
        attempt=fused.attempt,
        seconds=time.perf_counter() - started,
        reranker=settings.reranker,
        state=state,
        why=why,
        candidates=(*kept, *dropped),
        passages=tuple(passage for passage, _ in added),
    )


def _scores(fused: Fused, settings: Retrieval, texts: Mapping[str, Passage]) -> tuple[dict[str, float], str, str]:
    score = RERANKERS.part(settings.reranker)
    if settings.reranker == "none":
        return {}, "not_run", "no reranker chosen"
    try:
        return score(" ".join(fused.parts), [texts[c.chunk_id] for c in fused.candidates]), "done", ""
    except Exception as err:  # a reranker is optional: without it the fused order stands, and the record says so
        return {}, "failed", f"{type(err).__name__}: {err}"


def _by_rerank(
    candidates: Sequence[Candidate], scored: Mapping[str, float], reranker: str, state: str, why: str
) -> list[Candidate]:
    if not scored:
        reading = Reading.failed(why) if state == "failed" else Reading.not_run(why or f"{reranker} gave no score")
        return [c.model_copy(update={"rerank": reading}) for c in candidates]
    order = sorted(candidates, key=lambda c: (-scored.get(c.chunk_id, float("-inf")), c.fused_rank))
    return [
        c.model_copy(update={"rerank": Reading.of(scored[c.chunk_id], reranker), "rerank_rank": rank})
        if c.chunk_id in scored
        else c.model_copy(update={"rerank": Reading.not_run(f"{reranker} gave no score")})
        for rank, c in enumerate(order, 1)
    ]


def _collapse(candidates: Sequence[Candidate], texts: Mapping[str, Passage]) -> list[Candidate]:
    first: dict[str, str] = {}
    twins: dict[str, list[Place]] = {}
    result: list[Candidate] = []
    for c in candidates:
        passage = texts[c.chunk_id]
        leader = first.setdefault(passage.content_key(), c.chunk_id)
        if leader == c.chunk_id:
            result.append(c)
            continue
        twins.setdefault(leader, []).append(
            Place(chunk_id=c.chunk_id, document=passage.document, heading=passage.heading, pages=passage.pages)
        )
        where = texts[leader].document
        drop = Dropped(gate="duplicate", why=f"same text as a better ranked chunk of {where}")
        result.append(c.model_copy(update={"dropped": drop}))
    return [c.model_copy(update={"also_in": tuple(twins.get(c.chunk_id, ()))}) for c in result]


def _gate(candidates: Sequence[Candidate], settings: Retrieval) -> tuple[list[Candidate], list[Candidate]]:
    kept: list[Candidate] = []
    dropped: list[Candidate] = []
    for c in candidates:
        gate = c.dropped or _gate_of(c, len(kept), settings)
        if gate:
            dropped.append(c.model_copy(update={"dropped": gate}))
        else:
            kept.append(c)
    return kept, dropped


def _gate_of(candidate: Candidate, kept: int, settings: Retrieval) -> Dropped | None:
    fused = candidate.fused.value or 0.0
    if fused < settings.min_fused:
        return Dropped(gate="min_fused", why=f"fused score {fused:.3f} is below {settings.min_fused:.3f}")
    if kept >= settings.keep:
        return Dropped(gate="keep", why=f"only the first {settings.keep} go on")
    return None


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


def _neighbour(passage: Passage, beside: Candidate) -> Candidate:
    reading = Reading.not_run(f"stands beside chunk #{beside.fused_rank} in {passage.document}; added by widening")
    return Candidate(chunk_id=passage.chunk_id, routes=(), fused=reading, fused_rank=beside.fused_rank, rerank=reading)
