"""The ingest: one file after the other is read, cut, embedded and written; each whole or not at all."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistant.chunking import chunk
from assistant.documents import Chunk, FileRow, FileState, IngestReport, Progress
from assistant.errors import BadReply, ModelUnavailable, TextTooLong, UnreadableFile
from assistant.ingest.embedding import FileEmbedding
from assistant.ingest.find import Found, find_files
from assistant.ingest.plan import Job, Plan, authority, content_hash, make_plan, pipeline_hash
from assistant.ingest.reading import Read, ReaderPool
from assistant.ingest.report import Tally
from assistant.settings import Settings

if TYPE_CHECKING:
    from assistant.providers.embedder import Embedder
    from assistant.store.base import Base

OnProgress = Callable[[Progress], None]


class _Cancelled(Exception):
    """The person wants it to stop; never leaves this module."""


class _Deleted(Exception):
    """The document was deleted while it was worked on; never leaves this module."""


def run(
    base: Base,
    embedder: Embedder,
    settings: Settings,
    paths: Sequence[str | Path],
    *,
    on_progress: OnProgress | None = None,
    cancel: threading.Event | None = None,
) -> IngestReport:
    """Brings the base up to date with the files and folders at these paths; what is unchanged costs nothing.

    A file that cannot be read is recorded with its reason and never stops the others. A new version replaces the old
    one only when it is complete. After `cancel` is set nothing new is written; what was written stays. Raises
    ModelUnavailable or BadReply when the embedder cannot work and StoreError when the base cannot be written; the file
    it was at has failed with that reason, the others not yet done are as they were. Vectors that were finished are kept
    for the next run.
    """
    stop = cancel or threading.Event()
    ingest = _Ingest(base, embedder, settings, on_progress, stop)
    try:
        with _turn(base, stop):
            ingest.work(paths)
    except _Cancelled:
        ingest.tally.cancelled = True
    return ingest.tally.report()


@contextmanager
def _turn(base: Base, cancel: threading.Event) -> Iterator[None]:
    """One ingest per base at a time: the next one waits, and then finds the files unchanged."""
    lock = base.turn
    while not lock.acquire(timeout=0.2):
        if cancel.is_set():
            raise _Cancelled
    try:
        yield
    finally:
        lock.release()


class _Ingest:
    """One run and what it has counted so far."""

    def __init__(
        self,
        base: Base,
        embedder: Embedder,
        settings: Settings,
        on_progress: OnProgress | None,
        cancel: threading.Event,
    ) -> None:
        self._base = base
        self._embedder = embedder
        self._settings = settings
        self._cancel = cancel
        self._pipeline = ""
        self.tally = Tally(on_progress)

    def work(self, paths: Sequence[str | Path]) -> None:
        plan = self._plan(paths)
        self.tally.planned(plan)
        for row in plan.delete:
            self._base.delete_document(row.document_id)
            self.tally.deleted(row)
        for job in plan.move:
            self._move(job)
        self._remember(plan.unchanged)
        if plan.jobs:
            self._embedder.embed_passages(["."])  # an embedder that is away is said before an hour of reading
            self._read_all(plan.jobs)
            self._base.compact()
        self._forget_lost_twins()

    def _plan(self, paths: Sequence[str | Path]) -> Plan:
        from assistant.readers import SUPPORTED

        with self.tally.stage("planning"):
            known = self._base.documents()
            findings = find_files(paths, SUPPORTED, {row.path for row in known})
            self._pipeline = pipeline_hash(self._settings, self._embedder.identity.fingerprint())
            return make_plan(findings, known, self._pipeline, self._hash, os.path.lexists)

    def _hash(self, found: Found) -> str:
        self._check()
        if found.size > self._settings.reading.max_megabytes * 1_000_000:
            return ""  # it will be refused, so it need not be read in full
        return content_hash(found)

    def _move(self, job: Job) -> None:
        assert job.row
        row = job.row.model_copy(
            update={
                "name": job.name,
                "path": job.found.path,
                "root": job.found.root,
                "mtime_ns": job.found.proof,
                "authority": authority(job.name, self._settings.authority_rules, job.row.authority),
            }
        )
        self._base.rename_document(row.document_id, row.path, row.name)
        self._base.change_state(row)
        self.tally.moved(job)

    def _remember(self, rows: Iterable[FileRow]) -> None:
        known = {row.document_id: row for row in self._base.documents()}
        for row in rows:
            level = authority(row.name, self._settings.authority_rules, row.authority)
            now = row if level == row.authority else row.model_copy(update={"authority": level})
            if now != known.get(row.document_id):
                self._base.change_state(now)

    def _read_all(self, jobs: Sequence[Job]) -> None:
        waiting, running = deque(jobs), dict[Future[Read], Job]()
        with ReaderPool(self._settings.reading) as pool:
            try:
                while waiting or running:
                    self._read_ahead(pool, waiting, running)
                    done, _ = wait(running, timeout=0.2, return_when=FIRST_COMPLETED)
                    self._check()
                    for future in done:
                        self._finish(running.pop(future), future)
            except _Cancelled:
                for job in running.values():
                    self._cancelled(job)
                raise

    def _read_ahead(self, pool: ReaderPool, waiting: deque[Job], running: dict[Future[Read], Job]) -> None:
        """A few files are read while one is embedded; the rest is not yet in memory."""
        while waiting and len(running) < 2 * pool.workers:
            job = waiting.popleft()
            running[pool.submit(job)] = job
            self.tally.at(job, "reading")

    def _finish(self, job: Job, future: Future[Read]) -> None:
        started = time.perf_counter()
        try:
            read = future.result()
            self.tally.add_seconds("reading", read.seconds)
            row = self._index(read, started)
        except _Deleted:
            self._drop(job)
            return
        except (UnreadableFile, TextTooLong) as err:
            if self._is_deleted(job):
                self._drop(job)
                return
            row = self._failed(job, str(err), err.kind if isinstance(err, UnreadableFile) else "too_large")
            self._base.set_state(row)
        except _Cancelled:
            self._cancelled(job)
            raise
        except (ModelUnavailable, BadReply) as err:
            if not self._is_deleted(job):
                self._base.set_state(self._failed(job, str(err), "model"))
            raise
        self.tally.finished(job, row)

    def _drop(self, job: Job) -> None:
        self._base.delete_document(job.document_id)  # the vectors that wait for it
        self.tally.dropped(job)

    def _index(self, read: Read, started: float) -> FileRow:
        job = read.job
        self.tally.at(job, "chunking")
        with self.tally.stage("chunking"):
            identity = self._embedder.identity
            count = self._embedder.count_tokens
            chunks = chunk(read.document, self._settings.chunking, count, identity.max_tokens)
        if not chunks:
            raise UnreadableFile(
                f"{job.name} holds no text that can be indexed; look at it in its own program.", "empty"
            )
        vectors = self._vectors(job, chunks)
        self._check()
        if self._is_deleted(job):
            raise _Deleted
        self.tally.at(job, "writing")
        row = self._row(read, time.perf_counter() - started + read.seconds)
        with self.tally.stage("writing"):
            self._base.replace_document(row, chunks, vectors, self._embedder.identity)
        return row.model_copy(update={"chunks": len(chunks)})

    def _vectors(self, job: Job, chunks: Sequence[Chunk]) -> list[Any]:
        embedding = FileEmbedding(self._base, self._embedder, job.document_id, job.name, chunks)
        fresh = len(embedding.missing)
        self.tally.embedding(job, fresh, len(chunks))
        with self.tally.stage("embedding") if fresh else nullcontext():
            found = embedding.run(self._on_batch(job, len(chunks), fresh))
        self.tally.count(found.embedded, len(chunks) - found.embedded)
        self.tally.in_parts(job, found.in_parts)
        return found.rows

    def _on_batch(self, job: Job, chunks: int, fresh: int) -> Callable[[int, int], None]:
        def on_batch(done: int, total: int) -> None:
            self._check()
            self.tally.embedding(job, fresh - done, chunks)

        return on_batch

    def _row(self, read: Read, seconds: float) -> FileRow:
        job, document = read.job, read.document
        partly = "; ".join(document.unread)
        return FileRow(
            document_id=job.document_id,
            name=job.name,
            path=job.found.path,
            root=job.found.root,
            content_hash=read.hash,
            pipeline_hash=self._pipeline,
            size=read.found.size,
            mtime_ns=read.found.proof,
            modified=document.modified,
            state="partly" if partly else "indexed",
            reason=partly,
            warnings=document.warnings,
            title=document.title,
            media=document.media,
            language=document.language,
            pages=document.pages,
            authority=authority(job.name, self._settings.authority_rules, document.authority),
            version=job.row.version + 1 if job.row and job.row.chunks else 1,
            seconds=round(seconds, 3),
            same_content_as=job.same_content_as,
        )

    def _failed(self, job: Job, reason: str, kind: str) -> FileRow:
        """The old version keeps its chunks and the row says so; a new file has a row without chunks."""
        if job.row and job.row.chunks:
            text = f"{reason} Answers still come from version {job.row.version}."
            changes = {"state": "failed", "reason": text, "error_kind": kind, "mtime_ns": 0}
            return job.row.model_copy(update=changes)
        return self._without_chunks(job, "failed", reason, kind)

    def _cancelled(self, job: Job) -> None:
        if not (job.row and job.row.chunks):
            reason = "It was stopped before it was finished; the next scan reads it."
            self._base.set_state(self._without_chunks(job, "cancelled", reason, ""))
        self.tally.at(job, "cancelled")

    def _without_chunks(self, job: Job, state: FileState, reason: str, kind: str) -> FileRow:
        return FileRow(
            document_id=job.document_id,
            name=job.name,
            path=job.found.path,
            root=job.found.root,
            size=job.found.size,
            state=state,
            reason=reason,
            error_kind=kind,
        )

    def _forget_lost_twins(self) -> None:
        rows = self._base.documents()
        names = {row.name for row in rows}
        for row in rows:
            if row.same_content_as and row.same_content_as not in names:
                self._base.change_state(row.model_copy(update={"same_content_as": ""}))

    def _is_deleted(self, job: Job) -> bool:
        return job.row is not None and self._base.document(job.document_id) is None

    def _check(self) -> None:
        if self._cancel.is_set():
            raise _Cancelled
