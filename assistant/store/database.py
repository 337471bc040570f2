"""One knowledge base file with its matrix, shared by all that use it in this process: one writer, many readers."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar, TypeVar

from assistant.errors import BaseInUse, StoreError, WrongModel
from assistant.store import chunks, schema
from assistant.store.chunks import Change
from assistant.store.connection import Connection, Cursor
from assistant.store.matrix import Matrix, Snapshot
from assistant.store.schema import shown

T = TypeVar("T")
_WORTH_SHRINKING = 64_000_000


class Database:
    """The open file. When `write` returns, rows, text index and matrix agree; `read` gives one consistent view.

    `writes` goes up when a write begins and when it ends. `turn`: one long job (ingest, exchange) at a time holds it.
    """

    _open: ClassVar[dict[Path, Database]] = {}
    _opening: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self, path: Path | None, read_only: bool = False) -> None:
        """For `open`, which sees to it that there is one per file."""
        self.path = path
        self.read_only = read_only
        self._matrix = Matrix()
        self._connection = Connection(path, read_only)
        self._writing = threading.RLock()
        self._users = 1
        self._retired: dict[str, Snapshot] = {}
        self.turn = threading.Lock()
        self.writes = 0

    @classmethod
    def open(cls, path: Path | None, read_only: bool = False) -> Database:
        """The database of this file; the same object for each opening in this process. Raises StoreError, BaseInUse."""
        if path is None:
            return cls(None)
        resolved = path.expanduser().resolve()
        with cls._opening:
            known = cls._open.get(resolved)
            if known is None:
                known = cls._open[resolved] = cls(resolved, read_only)
                return known
            if known.read_only and not read_only:
                raise BaseInUse(
                    f"The knowledge base {shown(resolved.parent)} is open read-only in this program; close that first.",
                    os.getpid(),
                )
            known._users += 1
            return known

    def close(self) -> None:
        """Gives the file up; the last user of it closes it."""
        with self._opening:
            self._users -= 1
            if self._users > 0:
                return
            if self.path is not None:
                self._open.pop(self.path, None)
            with self._writing:
                self._connection.close()
                self._matrix.forget()
                self._retired.clear()

    def cursor(self) -> Cursor:
        """This thread's own cursor, for reading."""
        return self._connection.cursor()

    def read(self, work: Callable[[Cursor], T]) -> T:
        """What `work` returns from one consistent view of the base. Raises StoreError."""
        return self._connection.transaction(work)

    def write(self, work: Callable[[Cursor], Change]) -> Change:
        """Commits all that `work` does, or nothing, and brings the matrix in step. Raises StoreError."""
        if self.read_only:
            raise StoreError(
                f"The knowledge base {self._connection.folder} is open read-only; open it for writing to change it."
            )
        with self._writing:
            # counted before and after: who sees the same count twice knows that nothing was committed in between
            self.writes += 1
            try:
                change = self._connection.transaction(work)
            finally:
                self.writes += 1
            self._matrix.apply(change.removed, change.numbers, change.ids, change.vectors)
            return change

    def snapshot(self, model: str | None = None) -> Snapshot:
        """The vectors as of the last commit; loaded from the file the first time.

        `model`: the fingerprint of the model that they must be of. Who began with the model before an exchange goes on
        with its vectors until they are released. Raises WrongModel.
        """
        found = self._matrix.snapshot or self._load()
        if model is None or model == found.model:
            return found
        if model in self._retired:
            return self._retired[model]
        raise another_model(model)

    def exchange(self, work: Callable[[Cursor], None]) -> None:
        """Commits a change of the model and all its vectors; the vectors before stay for those who began with them."""

        def changed(cursor: Cursor) -> Change:
            work(cursor)
            return Change()

        with self._writing:
            before = self._matrix.snapshot
            self.write(changed)
            if before is not None:
                self._retired[before.model] = before
            self._matrix.forget()

    def release(self, model: str) -> None:
        """Nobody needs the vectors from before an exchange any more."""
        self._retired.pop(model, None)

    def _load(self) -> Snapshot:
        with self._writing:
            return self._matrix.snapshot or self.read(self._loaded)

    def _loaded(self, cursor: Cursor) -> Snapshot:
        embedder = schema.read_embedder(cursor)
        return self._matrix.load(chunks.vectors(cursor), embedder.fingerprint if embedder else "")

    def forget_vectors(self) -> None:
        """Lets the next search load the vectors again."""
        with self._writing:
            self._matrix.forget()

    def disk_bytes(self) -> int:
        """Bytes of the file and its log; 0 in memory."""
        path = self.path
        files = [] if path is None else [path, path.with_name(path.name + ".wal")]
        return sum(file.stat().st_size for file in files if file.exists())

    def copy_to(self, target: Path) -> Path:
        """Copies the file as it is now, whole or not at all; returns the target. Raises StoreError in memory."""
        if self.path is None:
            raise StoreError("A knowledge base in memory cannot be copied; open one in a folder.")
        target.parent.mkdir(parents=True, exist_ok=True)
        with self.checkpointed():
            shutil.copyfile(self.path, target.with_suffix(".part"))
        target.with_suffix(".part").replace(target)
        return target

    @contextmanager
    def checkpointed(self) -> Iterator[None]:
        """Within the block the file is whole without its log, and nobody writes."""
        with self._writing:
            self._connection.checkpoint()
            yield

    def shrink(self) -> bool:
        """Gives room in the file that is not used any more back to the disk, when it is more than half of it."""
        with self._writing:
            if self.path is None or not self._is_worth_shrinking():
                return False  # without a checkpoint: it writes up to 270 MB for one added chunk (a whole row group)
            self._connection.checkpoint()
            if not self._is_worth_shrinking():
                return False
            copy = self.path.with_suffix(".shrunk")
            copy.unlink(missing_ok=True)
            try:
                self._rewrite_to(copy)
                self._connection.put_in_place(copy)
            finally:
                copy.unlink(missing_ok=True)
            return True

    def _is_worth_shrinking(self) -> bool:
        unused, total = self.read(_unused_bytes)
        return unused >= max(_WORTH_SHRINKING, total / 2)

    def _rewrite_to(self, file: Path) -> None:
        quoted = str(file).replace("'", "''")
        own = str(self.read(lambda cursor: cursor.execute("SELECT current_database()").fetchall()[0][0]))
        self._connection.execute(f"ATTACH '{quoted}' AS shrunk")
        try:
            self._connection.execute(f'COPY FROM DATABASE "{own}" TO shrunk; CHECKPOINT shrunk')
        finally:
            self._connection.execute("DETACH shrunk")

    def setup(self, sql: str) -> None:
        """Runs these statements now and after each reopening."""
        self._connection.setup(sql)


def another_model(model: str) -> WrongModel:
    """For a question whose vector is not of the model that the base has."""
    return WrongModel(
        f"The question was embedded with another model ({model[:8]}) than the knowledge base has now; ask it again, "
        "or open the base again."
    )


def _unused_bytes(cursor: Cursor) -> tuple[float, int]:
    """Bytes in free blocks and, about, those of deleted rows, which DuckDB keeps; and of the whole file."""
    size = "SELECT free_blocks, used_blocks, block_size FROM pragma_database_size()"
    free, used, block = cursor.execute(size).fetchall()[0]
    segments = "pragma_storage_info('documents') WHERE column_name = 'number' AND segment_type <> 'VALIDITY'"
    stored = cursor.execute(f"SELECT sum(count) FROM {segments}").fetchall()[0][0] or 0
    live = cursor.execute("SELECT count(*) FROM documents").fetchall()[0][0]
    dead = max(0.0, 1 - live / stored) if stored else 0.0
    return (free + used * dead) * block, (free + used) * block
