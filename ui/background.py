"""What goes on behind the page, once for the whole process however many pages are open or reloaded."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from assistant.documents import IngestReport, Progress
from assistant.errors import AssistantError
from assistant.serving import PullProgress
from ui.texts import T
from ui.view import Door

if TYPE_CHECKING:
    from assistant.reembed import EmbedMoment, Estimate, ReembedReport

log = logging.getLogger(__name__)
MOST_FILES = 30

Moment = TypeVar("Moment")
Report = TypeVar("Report")
OnProgress = Callable[[Progress], None]
Work = Callable[[OnProgress, threading.Event], IngestReport]


def sentence(err: Exception, lang: str = "en") -> str:
    """The sentence for the person; what was not foreseen is logged with its traceback and named by its kind."""
    if isinstance(err, AssistantError):
        return str(err)
    log.error("unexpected error", exc_info=err)
    return T(lang)("unexpected", name=type(err).__name__)


def _together(first: IngestReport, second: IngestReport) -> IngestReport:
    """What two jobs did, one after the other: lists and counts are added, times by stage as well."""
    one, two = first.model_dump(), second.model_dump()
    stages = {s: one["stage_seconds"].get(s, 0.0) + two["stage_seconds"].get(s, 0.0)
              for s in {**one["stage_seconds"], **two["stage_seconds"]}}  # fmt: skip
    added = {key: one[key] + two[key] for key in one if key not in ("stage_seconds", "cancelled")}
    return IngestReport(**added, stage_seconds=stages, cancelled=first.cancelled or second.cancelled)


class Opening:
    """The assistant being opened: `state` is loading until it is ready or has failed (`message` says why)."""

    def __init__(self, open_assistant: Callable[[], Door]) -> None:
        self._open = open_assistant
        self._thread: threading.Thread | None = None
        self._closed = False
        self.state: Literal["loading", "ready", "failed"] = "loading"
        self.door: Door | None = None
        self.message = ""
        self.models: tuple[str, ...] = ()

    def start(self) -> None:
        """Opens in a thread of its own; harmless when repeated."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="glassbox-opening", daemon=True)
            self._thread.start()

    def wait(self, seconds: float | None = None) -> None:
        """Returns when it is ready or has failed."""
        if self._thread:
            self._thread.join(seconds)

    def ready(self) -> Door:
        """The assistant as soon as it is open. Raises AssistantError when it cannot be opened."""
        self.wait()
        if self.door is None:
            raise AssistantError(self.message or "The assistant is not open yet; try again in a moment.")
        return self.door

    def refresh_models(self) -> tuple[str, ...]:
        """The chat models that can be chosen now; () while there is no assistant or no model server."""
        if self.door is not None:
            try:
                self.models = self.door.chat_models()
            except AssistantError:
                self.models = ()
        return self.models

    def close(self) -> None:
        """Closes the assistant, also one that is still being opened."""
        self._closed = True
        if self.door is not None:
            self.door.close()

    def _run(self) -> None:
        try:
            door = self._open()
        except Exception as err:
            self.message = sentence(err)
            self.state = "failed"
            return
        self.door = door
        if self._closed:
            door.close()
            return
        self.state = "ready"
        self.refresh_models()


class Job(Generic[Moment, Report]):
    """One kind of long work: at most one at a time; what it did stays visible after the page is reloaded.

    `about`: what the latest work is about, e.g. the model; `now`: its latest moment; `report`: what came of it;
    `message`: the sentence of its error, "" for none; `finished`: how many times it came to rest, since one may begin
    and end between two looks at the screen.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cancel = threading.Event()
        self._thread: threading.Thread | None = None
        self._next: deque[tuple[Callable[..., Report], str]] = deque()
        self.running = False
        self.finished = 0
        self.about = ""
        self.now: Moment | None = None
        self.report: Report | None = None
        self.message = ""

    def start(
        self,
        work: Callable[[Callable[[Moment], None], threading.Event], Report],
        queue: bool = False,
        about: str = "",
    ) -> bool:
        """Whether the work was begun; while another is under way False, and with `queue` it follows that one."""
        with self._lock:
            if self.running:
                if queue:
                    self._next.append((work, about))
                return False
            self._clear()
            self.running, self.about = True, about
            self._cancel = threading.Event()
            self._thread = threading.Thread(target=self._run, args=(work, self._cancel), name="glassbox-job")
            self._thread.daemon = True
            self._thread.start()
        return True

    def stop(self) -> None:
        """Asks the job to stop, and those that wait not to begin; what is finished stays."""
        self._cancel.set()

    def forget(self) -> None:
        """Clears what an ended job left on the screen."""
        with self._lock:
            if not self.running:
                self._clear()

    @property
    def stopping(self) -> bool:
        """Whether it was asked to stop and has not yet."""
        return self.running and self._cancel.is_set()

    @property
    def waiting(self) -> tuple[str, ...]:
        """What the works that follow are about."""
        return tuple(about for _, about in list(self._next))

    @property
    def state(self) -> tuple[object, ...]:
        """Equal states look the same."""
        at = (self.running, self.finished, self.stopping, self.about, self.waiting)
        return *at, self.now, self.report, self.message

    def wait(self, seconds: float | None = None) -> None:
        """Returns when nothing is under way."""
        if self._thread:
            self._thread.join(seconds)

    def _run(self, work: Callable[..., Report], cancel: threading.Event) -> None:
        following: tuple[Callable[..., Report], str] | None = (work, self.about)
        while following is not None:
            doing, self.about = following
            self._begun()
            try:
                self._ended(doing(self._moment, cancel))  # one that was cancelled clears up behind itself
            except Exception as err:
                self._failed(sentence(err))
            with self._lock:
                following = self._next.popleft() if self._next else None
                if following is None:
                    self.finished += 1
                    self.running = False

    def _clear(self) -> None:
        self.now, self.report, self.message = None, None, ""

    def _begun(self) -> None:
        """Before each work, also one that follows another."""
        self._clear()

    def _failed(self, message: str) -> None:
        self.message = message

    def _moment(self, now: Moment) -> None:
        self.now = now

    def _ended(self, report: Report) -> None:
        self.report = report


class Adding(Job[Progress, IngestReport]):
    """Documents being added."""

    def __init__(self) -> None:
        super().__init__()
        self._files: dict[str, Progress] = {}

    @property
    def files(self) -> tuple[Progress, ...]:
        """The latest moment of each of the files seen last, newest first."""
        return tuple(reversed(list(self._files.values())))[:MOST_FILES]

    def _clear(self) -> None:
        super()._clear()
        self._files = {}

    def _begun(self) -> None:
        """What the works did is told together."""

    def _ended(self, report: IngestReport) -> None:
        self.report = report if self.report is None else _together(self.report, report)

    def _moment(self, now: Progress) -> None:
        files = dict(self._files)  # replaced, not changed: pages read it from their own threads
        files.pop(now.file, None)
        files[now.file] = now
        while len(files) > MOST_FILES:
            files.pop(next(iter(files)))
        self._files, self.now = files, now


class Pulling(Job[PullProgress, PullProgress]):
    """Models being downloaded, one after the other. `failed`: the sentence of each model that could not be."""

    def __init__(self) -> None:
        super().__init__()
        self.failed: dict[str, str] = {}

    def stop(self) -> None:
        """Stops the download under way; those that wait are given up."""
        with self._lock:
            self._next.clear()
        super().stop()

    def forget(self) -> None:
        self.failed = {}
        super().forget()

    @property
    def names(self) -> tuple[str, ...]:
        """The model under way and those that follow."""
        return (self.about, *self.waiting) if self.running else ()

    def _begun(self) -> None:
        super()._begun()
        self.failed = {name: why for name, why in self.failed.items() if name != self.about}

    def _failed(self, message: str) -> None:
        self.failed = {**self.failed, self.about: message}


@dataclass(frozen=True)
class ModelJobs:
    """What goes on with the models, each kind one after the other: downloads; loading one into memory; estimating,
    building and switching an index of this base, where `about` is "build ollama:bge-m3"."""

    pulling: Pulling = field(default_factory=Pulling)
    loading: Job[None, bool] = field(default_factory=Job)
    embedding: Job[EmbedMoment, Estimate | ReembedReport] = field(default_factory=Job)

    @property
    def running(self) -> bool:
        """Whether anything is under way."""
        return any(job.running for job in self._all)

    @property
    def ended(self) -> tuple[int, ...]:
        """Changes whenever one has ended: the server has something else then."""
        return tuple(job.finished for job in self._all)

    def stop(self) -> None:
        """Asks all of them to stop."""
        for job in self._all:
            job.stop()

    def wait(self, seconds: float | None = None) -> None:
        """Returns when none is under way."""
        for job in self._all:
            job.wait(seconds)

    @property
    def _all(self) -> tuple[Job[Any, Any], ...]:
        return self.pulling, self.loading, self.embedding
