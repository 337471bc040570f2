"""Small real parts for the tests of the store."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from assistant.documents import Chunk, FileRow
from assistant.providers.identity import EmbedderIdentity
from assistant.settings import Settings
from assistant.store.base import Base

DIMENSION = 4
ROOT = Path(__file__).resolve().parents[1]


def identity(model: str = "small", dimension: int = DIMENSION, **more: Any) -> EmbedderIdentity:
    return EmbedderIdentity(
        provider="embedded", model=model, engine="test", dimension=dimension, max_tokens=512, **more
    )


def settings(text: str = "postings", vector: str = "matrix") -> Settings:
    return Settings().changed({"index.text_index": text, "index.vector_index": vector})


def opened(folder: Path, model: str = "small", **more: Any) -> Base:
    return Base.open(folder, identity(model), settings(), **more)


def row(document_id: str, **more: Any) -> FileRow:
    given = {"name": f"{document_id}.md", "path": f"/notes/{document_id}.md", "state": "indexed"} | more
    return FileRow(document_id=document_id, **given)


def pieces(*texts: str, **more: Any) -> list[Chunk]:
    return [Chunk(ordinal=i, text=text, start=0, end=len(text), **more) for i, text in enumerate(texts)]


def vectors(*first: float, dimension: int = DIMENSION) -> np.ndarray:
    """Unit vectors with these cosines to (1, 0, …)."""
    rows = np.zeros((len(first), dimension), dtype=np.float32)
    rows[:, 0] = first
    rows[:, 1] = np.sqrt(1 - np.square(first))
    return rows


EAST = (1.0, 0.0, 0.0, 0.0)


def put(base: Base, document_id: str, *texts: str, cosines: tuple[float, ...] | None = None, **more: Any) -> None:
    """Adds a document; without cosines all its vectors point east."""
    base.replace_document(row(document_id, **more), pieces(*texts), vectors(*(cosines or (1.0,) * len(texts))))


def found_by_text(base: Base, *terms: str) -> list[str]:
    return [hit.chunk_id for hit in base.search_text(terms, 50).hits]


def found_by_vector(base: Base) -> list[str]:
    return list(base.search_vector(EAST, 1000).ids)


def child(code: str, *words: str) -> subprocess.Popen[str]:
    """A second Python that runs this code with sys.argv[1:] = words."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "tests"), os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen(
        [sys.executable, "-c", code, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )


def last_json(text: str) -> Any:
    return json.loads(text.strip().splitlines()[-1])
