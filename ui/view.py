"""All that is on screen for one conversation, frozen; each event gives the next view."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from assistant.documents import FileRow, IngestReport, Progress
from assistant.settings import Settings
from assistant.trace import Answered, BaseInfo, Delta, Failed, Step, Trace, Turn, Working
from ui.panels import conversation, evidence, progress
from ui.panels.wanted import Wanted
from ui.texts import Lang, T

if TYPE_CHECKING:
    from assistant.models import Models
    from assistant.reembed import Reembedding

UNFINISHED = T("en")("unfinished")  # records speak English


class Steps(Iterator[Step | Trace], Protocol):
    """The steps of a question and then its trace; closing them ends the work."""

    def close(self) -> None: ...


class Choice(Protocol):
    """An embedding model as a person names it."""

    @property
    def provider(self) -> str: ...

    @property
    def model(self) -> str: ...


class Door(Protocol):
    """What the screen asks of the assistant; `assistant.assistant.Assistant` has it."""

    settings: Settings

    @property
    def models(self) -> Models: ...

    @property
    def reembedding(self) -> Reembedding: ...

    @property
    def wished(self) -> Choice | None: ...

    def stream(
        self, question: str, history: Sequence[Turn] = (), changes: Mapping[str, Any] | None = None
    ) -> Steps: ...

    def continue_answer(self, trace: Trace) -> Steps: ...

    def info(self) -> BaseInfo: ...

    def documents(self) -> tuple[FileRow, ...]: ...

    def ingest(
        self,
        paths: Sequence[str | Path],
        on_progress: Callable[[Progress], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> IngestReport: ...

    def add_uploads(
        self,
        paths: Sequence[str | Path],
        on_progress: Callable[[Progress], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> IngestReport: ...

    def delete(self, document_id: str) -> None: ...

    def chat_models(self) -> tuple[str, ...]: ...

    def close(self) -> None: ...


@dataclass(frozen=True)
class View:
    """One conversation as it is shown.

    `turns`: each question's trace, the one under way included. `selected`: whose evidence is shown, None before the
    first question. `attempt`: whose passages are listed, None for those the answer stands on. `partial`: the text of
    an answer being written, the `draft`-th from 1. `working`: what the model is doing, since `since` (seconds since
    1970). `notice`: a passing remark.
    """

    lang: Lang = "en"
    turns: tuple[Trace, ...] = ()
    selected: int | None = None
    attempt: int | None = None
    busy: bool = False
    partial: str = ""
    draft: int = 1
    working: Working | None = None
    since: float = 0.0
    notice: str = ""

    def begin(self, draft: Trace) -> View:
        """A question was asked; the draft is its trace without steps."""
        turns = (*self.turns, draft)
        return replace(self._idle(), turns=turns, selected=len(turns) - 1, attempt=None, busy=True, notice="")

    def resume(self) -> View:
        """The last answer is being continued; its text stays and grows."""
        a = self.turns[-1].answered if self.turns and not self.busy else None
        if a is None:
            return self
        now = replace(self._idle(), selected=len(self.turns) - 1, attempt=None, busy=True, notice="")
        return replace(now, partial=a.text, draft=a.draft)

    def plus(self, step: Step) -> View:
        """One more step of the question under way.

        Pieces of the answer are collected until it is there, and begin anew with another draft. What the model is
        doing is shown until it does something else or a step has come of it; neither is kept in the trace.
        """
        if not self.busy:
            return self
        if isinstance(step, Delta):
            text = self.partial + step.text if step.draft == self.draft else step.text
            return replace(self._writing(), partial=text, draft=step.draft)
        if isinstance(step, Working):
            return self if step == self.working else replace(self, working=step, since=time.time())
        after = self._idle() if isinstance(step, Answered) else replace(self, working=None)
        return replace(after, turns=(*self.turns[:-1], self.turns[-1].plus(step)))

    def asked(self, trace: Trace) -> View:
        """The question under way is finished, with this trace."""
        return replace(self._idle(), turns=(*self.turns[:-1], trace), busy=False)

    def broken(self, message: str, stage: str = "stopped") -> View:
        """The question under way ended early, with this sentence; what was found and written so far stays."""
        if not self.busy:
            return self
        last = self.turns[-1]
        anew = last.answered is not None and last.answered.draft < self.draft
        if self.partial and not anew:  # a whole first draft is more than the beginning of a second one
            return self.asked(last.plus(self._unfinished(message, stage)))
        return self.asked(last.plus(Failed(attempt=max(1, last.attempts), stage=stage, message=message)))

    def select(self, turn: int) -> View:
        """Another answer's evidence; turns that do not exist change nothing."""
        if not 0 <= turn < len(self.turns):
            return self
        return replace(self, selected=turn, attempt=None)

    def show_attempt(self, attempt: int) -> View:
        """The passages of another attempt of the selected answer; attempts that do not exist change nothing."""
        shown = self.shown
        if shown is None or not 1 <= attempt <= shown.attempts:
            return self
        return replace(self, attempt=None if attempt == shown.best_attempt else attempt)

    def noted(self, notice: str) -> View:
        """With this remark, "" for none."""
        return replace(self, notice=notice)

    def speak(self, lang: str) -> View:
        """In the other language."""
        return replace(self, lang=T(lang).lang)

    @property
    def shown(self) -> Trace | None:
        """The trace whose evidence is shown."""
        return None if self.selected is None else self.turns[self.selected]

    @property
    def stage(self) -> str:
        """What is going on while busy (see ui.panels.progress), else ""."""
        return progress.stage(self.turns[-1], self._now()) if self.busy else ""

    @property
    def history(self) -> tuple[Turn, ...]:
        """The finished turns, as the next question needs them."""
        return self.before(len(self.turns) - 1 if self.busy else len(self.turns))

    def before(self, turn: int) -> tuple[Turn, ...]:
        """The turns before this one, as a question asked in its place needs them."""
        return tuple(Turn(question=t.question, answer=t.answer) for t in self.turns[:turn])

    def conversation(self) -> str:
        """HTML of the left side."""
        under = conversation.Under(self.partial, self.draft, self._now()) if self.busy else None
        return conversation.panel(self.turns, self.selected, under, self.lang)

    def evidence(self) -> str:
        """HTML of the right side."""
        return evidence.panel(self.shown, self.attempt, self.lang, self.selected or 0)

    def _idle(self) -> View:
        return replace(self, partial="", draft=1, working=None, since=0.0)

    def _writing(self) -> View:
        """With the first piece of the answer the model is writing, whether it said so or not."""
        if self.working is None or (self.working.purpose == "answer" and self.working.state != "writing"):
            model = self.working.model if self.working else Wanted.of(self.turns[-1]).model
            return self.plus(Working(purpose="answer", model=model, state="writing"))
        return self

    def _now(self) -> progress.Now | None:
        if self.working is None:
            return None
        return progress.Now(self.working, self.since, max(0.0, time.time() - self.since))

    def _unfinished(self, message: str, stage: str) -> Answered:
        """What was written before the question ended: no source was looked at for it, and the prompt is not known."""
        last = self.turns[-1]
        earlier = last.answered
        kept = earlier if earlier is not None and self.partial.startswith(earlier.text) else None
        stopped, model, now = stage == "stopped", Wanted.of(last).model, self._now()
        return Answered(
            attempt=last.best_attempt,
            seconds=now.seconds if now else 0.0,
            writer="ollama",
            model=model,
            decision="caveat",
            text=self.partial,
            label=f"written by {model} from your documents",
            sentences=kept.sentences if kept else (),
            citations=kept.citations if kept else (),
            prompt=kept.prompt if kept else None,
            state="incomplete",
            why=UNFINISHED if stopped else message,
            draft=self.draft,
            stopped_by="stopped" if stopped else "incomplete",
        )
