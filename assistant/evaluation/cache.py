"""CachedEmbedder: vectors kept on disk between evaluation runs."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from assistant.providers import Embedder
from assistant.providers.batches import Made


class VectorCache:
    """Vectors by text in an SQLite file; one file per model identity, so that models never mix."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._embedder = embedder
        self._lock = threading.Lock()
        file = folder / f"vectors-{embedder.identity.fingerprint()[:16]}.sqlite"
        self._rows = sqlite3.connect(file, check_same_thread=False, timeout=60)
        self._rows.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB)")

    def embed_passages(self, texts: Sequence[str], on_progress: Callable[..., Any] | None = None) -> np.ndarray:
        """The vectors of these texts in order, float32 (n, dimension); only unknown ones are computed."""
        keys = [_key("passage", text) for text in texts]
        known = self._known(keys)
        new = [i for i, key in enumerate(keys) if key not in known]
        if new:
            vectors = self._compute([texts[i] for i in new], on_progress)
            self._keep([(keys[i], v) for i, v in zip(new, vectors, strict=True)])
            known.update({keys[i]: v for i, v in zip(new, vectors, strict=True)})
        if not keys:
            return np.zeros((0, self._embedder.identity.dimension), np.float32)
        return np.stack([known[key] for key in keys])

    def embed_batches(
        self, texts: Sequence[str], on_progress: Callable[..., Any] | None = None
    ) -> Iterator[list[Made]]:
        """What became of each text, batch after batch; only unknown ones are computed."""
        size = self._embedder.embed_batch_size
        for start in range(0, len(texts), size):
            yield self._batch(texts[start : start + size])
            if on_progress is not None:
                on_progress(min(start + size, len(texts)), len(texts))

    def _batch(self, texts: Sequence[str]) -> list[Made]:
        keys = [_key("passage", text) for text in texts]
        known = self._known(keys)
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        made = [one for part in self._embedder.embed_batches(list(new.values())) for one in part]
        fresh = dict(zip(new, made, strict=True))
        self._keep([(key, one.vector) for key, one in fresh.items() if one.vector is not None])
        return [fresh[key] if key in fresh else Made(known[key]) for key in keys]

    def embed_query(self, text: str) -> np.ndarray:
        """The vector of a query, float32 (dimension,)."""
        key = _key("query", text)
        known = self._known([key])
        if key not in known:
            known[key] = np.asarray(self._embedder.embed_query(text), np.float32)
            self._keep([(key, known[key])])
        return known[key]

    def _compute(self, texts: list[str], on_progress: Callable[..., Any] | None) -> np.ndarray:
        return np.asarray(self._embedder.embed_passages(texts, on_progress), np.float32)

    def _known(self, keys: Sequence[bytes]) -> dict[bytes, np.ndarray]:
        found: dict[bytes, np.ndarray] = {}
        with self._lock:
            for at in range(0, len(keys), 500):
                part = list(keys[at : at + 500])
                marks = ",".join("?" * len(part))
                rows = self._rows.execute(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", part)
                found.update({key: np.frombuffer(vector, np.float32) for key, vector in rows})
        return found

    def _keep(self, pairs: Sequence[tuple[bytes, np.ndarray]]) -> None:
        rows = [(key, np.asarray(v, np.float32).tobytes()) for key, v in pairs]
        with self._lock, self._rows:
            self._rows.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)


def _key(kind: str, text: str) -> bytes:
    return hashlib.sha256(f"{kind}\0{text}".encode("utf-8", "surrogatepass")).digest()


class CachedEmbedder:
    """An embedder with a cache before it; everything else is the embedder's own."""

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        self._embedder = embedder
        cache = VectorCache(folder, embedder)
        self.embed_passages = cache.embed_passages
        self.embed_batches = cache.embed_batches
        self.embed_query = cache.embed_query

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)
