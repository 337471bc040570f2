"""What an ingest has to do: the files found against the files known. Pure; hashes and disk look-ups are handed in."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path, PurePath

from assistant.documents import FileRow
from assistant.ingest.find import Findings, Found, Skipped
from assistant.settings import Settings
from assistant.trace import Record

PIPELINE_VERSION = 2
"""Raise it when readers or chunkers give another result for the same file: every file is then read again."""

_LIVE = ("indexed", "partly")


class Job(Record):
    """One file to be worked on. `row`: what is known of it, None for a new one. `hash` "" = could not be hashed."""

    found: Found
    document_id: str
    name: str
    hash: str = ""
    row: FileRow | None = None
    same_content_as: str = ""


class Plan(Record):
    """What becomes of each file; every file found is in exactly one of the first five.

    `duplicate`: new, and its content is known under another name, so its chunks keep their vectors. `move`: the same
    content, its old place is empty; nothing is read. `delete`: gone from a folder that was searched.
    """

    add: tuple[Job, ...] = ()
    change: tuple[Job, ...] = ()
    duplicate: tuple[Job, ...] = ()
    move: tuple[Job, ...] = ()
    unchanged: tuple[FileRow, ...] = ()
    delete: tuple[FileRow, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    missing: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def jobs(self) -> tuple[Job, ...]:
        """The files to be read, in that order: what is new finds the vectors of what is about to be replaced."""
        return (*self.add, *self.duplicate, *self.change)


def pipeline_hash(settings: Settings, embedder: str) -> str:
    """16 hexadecimal digits over all that decides chunks and vectors; another value means: read the file again."""
    parts = {
        "version": PIPELINE_VERSION,
        "legacy_encoding": settings.reading.legacy_encoding,
        "ocr": settings.reading.ocr,
        "chunking": settings.chunking.model_dump(mode="json"),
        "embedder": embedder,
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


def authority(name: str, rules: Mapping[str, float], stated: float | None) -> float:
    """0–1: of the last rule whose pattern fits the shown name, else what the document states, else 0.5."""
    fitting = [value for pattern, value in rules.items() if _fits(name, pattern)]
    if fitting:
        return min(1.0, max(0.0, fitting[-1]))
    return 0.5 if stated is None else stated


def make_plan(
    findings: Findings,
    known: Iterable[FileRow],
    pipeline: str,
    hash_of: Callable[[Found], str],
    exists: Callable[[str], bool],
) -> Plan:
    """The plan. `hash_of` is asked only for files whose size or time differ from what is known; "" when unreadable.

    `exists` says whether there is still something at a path; it is asked only for known files that were not found.
    """
    return _Planning(findings, tuple(known), pipeline, hash_of, exists).plan()


class _Planning:
    """The look-up tables of one plan."""

    def __init__(
        self,
        findings: Findings,
        known: tuple[FileRow, ...],
        pipeline: str,
        hash_of: Callable[[Found], str],
        exists: Callable[[str], bool],
    ) -> None:
        self._findings = findings
        self._known = known
        self._pipeline = pipeline
        self._hash_of = hash_of
        self._exists = exists
        self._at = {row.path: row for row in known}
        self._lost = self._not_found()
        self._gone = {row.path: row for row in self._lost if self._is_gone(row)}
        self._ids = {row.document_id for row in known}
        self._names = {row.name: row.path for row in known if row.path not in self._gone}
        self._content: dict[str, str] = {}

    def plan(self) -> Plan:
        unchanged, open_jobs = self._sort_out()
        self._content = {row.content_hash: row.name for row in unchanged if row.content_hash}
        moves = self._moves(open_jobs)
        moved = {job.found.path for job in moves}
        rest = [self._with_twin(job) for job in open_jobs if job.found.path not in moved]
        moved_rows = {job.document_id for job in moves}
        return Plan(
            add=tuple(j for j in rest if not _has_chunks(j.row) and not j.same_content_as),
            change=tuple(j for j in rest if _has_chunks(j.row)),
            duplicate=tuple(j for j in rest if not _has_chunks(j.row) and j.same_content_as),
            move=moves,
            unchanged=tuple(unchanged),
            delete=tuple(row for row in self._gone.values() if row.document_id not in moved_rows),
            skipped=self._findings.skipped,
            missing=tuple(path for path in self._findings.missing if path not in self._gone),
            notices=self._notices(),
        )

    def _sort_out(self) -> tuple[list[FileRow], list[Job]]:
        unchanged: list[FileRow] = []
        jobs: list[Job] = []
        for found in self._findings.files:
            row = self._at.get(found.path)
            current = row is not None and self._is_current(row)
            if row and current and found.settled and (row.mtime_ns, row.size) == (found.mtime_ns, found.size):
                unchanged.append(row)
                continue
            content = self._hash_of(found)
            if row and current and content and content == row.content_hash:
                unchanged.append(row.model_copy(update={"mtime_ns": found.proof, "size": found.size}))
            else:
                jobs.append(self._job(found, row, content))
        return unchanged, jobs

    def _is_current(self, row: FileRow) -> bool:
        return row.state in _LIVE and row.pipeline_hash == self._pipeline

    def _job(self, found: Found, row: FileRow | None, content: str) -> Job:
        if row:
            return Job(found=found, document_id=row.document_id, name=row.name, hash=content, row=row)
        name = self._free_name(found)
        return Job(found=found, document_id=self._free_id(found.path), name=name, hash=content)

    def _free_name(self, found: Found) -> str:
        root = PurePath(found.root)
        for name in (found.name, f"{root.name}/{found.name}", found.path):
            if self._names.setdefault(name, found.path) == found.path:
                return name
        return found.path

    def _free_id(self, path: str) -> str:
        # a moved document keeps its id, so a new file at its old place may meet it there
        tries = (document_id(path if n == 0 else f"{path}\0{n}") for n in range(len(self._ids) + 2))
        free = next(i for i in tries if i not in self._ids)
        self._ids.add(free)
        return free

    def _moves(self, jobs: Iterable[Job]) -> tuple[Job, ...]:
        lost: dict[str, list[FileRow]] = {}
        for row in self._lost:
            if self._is_current(row) and row.content_hash and self._has_left(row):
                lost.setdefault(row.content_hash, []).append(row)
        moves: list[Job] = []
        for job in jobs:
            rows = lost.get(job.hash) if job.hash and not _has_chunks(job.row) else None
            if not rows:
                continue
            row = min(rows, key=lambda r: (PurePath(r.path).name != PurePath(job.found.path).name, r.path))
            rows.remove(row)
            moves.append(job.model_copy(update={"document_id": row.document_id, "row": row}))
            self._content[job.hash] = job.name
        return tuple(moves)

    def _with_twin(self, job: Job) -> Job:
        if not job.hash or job.found.size == 0:
            return job
        twin = self._content.setdefault(job.hash, job.name)
        return job if twin == job.name else job.model_copy(update={"same_content_as": twin})

    def _not_found(self) -> tuple[FileRow, ...]:
        found = {file.path for file in self._findings.files}
        return tuple(row for row in self._known if row.path not in found)

    def _is_gone(self, row: FileRow) -> bool:
        named = row.path in self._findings.missing
        return (named or _below(row.path, self._findings.searched)) and self._has_left(row)

    def _has_left(self, row: FileRow) -> bool:
        # a folder that is away or cannot be opened (an unplugged drive) says nothing about its files
        if _below(row.path, self._findings.unlisted) or self._exists(row.path):
            return False
        return _below(row.path, self._findings.searched) or self._exists(str(PurePath(row.path).parent))

    def _notices(self) -> tuple[str, ...]:
        return tuple(
            f"The folder {folder} could not be opened; what is known of its files stays as it is."
            for folder in self._findings.unlisted
        )


def document_id(path: str) -> str:
    """20 hexadecimal digits that stay the same for this path."""
    return hashlib.sha1(path.encode("utf-8", "surrogateescape")).hexdigest()[:20]


def content_hash(found: Found) -> str:
    """SHA-256 of the file in hexadecimal, "" when it cannot be read."""
    try:
        with Path(found.path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def _has_chunks(row: FileRow | None) -> bool:
    return row is not None and row.chunks > 0


def _below(path: str, folders: Iterable[str]) -> bool:
    return any(path.startswith(folder.rstrip(os.sep) + os.sep) for folder in folders)


def _fits(name: str, pattern: str) -> bool:
    # "policies/**" means all below; a pattern without "/" means the file's own name
    own = name if "/" in pattern else PurePath(name).name
    return fnmatchcase(own, pattern) or fnmatchcase(own, pattern.replace("**/", ""))
