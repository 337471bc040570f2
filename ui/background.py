"""What goes on behind the page, once for the whole process however many pages are open or reloaded."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable
from typing import Literal

from assistant.documents import IngestReport, Progress
from assistant.errors import AssistantError
from ui.texts import T
from ui.view import Door

log = logging.getLogger(__name__)
MOST_FILES = 30

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


class Adding:
    """Documents being added: at most one job at a time; what it does stays visible after the page is reloaded."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cancel = threading.Event()
        self._thread: threading.Thread | None = None
        self._files: dict[str, Progress] = {}
        self._next: deque[Work] = deque()
        self.running = False
        self.finished = 0  # how many jobs ended: one may begin and end between two looks at the screen
        self.now: Progress | None = None
        self.report: IngestReport | None = None
        self.message = ""

    def start(self, work: Work, queue: bool = False) -> bool:
        """Whether the work was begun; while another is under way False, and with `queue` it follows that one."""
        with self._lock:
            if self.running:
                if queue:
                    self._next.append(work)
                return False
            self.running, self.now, self.report, self.message = True, None, None, ""
            self._files = {}
            self._cancel = threading.Event()
            self._thread = threading.Thread(target=self._run, args=(work, self._cancel), name="glassbox-adding")
            self._thread.daemon = True
            self._thread.start()
        return True

    def stop(self) -> None:
        """Asks the job to stop, and those that wait not to begin; what is finished stays."""
        self._cancel.set()

    @property
    def stopping(self) -> bool:
        """Whether it was asked to stop and has not yet."""
        return self.running and self._cancel.is_set()

    @property
    def files(self) -> tuple[Progress, ...]:
        """The latest moment of each of the files seen last, newest first."""
        return tuple(reversed(list(self._files.values())))[:MOST_FILES]

    def wait(self, seconds: float | None = None) -> None:
        """Returns when nothing is under way."""
        if self._thread:
            self._thread.join(seconds)

    def _run(self, work: Work, cancel: threading.Event) -> None:
        following: Work | None = work
        while following is not None:
            try:
                report = following(self._moment, cancel)  # one that was cancelled clears up behind itself
                self.report = report if self.report is None else _together(self.report, report)
            except Exception as err:
                self.message = sentence(err)
            with self._lock:
                following = self._next.popleft() if self._next else None
                if following is None:
                    self.finished += 1
                    self.running = False

    def _moment(self, progress: Progress) -> None:
        files = dict(self._files)  # replaced, not changed: pages read it from their own threads
        files.pop(progress.file, None)
        files[progress.file] = progress
        while len(files) > MOST_FILES:
            files.pop(next(iter(files)))
        self._files, self.now = files, progress
