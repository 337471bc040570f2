"""DuckDB as this product may use it: a cursor per thread, whole transactions, reopened when DuckDB has lost its way."""

from __future__ import annotations

import re
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import duckdb

from assistant.errors import AssistantError, BaseInUse, StoreError
from assistant.store.schema import shown

T = TypeVar("T")
Cursor = duckdb.DuckDBPyConnection

# No extension is ever fetched: json is built in, the text index is ours. A second thread costs 15 % CPU a question.
_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "threads": 1,
    "memory_limit": "1GB",
    # vectors do not get smaller by it (240 MB for 154 MB: half-filled blocks), and a scan takes three times as long
    "disabled_compression_methods": "alprd,alp",
}
_TRIES = 3


class Lost(Exception):
    """The transaction was not committed and the connection must not be used any more."""


class Connection:
    """One open DuckDB file. `path` None: in memory."""

    def __init__(self, path: Path | None, read_only: bool) -> None:
        """Opens the file, made when it is missing. Raises BaseInUse, StoreError."""
        self.path = path
        self.read_only = read_only
        self._root: Cursor | None = None
        self._closed = False
        self._generation = 0
        self._local = threading.local()
        self._cursors: weakref.WeakSet[Cursor] = weakref.WeakSet()
        self._connecting = threading.Lock()
        self._gate = _Gate()
        self._setups: list[str] = []
        self._connect()

    @property
    def folder(self) -> str:
        """The folder as messages name it."""
        return shown(None if self.path is None else self.path.parent)

    def cursor(self) -> Cursor:
        """This thread's own cursor: one connection used by two threads crashes DuckDB 1.3.2."""
        if getattr(self._local, "generation", None) != self._generation:
            with self._connecting:
                if self._closed:
                    raise StoreError(f"The knowledge base {self.folder} is closed; open it again.")
                if self._root is None:
                    self._connect()
                assert self._root is not None
                self._local.cursor = self._root.cursor()
                self._cursors.add(self._local.cursor)
                self._local.generation = self._generation
        return self._local.cursor  # type: ignore[no-any-return]

    def transaction(self, work: Callable[[Cursor], T]) -> T:
        """What `work` returns, run as one transaction; within another one it is part of that. Raises StoreError."""
        if getattr(self._local, "inside", False):
            return work(self.cursor())
        for _ in range(_TRIES):
            generation = self._generation
            try:
                return self._once(work)
            except Lost as err:
                self.reopen(generation)
                raise self._translated(err.__cause__ or err) from err
            except duckdb.Error as err:
                failure = err
                if _invalidated(err):
                    self.reopen(generation)
                elif generation == self._generation:
                    break
        raise self._translated(failure) from failure

    def execute(self, sql: str) -> None:
        """Runs the statements outside a transaction. Raises StoreError."""
        try:
            self.cursor().execute(sql)
        except duckdb.Error as err:
            raise self._translated(err) from err

    def checkpoint(self) -> None:
        """Takes the log into the file. Transactions under way are waited for, and others wait meanwhile.

        DuckDB refuses while any is active, a mere question too (1.3.2). Raises StoreError.
        """
        with self._gate.alone():
            self.execute("CHECKPOINT")

    def setup(self, sql: str) -> None:
        """Runs the statements now and after each reopening. Raises StoreError."""
        if sql not in self._setups:
            self.execute(sql)
            self._setups.append(sql)

    def reopen(self, generation: int | None = None) -> None:
        """Closes and opens the file, unless another thread did so since that generation. Nothing acknowledged is lost.

        The memory of DuckDB is not to be trusted after a commit that the disk refused: 1.3.2 goes on with an index
        that has the refused rows, and crashes on the next commit.
        """
        with self._gate.alone(), self._connecting:
            if generation in (None, self._generation):
                self._disconnect()
                self._connect()
        for sql in self._setups:
            self.execute(sql)

    def put_in_place(self, file: Path) -> None:
        """Takes this database file for its own, when the last transaction on the old one is done."""
        with self._gate.alone(), self._connecting:
            self._disconnect()
            # a log that was not taken over belongs to the old file and would be played into the new one
            if self.path is not None and not self.path.with_name(f"{self.path.name}.wal").exists():
                file.replace(self.path)
            self._connect()
        for sql in self._setups:
            self.execute(sql)

    def close(self) -> None:
        """Closes the file when the last transaction is done."""
        with self._gate.alone(), self._connecting:
            self._closed = True
            self._disconnect()

    def _once(self, work: Callable[[Cursor], T]) -> T:
        with self._gate.inside():
            cursor = self.cursor()
            cursor.begin()
            self._local.inside = True
            try:
                result = work(cursor)
                _commit(cursor)
                return result
            except duckdb.IOException as err:
                raise Lost from err
            except BaseException:
                _roll_back(cursor)
                raise
            finally:
                self._local.inside = False

    def _connect(self) -> None:
        try:
            if self.path is not None and not self.read_only:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            target = ":memory:" if self.path is None else str(self.path)
            self._root = duckdb.connect(target, read_only=self.read_only, config=_CONFIG)
        except (duckdb.Error, OSError) as err:
            raise self._translated(err) from err
        self._generation += 1

    def _disconnect(self) -> None:
        # DuckDB gives the file up only when every cursor is closed
        for cursor in list(self._cursors):
            cursor.close()
        self._cursors.clear()
        self._generation += 1
        if self._root is not None:
            self._root.close()
            self._root = None

    def _translated(self, err: BaseException) -> AssistantError:
        text = str(err)
        if "Could not set lock" in text or "being used by another process" in text:
            found = re.search(r"PID (\d+)", text)
            pid = int(found.group(1)) if found else None
            owner = f" (process {pid})" if pid else ""
            return BaseInUse(
                f"The knowledge base {self.folder} is open in another Glassbox{owner}; "
                "close it or use --kb for another.",
                pid,
            )
        return StoreError(f"The knowledge base {self.folder} cannot be used: {_first_line(text)} {_advice(text)}")


class _Gate:
    """Lets transactions pass side by side, or one thread alone when none is under way."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._under_way = 0
        self._shut = False

    @contextmanager
    def inside(self) -> Iterator[None]:
        with self._changed:
            self._changed.wait_for(lambda: not self._shut)
            self._under_way += 1
        try:
            yield
        finally:
            with self._changed:
                self._under_way -= 1
                self._changed.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        with self._changed:
            self._changed.wait_for(lambda: not self._shut)
            self._shut = True
            self._changed.wait_for(lambda: self._under_way == 0)
        try:
            yield
        finally:
            with self._changed:
                self._shut = False
                self._changed.notify_all()


def _commit(cursor: Cursor) -> None:
    try:
        cursor.commit()
    except duckdb.Error as err:
        raise Lost from err


def _roll_back(cursor: Cursor) -> None:
    try:
        cursor.rollback()
    except duckdb.Error:
        return  # the failure has already ended the transaction


def _invalidated(err: Exception) -> bool:
    return isinstance(err, duckdb.FatalException) or "database has been invalidated" in str(err)


def _first_line(text: str) -> str:
    line = text.strip().splitlines()[0] if text.strip() else "unknown error"
    return line if line.endswith((".", "!")) else line + "."


def _advice(text: str) -> str:
    if any(sign in text for sign in ("No space left", "File too large", "Could not write")):
        return "Free some disk space and try again; what was stored before is intact."
    if "not a valid DuckDB" in text or "corrupt" in text.lower() or "checksum" in text.lower():
        return "The file was left as it is: restore a copy of it, or choose another folder with --kb and ingest again."
    if "does not exist" in text:
        return "Choose an existing knowledge base with --kb, or open it for writing to create it."
    if "newer" in text or "version" in text:
        return "The file was left as it is: update Glassbox, or choose another folder with --kb."
    return "Try again; if it stays so, restore a copy of the folder, or choose another with --kb and ingest again."
