"""Reading files side by side, each in a process that can be ended."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assistant.documents import Document
from assistant.errors import UnreadableFile
from assistant.ingest.find import Found
from assistant.ingest.plan import Job, content_hash
from assistant.settings import Reading

SMALL_BYTES = 1_000_000
_TEXT_ENDINGS = {".md", ".markdown", ".txt", ".text", ".log"}
_SECONDS_TO_START = 120
_FRESH_AFTER_BYTES = 20_000_000


@dataclass(frozen=True)
class Read:
    """A file as read. `found`, `hash` belong to exactly this content; `settled` False: written to while it was read."""

    job: Job
    document: Document
    found: Found
    hash: str
    seconds: float


class ReaderPool:
    """Reads files in up to `workers` processes, made when the first is needed; a context manager.

    Plain text below 1 MB is read in this process: it cannot hang, and starting another costs more.
    """

    def __init__(self, settings: Reading, workers: int | None = None) -> None:
        # half the cores: the other half embeds, and the screen still answers
        count = workers or max(1, (os.cpu_count() or 2) // 2)
        self.workers = count
        self._settings = settings
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="reading")
        self._processes = [ReaderProcess(settings) for _ in range(count)]
        self._idle: queue.LifoQueue[ReaderProcess] = queue.LifoQueue()
        for process in self._processes:
            self._idle.put(process)

    def __enter__(self) -> ReaderPool:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.end()
        self._threads.shutdown(wait=True, cancel_futures=True)
        for process in self._processes:
            process.let_go()

    def submit(self, job: Job) -> Future[Read]:
        """The file's content in time; the future raises UnreadableFile."""
        return self._threads.submit(self._read_settled, job)

    def _read_settled(self, job: Job) -> Read:
        started = time.perf_counter()
        found = _look_again(job.found)
        content = job.hash if found == job.found else content_hash(found)
        document = self._read(job)
        after = _look_again(found)
        if after != found:  # it is being written to: keep this, and read it again at the next scan
            found = after.model_copy(update={"settled": False})
        return Read(job, document, found, content, time.perf_counter() - started)

    def _read(self, job: Job) -> Document:
        if _is_small_text(job.found):
            from assistant.readers import read

            return read(job.found.path, self._settings, job.name)
        process = self._idle.get()
        try:
            return process.read(job.found.path, job.name)
        finally:
            self._idle.put(process)


class ReaderProcess:
    """One child process, started at first use and again after it was ended. For one thread at a time."""

    def __init__(self, settings: Reading) -> None:
        self._settings = settings
        self._process: subprocess.Popen[str] | None = None
        self._closed = False
        self._late = False
        self._lock = threading.Lock()

    def read(self, path: str, name: str) -> Document:
        """The document. Raises UnreadableFile: the reader's own, too_slow, too_large, or corrupt when it died."""
        reply = self._ask({"path": path, "name": name, "settings": self._settings.model_dump(mode="json")})
        if reply is None:
            raise self._death(name)
        if "error" in reply:
            self.stop()  # what failed may have left memory behind
            raise UnreadableFile(reply["error"], reply["kind"])
        if os.path.getsize(path) > _FRESH_AFTER_BYTES:
            self.stop()
        return Document.model_validate(reply["document"])

    def stop(self) -> None:
        """Ends the process; the next read starts another."""
        process = self._process
        if process is None:
            return
        process.kill()
        process.wait()

    def end(self) -> None:
        """Ends the process for good; a read under way fails."""
        with self._lock:
            self._closed = True
        self.stop()

    def let_go(self) -> None:
        """Closes the pipes of a process that was ended, once nobody reads from them."""
        process, self._process = self._process, None
        if process:
            process.kill()
            process.communicate()

    def _ask(self, request: dict[str, Any]) -> dict[str, Any] | None:
        self._late = False
        process = self._running()
        if process is None:
            return None
        return self._exchange(process, json.dumps(request), self._settings.seconds_per_file)

    def _running(self) -> subprocess.Popen[str] | None:
        with self._lock:
            if self._closed:
                return None
            if self._process is not None and self._process.poll() is None:
                return self._process
            self.let_go()
            self._process = process = _start()
        return process if self._exchange(process, "", _SECONDS_TO_START) is not None else None

    def _exchange(self, process: subprocess.Popen[str], line: str, seconds: float) -> dict[str, Any] | None:
        """The reply; every page of OCR that the process tells of gives it the seconds it asks for anew."""
        assert process.stdin
        try:
            if line:
                process.stdin.write(line + "\n")
                process.stdin.flush()
            reply = self._reply(process, seconds)
            while reply and "recognising" in reply:
                reply = self._reply(process, reply["recognising"])
            return reply
        except (OSError, ValueError):
            return None

    def _reply(self, process: subprocess.Popen[str], seconds: float) -> dict[str, Any] | None:
        assert process.stdout
        clock = threading.Timer(seconds, self._give_up, [process])
        clock.start()
        try:
            reply = process.stdout.readline()
            return json.loads(reply) if reply.endswith("\n") else None
        finally:
            clock.cancel()

    def _give_up(self, process: subprocess.Popen[str]) -> None:
        self._late = True
        process.kill()

    def _exit_code(self) -> int | None:
        """None when it had to be ended here, because it lives on and said nothing that can be understood."""
        if self._process is None:
            return None
        try:
            return self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.stop()
            return None

    def _death(self, name: str) -> UnreadableFile:
        code = self._exit_code()
        if self._late:
            limit = f"reading.seconds_per_file = {self._settings.seconds_per_file}"
            return UnreadableFile(f"{name} took longer to read than {limit}; raise it or split the file.", "too_slow")
        if code == -9:
            return UnreadableFile(f"{name} needed more memory than the machine has; split it into parts.", "too_large")
        why = f"signal {-code}" if code and code < 0 else f"exit code {code}"
        return UnreadableFile(
            f"{name} made its reader crash ({why}); open it in its own program and save it again.", "corrupt"
        )


def _start() -> subprocess.Popen[str]:
    home = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(part for part in (home, os.environ.get("PYTHONPATH", "")) if part)
    # not multiprocessing: that runs a script without a main guard twice. -P: the current folder is no place for imports
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "assistant.ingest.child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"},
    )


def _look_again(found: Found) -> Found:
    try:
        status = os.stat(found.path)
    except OSError:
        return found
    if (status.st_size, status.st_mtime_ns) == (found.size, found.mtime_ns):
        return found
    return found.model_copy(update={"size": status.st_size, "mtime_ns": status.st_mtime_ns, "settled": False})


def _is_small_text(found: Found) -> bool:
    if found.size >= SMALL_BYTES or Path(found.path).suffix.lower() not in _TEXT_ENDINGS:
        return False
    from assistant.readers.content import format_of

    try:
        with open(found.path, "rb") as file:
            start = file.read(4096)
    except OSError:
        return True  # the reader says why
    return format_of(start, Path(found.path).suffix.lower()) in ("md", "txt")
