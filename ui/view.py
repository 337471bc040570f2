"""All that is on screen for one conversation, frozen; each event gives the next view."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from assistant.documents import FileRow, IngestReport, Progress
from assistant.settings import Settings
from assistant.trace import BaseInfo, Delta, Failed, Step, Trace, Turn
from ui.panels import conversation, evidence, progress
from ui.texts import Lang, T


class Door(Protocol):
    """What the screen asks of the assistant; `assistant.assistant.Assistant` has it."""

    settings: Settings

    def stream(
        self, question: str, history: Sequence[Turn] = (), changes: Mapping[str, Any] | None = None
    ) -> Iterator[Step | Trace]: ...

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
    an answer being written. `notice`: a passing remark.
    """

    lang: Lang = "en"
    turns: tuple[Trace, ...] = ()
    selected: int | None = None
    attempt: int | None = None
    busy: bool = False
    partial: str = ""
    notice: str = ""

    def begin(self, draft: Trace) -> View:
        """A question was asked; the draft is its trace without steps."""
        turns = (*self.turns, draft)
        return replace(self, turns=turns, selected=len(turns) - 1, attempt=None, busy=True, partial="", notice="")

    def plus(self, step: Step) -> View:
        """One more step of the question under way; pieces of the answer are collected until the answer is there."""
        if not self.busy:
            return self
        if isinstance(step, Delta):
            return replace(self, partial=self.partial + step.text)
        return self._with_last(self.turns[-1].plus(step))

    def asked(self, trace: Trace) -> View:
        """The question under way is finished, with this trace."""
        return replace(self._with_last(trace), busy=False, partial="")

    def broken(self, message: str, stage: str = "stopped") -> View:
        """The question under way ended early, with this sentence; what was found so far stays."""
        if not self.busy:
            return self
        last = self.turns[-1]
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
        """searching, judging or answering while busy, else ""."""
        return progress.stage(self.turns[-1]) if self.busy else ""

    @property
    def history(self) -> tuple[Turn, ...]:
        """The finished turns, as the next question needs them."""
        finished = self.turns[:-1] if self.busy else self.turns
        return tuple(Turn(question=t.question, answer=t.answer) for t in finished)

    def conversation(self) -> str:
        """HTML of the left side."""
        return conversation.panel(self.turns, self.selected, self.busy, self.partial, self.lang)

    def evidence(self) -> str:
        """HTML of the right side."""
        return evidence.panel(self.shown, self.attempt, self.lang)

    def _with_last(self, trace: Trace) -> View:
        return replace(self, turns=(*self.turns[:-1], trace))
