"""Built model files in the user's cache folder: written whole or not at all, checked at every load."""

from __future__ import annotations

import hashlib
import logging
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from platformdirs import user_cache_dir

logger = logging.getLogger(__name__)

_ABANDONED_SECONDS = 3600


def cache_folder() -> Path:
    """The folder for built models: the environment's GLASSBOX_CACHE, else the user's cache folder for Glassbox."""
    return Path(os.environ.get("GLASSBOX_CACHE") or user_cache_dir("glassbox", appauthor=False)) / "models"


def cached(stem: str, suffix: str, build: Callable[[], bytes]) -> bytes:
    """The content of the file of this name, built when it is missing or damaged.

    The file's own hash is part of its name, so a partial or changed file is seen and replaced, and two processes that
    build at once write two whole files or the same one. A folder that cannot be written only costs the next start.
    """
    folder = cache_folder()
    content = _intact(folder, stem, suffix)
    if content is None:
        content = build()
        _write(folder, f"{stem}-{_hash(content)}{suffix}", content)
    return content


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:32]


def _intact(folder: Path, stem: str, suffix: str) -> bytes | None:
    for path in sorted(folder.glob(f"{stem}-*{suffix}")):
        try:
            content = path.read_bytes()
        except OSError:
            continue
        if path.name == f"{stem}-{_hash(content)}{suffix}":
            return content
        logger.warning("The built model %s is damaged; it is built again.", path.name)
        _remove(path)
    return None


def _write(folder: Path, name: str, content: bytes) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _remove_abandoned(folder)
        handle, partial = tempfile.mkstemp(prefix=".partial-", dir=folder)
    except OSError as err:
        logger.warning("The built model cannot be kept in %s (%s); it is built again at the next start.", folder, err)
        return
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, folder / name)
    except OSError as err:
        _remove(Path(partial))
        logger.warning("The built model cannot be kept in %s (%s); it is built again at the next start.", folder, err)


def _remove_abandoned(folder: Path) -> None:
    """Removes what a build left behind that was killed; a younger file may still be written by another process."""
    for path in folder.glob(".partial-*"):
        if time.time() - path.stat().st_mtime > _ABANDONED_SECONDS:
            _remove(path)


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as err:
        logger.warning("%s cannot be removed (%s).", path, err)
