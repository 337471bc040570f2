"""The answer: who writes it, its check by the model, and at most one more draft."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from assistant.answer import WRITERS
from assistant.answer.brief import Brief
from assistant.answer.decline import decline
from assistant.answer.verify import apply, instruction, verify
from assistant.answer.written import continue_answer
from assistant.effort import SURE
from assistant.flow.progress import Parts, Progress, allowed, helper
from assistant.tokens import tokens
from assistant.trace import Answered, Step, Trace


def write(parts: Parts, now: Progress) -> Iterator[Step]:
    """The answer as it comes about: Deltas, Answered, and what checking it brought."""
    brief = brief_of(parts, now)
    if now.trace.answered is not None:
        yield from continue_answer(brief, now.trace.answered)
        return
    if brief.decided.decision == "decline" or not brief.evidence:
        yield _declined(parts, now.trace, brief)
        return
    answered: Answered | None = None
    for step in WRITERS.build(parts.settings.answering.writer, brief):
        answered = step if isinstance(step, Answered) else answered
        yield step
    if answered is not None and _worth_checking(parts, now, answered):
        yield from _checked(parts, now, brief, answered)


def brief_of(parts: Parts, now: Progress) -> Brief:
    """What a writer is told, from the trace."""
    trace, decided = now.trace, now.trace.last("decided")
    condensed = trace.last("condensed")
    found = trace.of_kind("retrieved", decided.best_attempt)
    terms = {part: tuple(t for r in found if r.part == part for t in r.terms) for part in {r.part for r in found}}
    brief = Brief(
        question=condensed.standalone,
        decided=decided,
        evidence=_evidence(trace),
        parts=tuple(terms[part] for part in sorted(terms)),
        settings=parts.settings,
        embedder=parts.embedder,
        history=trace.history,
        added=frozenset(term for words in condensed.added for term in tokens(words)),
        limited_by=trace.confidence.limited_by if trace.confidence else "",
        follows=condensed.standalone != condensed.original,
        chat=parts.chat,
        cancel=parts.cancel,
        on_state=now.on_state("answer", parts.chat),
    )
    return replace(brief, declined=lambda: _declined(parts, trace, brief))


def _evidence(trace: Trace) -> tuple[Any, ...]:
    kept = (c for c in trace.candidates() if c.final_rank)
    return tuple((c, p) for c in kept if (p := trace.passage(c.chunk_id)) is not None)


def _declined(parts: Parts, trace: Trace, brief: Brief) -> Answered:
    queries = tuple(dict.fromkeys(r.query for r in trace.of_kind("retrieved")))
    return decline(brief, trace.base, queries, _titles(parts, brief.evidence))


def _titles(parts: Parts, evidence: Sequence[Any]) -> tuple[str, ...]:
    """What the base does hold: the nearest documents first, then others, five at most."""
    near = [p.title or p.document for _, p in evidence]
    return tuple(dict.fromkeys([*near, *parts.base.document_titles(5)]))[:5]


def _worth_checking(parts: Parts, now: Progress, answered: Answered) -> bool:
    """Whether the model checks the answer: only what a model wrote to its end, and not when all is sure anyway."""
    written = answered.model != "" and answered.decision != "decline" and answered.state == "complete"
    confidence = now.trace.confidence
    sure = confidence is not None and confidence.value >= SURE and all(s.supported for s in answered.sentences)
    return written and allowed(parts).verifies and not sure


def _checked(parts: Parts, now: Progress, brief: Brief, answered: Answered) -> Iterator[Step]:
    sources = tuple(p for _, p in brief.evidence)
    while (chat := helper(parts, now)) is not None:
        on_state = now.on_state("verify", chat)
        verified = verify(answered, sources, brief.question, chat, parts.cancel, on_state)
        yield verified
        if verified.outcome != "rewrite":
            if verified.outcome in ("marked", "declined"):
                yield apply(answered, verified)
            return
        first = apply(answered, verified)  # stands, with its marks, unless a whole second draft comes
        yield first
        again = replace(brief, draft=2, instruction=instruction(verified, answered))
        second: Answered | None = None
        for step in WRITERS.build(parts.settings.answering.writer, again):
            second = step if isinstance(step, Answered) and step.model else second
            yield step
        if second is None or second.stopped_by in ("stopped", "incomplete"):
            yield first
            return
        if second.state != "complete" or second.decision == "decline":
            return
        answered = second
