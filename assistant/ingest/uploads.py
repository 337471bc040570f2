"""Uploads: files handed over in the browser are kept in the base's own folder, because the browser's copy goes away."""

from __future__ import annotations

import filecmp
import itertools
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from assistant.errors import StoreError

FOLDER = "uploads"
LONGEST_NAME = 200  # bytes; file systems take 255, and a copy under way has a few more


def keep_uploads(paths: Sequence[str | Path], folder: Path) -> tuple[Path, ...]:
    """The kept copies, in `folder`/uploads, in order. A file of the same name is a newer version and takes its place.

    Two files of one name that are handed over together are two files: the second is called "name (2).md".

    Raises StoreError when the disk does not take a copy; what was kept before it stays.
    """
    target = folder / FOLDER
    try:
        target.mkdir(parents=True, exist_ok=True)
        kept: dict[str, Path] = {}
        return tuple(_keep(Path(path), target / _name(Path(path), kept)) for path in paths)
    except OSError as err:
        raise StoreError(
            f"The upload cannot be kept in {target} ({err.strerror}); make room and add it again."
        ) from err


def forget_upload(path: str, folder: Path) -> None:
    """Removes a kept copy; a file anywhere else is the person's own and is never touched."""
    kept = Path(path)
    if kept.parent == folder / FOLDER:
        kept.unlink(missing_ok=True)


def _name(source: Path, taken: dict[str, Path]) -> str:
    """A name that no other file of this upload has; very long ones are cut before their ending."""
    for number in itertools.count(1):
        end = f" ({number}){source.suffix}" if number > 1 else source.suffix
        stem = source.stem.encode()[: LONGEST_NAME - len(end.encode())].decode("utf-8", "ignore")
        # Windows and macOS take names that differ in case only for one
        other = taken.setdefault(f"{stem}{end}".casefold(), source)
        if other == source or filecmp.cmp(source, other, shallow=False):
            break
    return f"{stem}{end}"


def _keep(source: Path, kept: Path) -> Path:
    if kept.exists() and filecmp.cmp(source, kept, shallow=False):
        return kept
    partial = kept.with_name(f".{kept.name}.part")
    shutil.copyfile(source, partial)
    os.replace(partial, kept)
    return kept
