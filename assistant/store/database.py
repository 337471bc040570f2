"""One DuckDB file: opening, one writer at a time, a cursor per thread, reopening after a failed disk."""

from __future__ import annotations

import os
import re
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, TypeVar

import duckdb

from assistant.errors import AssistantError, BaseInUse, StoreError
from assistant.store import chunks
from assistant.store.chunks import Change
from assistant.store.matrix import Matrix, Snapshot
from assistant.store.schema import shown

T = TypeVar("T")

# No extension is ever fetched: json is built in, the text index is ours. More than 2 threads did not help.
_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "threads": 2,
    "memory_limit": "1GB",
}
_CONFLICT_PAUSES = (0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2)


@dataclass(eq=False)
class Database:
    """The open file, shared by everything in this process that uses it. `path` None: in memory.

    `read` gives one consistent view. `write` is one transaction: when it returns, rows, text index and matrix agree.
    """

    path: Path | None
    read_only: bool = False
    matrix: Matrix = field(default_factory=Matrix)
    users: int = 1
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _local: threading.local = field(default_factory=threading.local)
    _cursors: weakref.WeakSet[duckdb.DuckDBPyConnection] = field(default_factory=weakref.WeakSet)
    _connection: duckdb.DuckDBPyConnection | None = None
    _generation: int = 0
    _setups: list[str] = field(default_factory=list)

    _open: ClassVar[dict[Path, Database]] = {}
    _open_lock: ClassVar[threading.Lock] = threading.Lock()

    @classmethod
    def open(cls, path: Path | None, read_only: bool = False) -> Database:
        """The database of this file; the same object for each opening in this process. Raises StoreError, BaseInUse."""
        if path is None:
            return cls(None)._connect()
        resolved = path.expanduser().resolve()
        with cls._open_lock:
            known = cls._open.get(resolved)
            if known is None:
                cls._open[resolved] = cls(resolved, read_only)._connect()
                return cls._open[resolved]
            if known.read_only and not read_only:
                raise BaseInUse(
                    f"The knowledge base {shown(resolved.parent)} is open read-only in this program; close that first.",
                    os.getpid(),
                )
            known.users += 1
            return known

    def close(self) -> None:
        """Gives the file up; the last user of it closes it."""
        with self._open_lock:
            self.users -= 1
            if self.users > 0:
                return
            if self.path is not None and self._open.get(self.path) is self:
                del self._open[self.path]
        with self._lock:
            self._disconnect()
            self.matrix.forget()

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """This thread's own cursor: one connection used by two threads crashes DuckDB 1.3.2."""
        if getattr(self._local, "generation", None) != self._generation:
            with self._lock:
                if self._connection is None:
                    raise StoreError(f"The knowledge base {self._folder} is closed; open it again.")
                self._local.cursor = self._connection.cursor()
                self._cursors.add(self._local.cursor)
                self._local.generation = self._generation
        return self._local.cursor  # type: ignore[no-any-return]

    def read(self, work: Callable[[duckdb.DuckDBPyConnection], T]) -> T:
        """What `work` returns from one consistent view of the base. Raises StoreError."""
        try:
            return self._in_transaction(self.cursor(), work)
        except duckdb.Error as err:
            if not _invalidated(err):
                raise self._translated(err) from err
        self.reopen()
        try:
            return self._in_transaction(self.cursor(), work)
        except duckdb.Error as err:
            raise self._translated(err) from err

    def write(self, work: Callable[[duckdb.DuckDBPyConnection], Change]) -> Change:
        """Commits all that `work` does, or nothing, and brings the matrix in step. Raises StoreError."""
        if self.read_only:
            raise StoreError(f"The knowledge base {self._folder} is open read-only; open it for writing to change it.")
        with self._lock:
            change = self._committed(work)
            self.matrix.apply(change.removed, change.numbers, change.ids, change.vectors)
            return change

    def snapshot(self) -> Snapshot:
        """The matrix as of the last commit; loaded from the file the first time."""
        found = self.matrix.snapshot
        if found is not None:
            return found
        with self._lock:
            return self.matrix.snapshot or self.read(lambda cursor: self.matrix.load(chunks.vectors(cursor)))

    def forget_vectors(self) -> None:
        """Lets the next search load the vectors again."""
        with self._lock:
            self.matrix.forget()

    @contextmanager
    def checkpointed(self) -> Iterator[None]:
        """Within the block the file is whole without its log, and nobody writes."""
        with self._lock:
            self._run("CHECKPOINT")
            yield

    def setup(self, sql: str) -> None:
        """Runs these statements now and after each reopening."""
        with self._lock:
            if sql not in self._setups:
                self._run(sql)
                self._setups.append(sql)

    def reopen(self) -> None:
        """Closes and opens the file: what was acknowledged is intact, DuckDB itself only refuses to go on."""
        with self._lock:
            self._disconnect()
            self.matrix.forget()
            self._connect()
            for sql in self._setups:
                self._run(sql)

    def _run(self, sql: str) -> None:
        try:
            self.cursor().execute(sql)
        except duckdb.Error as err:
            raise self._translated(err) from err

    def _committed(self, work: Callable[[duckdb.DuckDBPyConnection], Change]) -> Change:
        for pause in _CONFLICT_PAUSES:
            try:
                return self._in_transaction(self.cursor(), work)
            except duckdb.TransactionException:
                # a reader still holds the version before the last: its rows' keys cannot be replaced until it is done
                time.sleep(pause)
            except duckdb.Error as err:
                if not _invalidated(err):
                    raise self._translated(err) from err
                self.reopen()
        try:
            return self._in_transaction(self.cursor(), work)
        except duckdb.Error as err:
            raise self._translated(err) from err

    def _in_transaction(self, cursor: duckdb.DuckDBPyConnection, work: Callable[[duckdb.DuckDBPyConnection], T]) -> T:
        if getattr(self._local, "inside", False):
            return work(cursor)
        cursor.begin()
        self._local.inside = True
        try:
            result = work(cursor)
            cursor.commit()
            return result
        except BaseException:
            _rolled_back(cursor)
            raise
        finally:
            self._local.inside = False

    def _connect(self) -> Database:
        if self.path is not None and not self.read_only:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        try:
            target = ":memory:" if self.path is None else str(self.path)
            self._connection = duckdb.connect(target, read_only=self.read_only, config=_CONFIG)
        except (duckdb.Error, OSError) as err:
            raise self._translated(err) from err
        self._generation += 1
        return self

    def _disconnect(self) -> None:
        # DuckDB gives the file up only when every cursor is closed
        for cursor in list(self._cursors):
            cursor.close()
        self._cursors.clear()
        self._generation += 1
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _translated(self, err: Exception) -> AssistantError:
        text = str(err)
        if "Could not set lock" in text or "being used by another process" in text:
            found = re.search(r"PID (\d+)", text)
            pid = int(found.group(1)) if found else None
            owner = f" (process {pid})" if pid else ""
            return BaseInUse(
                f"The knowledge base {self._folder} is open in another Glassbox{owner}; "
                "close it or use --kb for another.",
                pid,
            )
        return StoreError(f"The knowledge base {self._folder} cannot be used: {_first_line(text)} {_advice(text)}")

    @property
    def _folder(self) -> str:
        return shown(None if self.path is None else self.path.parent)


def _invalidated(err: Exception) -> bool:
    return isinstance(err, duckdb.FatalException) or "database has been invalidated" in str(err)


def _rolled_back(cursor: duckdb.DuckDBPyConnection) -> None:
    try:
        cursor.rollback()
    except duckdb.Error:
        return  # a failed commit has already ended the transaction


def _first_line(text: str) -> str:
    line = text.strip().splitlines()[0] if text.strip() else "unknown error"
    return line if line.endswith((".", "!")) else line + "."


def _advice(text: str) -> str:
    if "No space left" in text or "File too large" in text:
        return "Free some disk space and try again; what was stored before is intact."
    if "not a valid DuckDB" in text or "corrupt" in text.lower() or "checksum" in text.lower():
        return "The file was left as it is: restore a copy of it, or choose another folder with --kb and ingest again."
    if "does not exist" in text:
        return "Choose an existing knowledge base with --kb, or open it for writing to create it."
    if "newer" in text or "version" in text:
        return "The file was left as it is: update Glassbox, or choose another folder with --kb."
    return "Try again; if it stays so, restore a copy of the folder or ingest into a new one."
