"""Which files lie below the folders that a person named: nothing is read, no link is followed."""

from __future__ import annotations

import os
import stat
import time
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from assistant.trace import Record

_HIDDEN_NAMES = {"thumbs.db", "desktop.ini", "__macosx", "__pycache__", "node_modules", "$recycle.bin"}
_TEMPORARY_ENDS = ("~", ".tmp", ".temp", ".part", ".partial", ".crdownload", ".download", ".swp", ".lock")

# file systems keep times in steps of up to 2 s (FAT); within a step a second write leaves no trace in the time
_SETTLED_AFTER_NS = 2_500_000_000


class Found(Record):
    """A file to be read. `name` is the path below `root`, with "/" and in composed Unicode.

    `settled`: last written long enough ago that a later change must show in its time.
    """

    path: str
    name: str
    root: str
    size: int = 0
    mtime_ns: int = 0
    settled: bool = True

    @property
    def proof(self) -> int:
        """The time that proves an equal file unchanged, 0 when it proves nothing."""
        return self.mtime_ns if self.settled else 0


class Skipped(Record):
    """A file that is left alone, and why."""

    name: str
    why: str


class Findings(Record):
    """What was found. `searched`: folders listed in full; only what vanished below them counts as deleted.

    `missing`: paths that a person named and that are not there. `unlisted`: folders that could not be opened.
    """

    files: tuple[Found, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    searched: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    unlisted: tuple[str, ...] = ()


def find_files(paths: Iterable[str | Path], supported: Collection[str], known: Collection[str] = ()) -> Findings:
    """The files at and below these paths, each once, in order of name.

    `supported`: endings with dot, lower case; files of other formats are listed as skipped. A file that was named
    itself is always taken, and so are the `known` paths, which once were. Links below a folder are not followed: what
    they lead to inside is found under its own name.
    """
    found = _Search(frozenset(supported), frozenset(known))
    for path in paths:
        found.take(Path(os.path.realpath(path)))
    return found.findings()


def is_hidden(name: str) -> bool:
    """Whether a file or folder of this name is never meant to be read: hidden, or an editor's or a system's own."""
    lower = name.lower()
    return lower.startswith((".", "~$")) or lower in _HIDDEN_NAMES or lower.endswith(_TEMPORARY_ENDS)


class _Search:
    """One walk over the named paths."""

    def __init__(self, supported: frozenset[str], known: frozenset[str]) -> None:
        self._supported = supported
        self._known = known
        self._started_ns = time.time_ns()
        self._files: dict[str, Found] = {}
        self._skipped: dict[str, Skipped] = {}
        self._searched: list[str] = []
        self._missing: list[str] = []
        self._unlisted: list[str] = []

    def take(self, path: Path) -> None:
        if not _is_unicode(path):
            self._missing.append(_readable(str(path)))
        elif path.is_dir():
            self._searched.append(str(path))
            self._walk(path)
        elif not path.exists():
            self._missing.append(str(path))
        elif path.is_file():
            self._add(path, path.parent, path.stat())
        else:
            self._skip(path, path.parent, "it is not a regular file")

    def findings(self) -> Findings:
        return Findings(
            files=tuple(sorted(self._files.values(), key=lambda f: (f.root, f.name))),
            skipped=tuple(s for path, s in sorted(self._skipped.items()) if path not in self._files),
            searched=tuple(self._searched),
            missing=tuple(self._missing),
            unlisted=tuple(self._unlisted),
        )

    def _walk(self, root: Path) -> None:
        pending = [root]
        while pending:
            for entry in self._entries(pending.pop()):
                if is_hidden(entry.name) and entry.path not in self._known:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    pending.append(Path(entry.path))
                else:
                    self._judge(entry, root)

    def _entries(self, folder: Path) -> Iterator[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                yield from list(entries)
        except OSError:
            self._unlisted.append(str(folder))

    def _judge(self, entry: os.DirEntry[str], root: Path) -> None:
        path = Path(entry.path)
        if entry.is_symlink():
            self._skip(path, root, "it is a link" if path.exists() else "it is a link that leads nowhere")
            return
        if not _is_unicode(path):
            self._skip(path, root, "its name or its folder's is not valid Unicode")
            return
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:
            return  # gone between listing and looking
        if not stat.S_ISREG(status.st_mode):
            self._skip(path, root, "it is not a regular file")
        elif path.suffix.lower() not in self._supported and entry.path not in self._known:
            self._skip(path, root, f"files of type {path.suffix.lower() or '(no ending)'!r} are not read")
        else:
            self._add(path, root, status)

    def _add(self, path: Path, root: Path, status: os.stat_result) -> None:
        entry = Found(
            path=str(path),
            name=shown_name(path, root),
            root=str(root),
            size=status.st_size,
            mtime_ns=status.st_mtime_ns,
            settled=status.st_mtime_ns + _SETTLED_AFTER_NS < self._started_ns,
        )
        self._files.setdefault(str(path), entry)

    def _skip(self, path: Path, root: Path, why: str) -> None:
        self._skipped.setdefault(str(path), Skipped(name=shown_name(path, root), why=why))


def shown_name(path: Path, root: Path) -> str:
    """The path below its root as a person reads it; names that are not valid Unicode are made readable."""
    return unicodedata.normalize("NFC", _readable(path.relative_to(root).as_posix()))


def _readable(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _is_unicode(path: Path) -> bool:
    text = str(path)
    return _readable(text) == text
