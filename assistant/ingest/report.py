"""What an ingest has done so far: told moment by moment, and in sum at the end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from assistant.documents import FileRow, FileState, IngestReport, Progress
from assistant.ingest.plan import Job, Plan

LEAST_SECONDS, LEAST_SHARE = 3.0, 0.05  # before that the time left is not known


class Tally:
    """Counts of one ingest. Each change is told to `on_progress` as a Progress."""

    def __init__(self, on_progress: Callable[[Progress], None] | None = None) -> None:
        self.cancelled = False
        self._tell = on_progress or (lambda progress: None)
        self._started = time.perf_counter()
        self._seconds: dict[str, float] = {}
        self._plan = Plan()
        self._names: dict[str, list[str]] = {key: [] for key in ("added", "changed", "moved", "deleted")}
        self._failed: list[tuple[str, str]] = []
        self._notices: list[str] = []
        self._files_done = 0
        self._bytes_done = 0.0
        self._bytes = 0
        self._work_started = 0.0
        self._chunks = self._chunks_done = 0
        self._embedded = self._reused = 0

    def planned(self, plan: Plan) -> None:
        """From here on the whole is known."""
        self._plan = plan
        self._bytes = sum(_weight(job) for job in plan.jobs)
        self._work_started = time.perf_counter()
        self._notices.extend(plan.notices)
        for path in plan.missing:
            self._failed.append((path, "There is nothing at this path; check its spelling and whether the disk is in."))

    def deleted(self, row: FileRow) -> None:
        """The file is gone and so are its chunks."""
        self._names["deleted"].append(row.name)

    def moved(self, job: Job) -> None:
        """The file has another name and kept its chunks."""
        self._names["moved"].append(job.name)

    def at(self, job: Job, state: FileState, reason: str = "", part: float = 0.0) -> None:
        """The file has come to this stage; `part`: share of it that is done, 0–1."""
        done = self._bytes_done + part * _weight(job)
        seconds = self._seconds.get("embedding", 0.0)
        self._tell(
            Progress(
                file=job.name,
                state=state,
                reason=reason,
                files_done=self._files_done,
                files=len(self._plan.jobs),
                chunks_done=self._chunks_done,
                chunks=self._chunks,
                chunks_per_second=self._embedded / seconds if seconds and self._embedded else None,
                seconds_left=self._seconds_left(done),
            )
        )

    def embedding(self, job: Job, open_chunks: int, chunks: int) -> None:
        """`open_chunks` of the file's `chunks` still have no vector."""
        self.at(job, "embedding", part=1 - open_chunks / chunks)

    def count(self, embedded: int, reused: int) -> None:
        """A file's chunks have their vectors."""
        self._embedded += embedded
        self._reused += reused

    def in_parts(self, job: Job, chunks: int) -> None:
        """So many chunks of the file are longer than the model reads."""
        if chunks:
            self._notices.append(
                f"{job.name}: chunks longer than the embedding model reads: {chunks}; each was embedded in parts."
            )

    def finished(self, job: Job, row: FileRow) -> None:
        """The file has come to its end, `row` as it is kept."""
        self._files_done += 1
        self._bytes_done += _weight(job)
        if row.state == "failed":
            self._failed.append((job.name, row.reason))
        else:
            self._chunks_done += row.chunks
            self._names["changed" if job.row and job.row.chunks else "added"].append(job.name)
            if row.same_content_as:
                self._notices.append(f"{job.name}: same content as {row.same_content_as}; added as a second name.")
        self.at(job, row.state, row.reason)

    def dropped(self, job: Job) -> None:
        """The document was deleted while it was worked on; nothing of it is kept."""
        self._files_done += 1
        self._bytes_done += _weight(job)
        self.at(job, "cancelled", "It was deleted while it was read.")

    def add_seconds(self, stage: str, seconds: float) -> None:
        """Seconds spent in a stage; reading goes on beside the others, so the sum may exceed the whole."""
        self._seconds[stage] = self._seconds.get(stage, 0.0) + seconds

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Times the block."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.add_seconds(name, time.perf_counter() - started)

    def report(self) -> IngestReport:
        """All of it, each list by name: files are finished in whatever order their readers are."""
        return IngestReport(
            **{key: tuple(sorted(names)) for key, names in self._names.items()},
            unchanged=tuple(row.name for row in self._plan.unchanged),
            failed=tuple(sorted(self._failed)),
            skipped=tuple((s.name, s.why) for s in self._plan.skipped),
            notices=tuple(self._notices),
            embedded=self._embedded,
            reused=self._reused,
            seconds=time.perf_counter() - self._started,
            stage_seconds=dict(self._seconds),
            cancelled=self.cancelled,
        )

    def _seconds_left(self, done: float) -> float | None:
        if self._bytes <= done:
            return 0.0 if self._bytes else None
        elapsed = time.perf_counter() - self._work_started
        if elapsed < LEAST_SECONDS or done < LEAST_SHARE * self._bytes:
            return None  # the first file also loads the model: nine seconds of work were announced as nineteen minutes
        return elapsed * (self._bytes - done) / done


def _weight(job: Job) -> int:
    # a PDF or Word file holds far less text per byte than plain text; a small constant stands for the cost per file
    return 500 + job.found.size // (1 if job.found.name.lower().endswith((".md", ".txt", ".markdown")) else 10)
