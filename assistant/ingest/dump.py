"""Files as they would be indexed, written as JSON: read and cut, not embedded, and no knowledge base is touched."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from assistant.chunking import chunk
from assistant.errors import UnreadableFile
from assistant.ingest.find import Found, find_files
from assistant.ingest.plan import Job
from assistant.ingest.reading import Read, ReaderPool
from assistant.readers import SUPPORTED
from assistant.settings import Settings
from assistant.trace import Record


class Dumped(Record):
    """What became of one file. `file`: the JSON written; `error` "" = it was read; `skipped`: never tried."""

    name: str
    file: str = ""
    chunks: int = 0
    error: str = ""
    skipped: bool = False


def dump(paths: Sequence[str | Path], folder: Path, settings: Settings) -> Iterator[Dumped]:
    """One record per file, when its JSON is written to `folder`/<name>.json; a path with nothing there has an error.

    The JSON: {"chunks": [{"text", "page"}], "warnings": […], "error": null or {"kind", "message"}}. `text` is what the
    embedder would see, `page` the page it begins on, from 1, null without pages. Chunks are cut by characters only: the
    token limit of an embedding model is not known here. Equal names below several folders get " (2)" and so on.
    """
    findings = find_files(paths, SUPPORTED)
    writer = _Writer(folder)
    for path in findings.missing:
        yield Dumped(name=path, error="There is nothing at this path; check its spelling.")
    for skipped in findings.skipped:
        yield writer.write(skipped.name, _refused("unsupported", skipped.why), skipped=True)
    for name, future in _read(findings.files, settings):
        yield writer.write(name, _content(future, settings))


def _read(files: Sequence[Found], settings: Settings) -> Iterator[tuple[str, Future[Read]]]:
    """Each file's reading in order, a few of them under way at a time."""
    with ReaderPool(settings.reading) as pool:
        running: deque[tuple[str, Future[Read]]] = deque()
        for found in files:
            running.append((found.name, pool.submit(Job(found=found, document_id="", name=found.name))))
            if len(running) > 2 * pool.workers:
                yield running.popleft()
        yield from running


def _content(future: Future[Read], settings: Settings) -> dict[str, Any]:
    try:
        document = future.result().document
    except UnreadableFile as err:
        return _refused(err.kind, str(err))
    chunks = chunk(document, settings.chunking)
    if not chunks:
        return _refused("empty", f"{document.name} holds no text that can be indexed.")
    rows = [{"text": c.embedded_text(), "page": c.pages[0] if c.pages else None} for c in chunks]
    return {"chunks": rows, "warnings": list(document.warnings), "error": None}


def _refused(kind: str, message: str) -> dict[str, Any]:
    return {"chunks": [], "warnings": [], "error": {"kind": kind, "message": message}}


class _Writer:
    """Writes one JSON file per name below a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._taken: set[str] = set()

    def write(self, name: str, content: dict[str, Any], skipped: bool = False) -> Dumped:
        file = self._folder / f"{self._free(name)}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(content, ensure_ascii=False, indent=1), encoding="utf-8")
        error = content["error"]["message"] if content["error"] else ""
        return Dumped(name=name, file=str(file), chunks=len(content["chunks"]), error=error, skipped=skipped)

    def _free(self, name: str) -> str:
        free, count = name, 1
        while free in self._taken:
            count += 1
            free = f"{name} ({count})"
        self._taken.add(free)
        return free
