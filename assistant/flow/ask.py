"""AskFlow: one question from asking to answer, as a LlamaIndex workflow."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

from workflows import Context, Workflow, step
from workflows.events import Event, StartEvent, StopEvent

from assistant.errors import AssistantError
from assistant.flow import searching, writing
from assistant.flow.progress import Parts, Progress
from assistant.rewrite.next_attempt import search_key
from assistant.trace import Delta, Failed, Retrieved, Rewritten, Step, Trace, Working

STREAMED_ONLY = (Delta, Working)
STOPPED = "The question was stopped before it was finished; ask it again."


class StepDone(Event):
    """One finished step, as it is stored in the trace (Delta and Working are streamed only)."""

    step: Any


class Search(Event):
    """Ask the routes."""


class Judge(Event):
    """Compute confidence and decide."""


class Answer(Event):
    """Write or decline."""


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
    async def begin(self, ctx: Context, ev: StartEvent) -> Search | Answer:
        """Makes the question stand alone; a trace that has an answer already is gone on with where it ends."""
        if self.trace.answered is not None:
            self.now.attempt = self.trace.attempts
            return Answer()
        await self._follow(ctx, lambda: [searching.stand_alone(self.parts, self.now)])
        self.now.queries = (self.now.trace.last("condensed").standalone,)
        return Search()

    @step
    async def search(self, ctx: Context, ev: Search) -> Judge | StopEvent:
        """Routes side by side, fused and gated."""
        now = self.now
        now.tried.add(search_key(now.queries, now.changes, now.imagined))
        searched = await self._follow(ctx, lambda: searching.search(self.parts, now))
        routes = [s for s in searched if isinstance(s, Retrieved)]
        if any(r.state == "done" for r in routes):
            return Judge()
        reasons = "; ".join(f"{r.route}: {r.why}" for r in routes)
        self._done(ctx, Failed(attempt=now.attempt, stage="search", message=f"No route could search: {reasons}."))
        return StopEvent(result=now.trace.id)

    @step
    async def judge(self, ctx: Context, ev: Judge) -> Search | Answer | StopEvent:
        """Confidence, decision, and the next attempt if there is to be one."""
        self._done(ctx, searching.judged(self.now))
        await self._follow(ctx, lambda: searching.graded(self.parts, self.now))
        decided = await self._follow(ctx, lambda: searching.decided(self.parts, self.now))
        if self.parts.cancel.is_set():
            return self._stopped(ctx)
        if not isinstance(decided[-1], Rewritten):
            return Answer()
        self.now.go_on_with(decided[-1], self.parts.settings)
        return Search()

    @step
    async def answer(self, ctx: Context, ev: Answer) -> StopEvent:
        """The answer, or why there is none."""
        try:
            if self.write:
                await self._follow(ctx, lambda: writing.write(self.parts, self.now))
        except AssistantError as err:
            self._done(ctx, Failed(attempt=self.now.attempt, stage="answer", message=str(err)))
        if self.write and self.trace.answered is None and self.parts.cancel.is_set():
            return self._stopped(ctx)
        return StopEvent(result=self.now.trace.id)

    def _stopped(self, ctx: Context) -> StopEvent:
        if self.trace.last("failed") is None:
            self._done(ctx, Failed(attempt=self.now.attempt, stage="stopped", message=STOPPED))
        return StopEvent(result=self.now.trace.id)

    def _done(self, ctx: Context, finished: Step) -> None:
        if not isinstance(finished, STREAMED_ONLY):
            self.now.trace = self.now.trace.plus(finished)
        ctx.write_event_to_stream(StepDone(step=finished))

    async def _follow(self, ctx: Context, make: Callable[[], Iterable[Step]]) -> list[Step]:
        """The steps that `make` gives in a thread of its own, each done as it comes. Raises what `make` raises."""
        steps: list[Step] = []
        queue: asyncio.Queue[Step | None] = asyncio.Queue()
        loop = asyncio.get_running_loop()

        def put(step: Step | None) -> None:
            loop.call_soon_threadsafe(queue.put_nowait, step)

        def work() -> None:
            try:
                for step in make():
                    put(step)
            finally:
                put(None)

        self.now.tell = put
        working = asyncio.create_task(asyncio.to_thread(work))
        while (finished := await queue.get()) is not None:
            if not isinstance(finished, STREAMED_ONLY):
                steps.append(finished)
            self._done(ctx, finished)
        await working
        return steps
