"""replay: a stored trace under other settings, without retrieval and without a model."""

from __future__ import annotations

from assistant.confidence.judge import judge
from assistant.decide import decide
from assistant.effort import graded_retrieval
from assistant.fusion.fuse import fuse
from assistant.rerank import Asked
from assistant.rerank.rerank import rerank
from assistant.settings import Settings
from assistant.trace import Confidence, Fused, Reranked, Step, Trace

_COMPUTED = ("fused", "reranked", "confidence", "decided")


def replay(trace: Trace, settings: Settings) -> Trace:
    """The trace as it would be under these settings: fusion, order, confidence and decision of each attempt anew.

    What was retrieved stays; attempts are neither added nor removed; the answer and its check are left out, since they
    stood on the old order. Neighbours that widening added stay where they were found. A model's grades are those of
    the trace: passages that it did not grade then have none.
    """
    steps: list[Step] = []
    judged: list[Confidence] = []
    for step in trace.steps:
        if step.kind == "fused":
            steps += _again(trace, step, _settings_of(trace, step.attempt, settings), judged)
        elif step.kind not in (*_COMPUTED, "answered", "verified"):
            steps.append(step)
    update = {
        "steps": tuple(steps),
        "settings": settings.model_dump(mode="json"),
        "settings_hash": settings.fingerprint(),
    }
    return trace.model_copy(update=update)


def _settings_of(trace: Trace, attempt: int, settings: Settings) -> Settings:
    rewritten = trace.last("rewritten", attempt)
    return settings.changed(rewritten.changes) if rewritten else settings


def _again(trace: Trace, stored: Fused, settings: Settings, judged: list[Confidence]) -> tuple[Step, ...]:
    found = trace.of_kind("retrieved", stored.attempt)
    present = {c.chunk_id: frozenset(c.present) for c in stored.candidates}
    fused = fuse(found, stored.passages, settings.retrieval, stored.identifiers, present)
    reranked = _reranked(trace, fused, settings)
    first, embedder = trace.asked(stored.attempt), trace.base.embedder
    confidence = judge(fused, found, first, settings.judging, trace.started, reranked, embedder)
    judged.append(confidence)
    rewritten = trace.last("rewritten", stored.attempt + 1)
    decided = decide(judged, settings.judging, settings.loop, rewritten)
    return fused, reranked, confidence, decided


def _reranked(trace: Trace, fused: Fused, settings: Settings) -> Reranked:
    """The final order; by the grades of the trace where the attempt was graded and still would be."""
    stored: Reranked | None = trace.last("reranked", fused.attempt)
    if stored is None or stored.reranker != "graded":
        return rerank(fused, settings.retrieval)
    retrieval = graded_retrieval(settings) or settings.retrieval
    earlier = tuple(r for r in trace.of_kind("reranked") if r.attempt <= fused.attempt)
    again = rerank(fused, retrieval, asked=Asked(" ".join(fused.parts), earlier=earlier))
    return again.model_copy(update={"calls": stored.calls}) if again.reranker == "graded" else again
