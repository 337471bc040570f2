"""Uploads: files handed over in the browser are kept in the base's own folder, because the browser's copy goes away."""

from __future__ import annotations

import filecmp
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from assistant.errors import StoreError

FOLDER = "uploads"


def keep_uploads(paths: Sequence[str | Path], folder: Path) -> tuple[Path, ...]:
    """The kept copies, in `folder`/uploads, in order. A file of the same name is a newer version and takes its place.

    Raises StoreError when the disk does not take a copy; what was kept before it stays.
    """
    target = folder / FOLDER
    try:
        target.mkdir(parents=True, exist_ok=True)
        return tuple(_keep(Path(path), target) for path in paths)
    except OSError as err:
        raise StoreError(
            f"The upload cannot be kept in {target} ({err.strerror}); make room and add it again."
        ) from err


def forget_upload(path: str, folder: Path) -> None:
    """Removes a kept copy; a file anywhere else is the person's own and is never touched."""
    kept = Path(path)
    if kept.parent == folder / FOLDER:
        kept.unlink(missing_ok=True)


def _keep(source: Path, target: Path) -> Path:
    kept = target / source.name
    if kept.exists() and filecmp.cmp(source, kept, shallow=False):
        return kept
    partial = target / f".{source.name}.part"
    shutil.copyfile(source, partial)
    os.replace(partial, kept)
    return kept
