"""The parts of the loop before the answer: records and settings in, steps out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from assistant.confidence.judge import judge
from assistant.decide import decide, wants_retry
from assistant.effort import SURE, graded_retrieval
from assistant.flow.progress import Parts, Progress, allowed, helper
from assistant.fusion.fuse import fuse
from assistant.rerank import Asked
from assistant.rerank.rerank import rerank
from assistant.rewrite.condense import condense
from assistant.rewrite.next_attempt import Next, next_attempt
from assistant.rewrite.situation import Situation
from assistant.routes.route import Query
from assistant.settings import Retrieval
from assistant.tokens import identifiers
from assistant.trace import Condensed, Confidence, Fused, Passage, Reranked, Step

NEIGHBOURS_OF = 5  # widening looks beside the best five: farther down it adds more noise than answers
NEAREST = 3


def stand_alone(parts: Parts, now: Progress) -> Condensed:
    """The question made to stand alone."""
    chat = helper(parts, now) if allowed(parts).condenses else None
    trace = now.trace
    return condense(trace.question, trace.history, chat, parts.cancel, now.on_state("condense", chat))


def search(parts: Parts, now: Progress) -> Iterator[Step]:
    """What the routes found, fused and in final order."""
    retrieval = now.settings.retrieval
    queries = [Query(q, retrieval.depth, now.attempt, i, parts.scope, now.imagined) for i, q in enumerate(now.queries)]
    found = parts.runner.retrieve(queries, retrieval.seconds_per_route, retrieval.routes)
    yield from found
    names = tuple(dict.fromkeys(i for q in now.queries for i in identifiers(q)))
    ids = list(dict.fromkeys(h.chunk_id for r in found for h in r.hits))
    asked = (*now.trace.of_kind("retrieved", 1), *found)
    terms = list(dict.fromkeys(t.text for r in asked for t in r.terms))
    passages = parts.base.passages(ids)
    present = parts.base.term_matches(ids, terms)
    fused = fuse(found, passages, retrieval, names, present)
    yield fused
    yield _reranked(parts, now, fused, retrieval)


def judged(now: Progress, reranked: Reranked | None = None) -> Confidence:
    """The confidence of the attempt under way. `reranked`: its final order, the one in the trace when not given."""
    trace, attempt, judging = now.trace, now.attempt, now.settings.judging
    found, order = trace.of_kind("retrieved", attempt), reranked or trace.last("reranked", attempt)
    fused, first = trace.last("fused", attempt), trace.asked(attempt)
    return judge(fused, found, first, judging, trace.started, order, trace.base.embedder)


def graded(parts: Parts, now: Progress) -> Iterator[Step]:
    """The attempt reranked by grades and judged again, when the effort allows it and there is something to gain."""
    trace, retrieval = now.trace, graded_retrieval(now.settings)
    sure = trace.last("confidence", now.attempt).value >= SURE
    done = trace.last("reranked", now.attempt).reranker == "graded"
    if sure or done or retrieval is None or helper(parts, now) is None:
        return
    reranked = _reranked(parts, now, trace.last("fused", now.attempt), retrieval)
    yield reranked
    yield judged(now, reranked)


def _reranked(parts: Parts, now: Progress, fused: Fused, retrieval: Retrieval) -> Reranked:
    chat = helper(parts, now)
    asked = Asked(
        now.trace.last("condensed").standalone,
        chat,
        parts.cancel,
        now.on_state("grade", chat),
        now.trace.of_kind("reranked"),
    )
    return rerank(fused, retrieval, _neighbours(parts, now, fused.candidates), asked)


def decided(parts: Parts, now: Progress) -> tuple[Step, ...]:
    """The decision, and the next attempt when there is to be one."""
    loop, judging = now.settings.loop, now.settings.judging
    all_judged = [now.trace.last("confidence", a) for a in range(1, now.attempt + 1)]
    ahead = _next(parts, now) if wants_retry(all_judged, judging, loop) else Next(None)
    decision = decide(all_judged, judging, loop, ahead.rewritten).model_copy(update={"calls": ahead.calls})
    if decision.decision == "rewrite" and ahead.rewritten is not None:
        return decision.model_copy(update={"calls": ()}), ahead.rewritten
    return (decision,)


def _next(parts: Parts, now: Progress) -> Next:
    return next_attempt(_situation(parts, now), now.changes, frozenset(now.tried), now.attempt + 1)


def _situation(parts: Parts, now: Progress) -> Situation:
    trace = now.trace
    candidates = trace.candidates(now.attempt)
    best = candidates[0] if candidates else None
    terms = tuple(t for r in trace.of_kind("retrieved", 1) for t in r.terms)
    there = set(best.present) if best else set()
    left = _rewrites_left(parts, now)
    chat = helper(parts, now) if left > 0 else None
    return Situation(
        question=trace.last("condensed").standalone,
        queries=now.queries,
        buried=_buried(terms, there),
        settings=now.settings,
        exhausted=len(candidates) >= trace.base.chunks,
        terms=terms,
        missing=tuple(dict.fromkeys(t.text for t in terms if t.text not in there)),
        nearest=_nearest(now),
        titles=parts.base.document_titles(10) if chat else (),
        confidence=trace.last("confidence", now.attempt),
        languages=parts.base.languages() if chat else {},
        searched=tuple(dict.fromkeys(r.query for r in trace.of_kind("retrieved"))),
        chat=chat,
        cancel=parts.cancel,
        on_state=now.on_state("rewrite", chat),
        asked=tuple(c.purpose for c in now.calls),
        calls_left=left,
    )


def _rewrites_left(parts: Parts, now: Progress) -> int:
    made = now.trace.of_kind("rewritten")
    return allowed(parts).rewrites - sum((s.call is not None) + len(s.discarded) for s in made)


def _nearest(now: Progress) -> tuple[Passage, ...]:
    kept = [c for c in now.trace.candidates(now.attempt) if c.final_rank][:NEAREST]
    return tuple(p for c in kept if (p := now.trace.passage(c.chunk_id)) is not None)


def _buried(terms: Sequence[Any], there: set[str]) -> tuple[str, ...]:
    """Codes and names of the question that the documents hold, but the best chunk does not.

    Plain numbers are left out: a year alone finds every text of that year.
    """
    known = (t.text for t in terms if t.identifier and t.document_frequency and t.text not in there)
    names = (name for name in known if not name.rstrip("s").isdigit())
    return tuple(dict.fromkeys(names))


def _neighbours(parts: Parts, now: Progress, candidates: Sequence[Any]) -> dict[str, Any]:
    reach = now.settings.retrieval.neighbours
    if not reach:
        return {}
    return {c.chunk_id: parts.base.neighbours(c.chunk_id, reach) for c in candidates[:NEIGHBOURS_OF]}
