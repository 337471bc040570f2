"""AskFlow: search → judge → decide → rewrite → search … → answer, as a LlamaIndex workflow. Wiring only."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from workflows import Context, Workflow, step
from workflows.events import Event, StartEvent, StopEvent

from assistant.answer import WRITERS
from assistant.answer.brief import Brief
from assistant.answer.decline import decline
from assistant.confidence.judge import judge
from assistant.decide import decide
from assistant.errors import AssistantError
from assistant.fusion.fuse import fuse
from assistant.providers import Embedder
from assistant.rerank.rerank import rerank
from assistant.rewrite.condense import condense
from assistant.rewrite.next_attempt import next_attempt, search_key
from assistant.rewrite.situation import Situation
from assistant.routes.route import Query
from assistant.routes.run import RouteRunner
from assistant.settings import Settings
from assistant.store.base import Base
from assistant.tokens import identifiers, tokens
from assistant.trace import Delta, Failed, Retrieved, Rewritten, Step, Trace

NEIGHBOURS_OF = 5  # widening looks beside the best five: farther down it adds more noise than answers


class StepDone(Event):
    """One finished step, as it is stored in the trace (a Delta is streamed only)."""

    step: Any


class Search(Event):
    """Ask the routes."""


class Judge(Event):
    """Compute confidence and decide."""


class Answer(Event):
    """Write or decline."""


@dataclass
class Parts:
    """What a question is worked on with."""

    base: Base
    embedder: Embedder
    runner: RouteRunner
    settings: Settings
    scope: Any = None


@dataclass
class Progress:
    """The trace so far, and where the loop stands."""

    trace: Trace
    settings: Settings
    queries: tuple[str, ...] = ()
    changes: dict[str, Any] = field(default_factory=dict)
    tried: set[str] = field(default_factory=set)
    attempt: int = 1


class AskFlow(Workflow):
    """One question from asking to answer; an instance serves one question, and `trace` is what it found so far.

    The workflow's result is only the trace's id: workflows print every result for their own log, which for a whole
    trace took 20 ms a question.
    """

    def __init__(self, parts: Parts, trace: Trace, write: bool = True) -> None:
        super().__init__(timeout=None)
        self.parts = parts
        self.write = write
        self.now = Progress(trace=trace, settings=parts.settings)

    @property
    def trace(self) -> Trace:
        """The steps so far; finished when the run is."""
        return self.now.trace

    @step
    async def begin(self, ctx: Context, ev: StartEvent) -> Search:
        """Makes the question stand alone."""
        asked = condense(self.now.trace.question, self.now.trace.history)
        self.now.queries = (asked.standalone,)
        self._done(ctx, asked)
        return Search()

    @step
    async def search(self, ctx: Context, ev: Search) -> Judge | StopEvent:
        """Routes side by side, fused and gated."""
        self.now.tried.add(search_key(self.now.queries, self.now.changes))
        searched = await asyncio.to_thread(self._search)
        for found in searched:
            self._done(ctx, found)
        routes = [s for s in searched if isinstance(s, Retrieved)]
        if any(r.state == "done" for r in routes):
            return Judge()
        reasons = "; ".join(f"{r.route}: {r.why}" for r in routes)
        self._done(ctx, Failed(attempt=self.now.attempt, stage="search", message=f"No route could search: {reasons}."))
        return StopEvent(result=self.now.trace.id)

    @step
    async def judge(self, ctx: Context, ev: Judge) -> Search | Answer:
        """Confidence, decision, and the next attempt if there is to be one."""
        now, trace = self.now, self.now.trace
        found = trace.of_kind("retrieved", now.attempt)
        fused = trace.last("fused", now.attempt)
        first = trace.of_kind("retrieved", 1)
        self._done(ctx, judge(fused, found, first, now.settings.judging, trace.started))
        retry = self._retry()
        judged = [self.now.trace.last("confidence", a) for a in range(1, now.attempt + 1)]
        decided = decide(judged, now.settings.judging, now.settings.loop, retry)
        self._done(ctx, decided)
        if decided.decision != "rewrite" or retry is None:
            return Answer()
        self._done(ctx, retry)
        now.attempt, now.queries, now.changes = retry.attempt, retry.queries, dict(retry.changes)
        now.settings = self.parts.settings.changed(retry.changes)
        return Search()

    @step
    async def answer(self, ctx: Context, ev: Answer) -> StopEvent:
        """The answer, or why there is none."""
        if self.write:
            queue: asyncio.Queue[Step | None] = asyncio.Queue()
            loop = asyncio.get_running_loop()
            writing = asyncio.create_task(asyncio.to_thread(self._write, queue, loop))
            while (piece := await queue.get()) is not None:
                self._done(ctx, piece)
            await writing
        return StopEvent(result=self.now.trace.id)

    def _done(self, ctx: Context, finished: Step) -> None:
        if not isinstance(finished, Delta):
            self.now.trace = self.now.trace.plus(finished)
        ctx.write_event_to_stream(StepDone(step=finished))

    def _search(self) -> tuple[Step, ...]:
        now, retrieval = self.now, self.now.settings.retrieval
        queries = [Query(q, retrieval.depth, now.attempt, i, self.parts.scope) for i, q in enumerate(now.queries)]
        found = self.parts.runner.retrieve(queries, retrieval.seconds_per_route, retrieval.routes)
        names = tuple(dict.fromkeys(i for q in now.queries for i in identifiers(q)))
        ids = list(dict.fromkeys(h.chunk_id for r in found for h in r.hits))
        asked = (*now.trace.of_kind("retrieved", 1), *found)
        terms = list(dict.fromkeys(t.text for r in asked for t in r.terms))
        passages = self.parts.base.passages(ids)
        present = self.parts.base.term_matches(ids, terms)
        fused = fuse(found, passages, retrieval, names, present)
        return (*found, fused, rerank(fused, retrieval, self._neighbours(fused.candidates)))

    def _neighbours(self, candidates: Sequence[Any]) -> dict[str, Any]:
        reach = self.now.settings.retrieval.neighbours
        if not reach:
            return {}
        return {c.chunk_id: self.parts.base.neighbours(c.chunk_id, reach) for c in candidates[:NEIGHBOURS_OF]}

    def _retry(self) -> Rewritten | None:
        now = self.now
        question = now.trace.last("condensed").standalone
        exhausted = len(now.trace.candidates(now.attempt)) >= now.trace.base.chunks
        situation = Situation(question, now.queries, self._buried(), now.settings, exhausted)
        return next_attempt(situation, now.changes, frozenset(now.tried), now.attempt + 1).rewritten

    def _buried(self) -> tuple[str, ...]:
        """Codes and names of the question that the documents hold, but the best chunk does not.

        Plain numbers are left out: a year alone finds every text of that year.
        """
        asked = [t for r in self.now.trace.of_kind("retrieved", 1) for t in r.terms]
        best = next(iter(self.now.trace.candidates(self.now.attempt)), None)
        there = set(best.present) if best else set()
        known = (t.text for t in asked if t.identifier and t.document_frequency and t.text not in there)
        names = (name for name in known if not name.rstrip("s").isdigit())
        return tuple(dict.fromkeys(names))

    def _write(self, queue: asyncio.Queue[Step | None], loop: asyncio.AbstractEventLoop) -> None:
        def put(piece: Step | None) -> None:
            loop.call_soon_threadsafe(queue.put_nowait, piece)

        try:
            for piece in self._answer():
                put(piece)
        except AssistantError as err:
            put(Failed(attempt=self.now.attempt, stage="answer", message=str(err)))
        finally:
            put(None)

    def _answer(self) -> Any:
        trace, decided = self.now.trace, self.now.trace.last("decided")
        evidence = tuple(
            (c, p) for c in trace.candidates() if c.final_rank and (p := trace.passage(c.chunk_id)) is not None
        )
        found = trace.of_kind("retrieved", decided.best_attempt)
        parts = {part: tuple(t for r in found if r.part == part for t in r.terms) for part in {r.part for r in found}}
        brief = Brief(
            question=trace.last("condensed").standalone,
            decided=decided,
            evidence=evidence,
            parts=tuple(parts[part] for part in sorted(parts)),
            settings=self.parts.settings,
            embedder=self.parts.embedder,
            history=trace.history,
            added=frozenset(term for words in trace.last("condensed").added for term in tokens(words)),
            limited_by=trace.confidence.limited_by if trace.confidence else "",
        )
        if decided.decision == "decline" or not evidence:
            queries = tuple(dict.fromkeys(r.query for r in trace.of_kind("retrieved")))
            yield decline(brief, trace.base, queries, self._titles(evidence))
            return
        yield from WRITERS.build(self.parts.settings.answering.writer, brief)

    def _titles(self, evidence: Sequence[Any]) -> tuple[str, ...]:
        """What the base does hold: the nearest documents first, then others, five at most."""
        near = [p.title or p.document for _, p in evidence]
        return tuple(dict.fromkeys([*near, *self.parts.base.document_titles(5)]))[:5]
