"""The vectors of one file: those of known texts again, the others from the model, and none computed twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from assistant.documents import Chunk
from assistant.errors import UnreadableFile
from assistant.providers.batches import Made, without_vector
from assistant.store.chunks import text_hash

if TYPE_CHECKING:
    from assistant.providers.embedder import Embedder
    from assistant.store.base import Base

_KEEP_EVERY = 256  # vectors: a large file that is killed in the middle loses no more; small ones cost no writing


@dataclass(frozen=True)
class Vectors:
    """One vector per chunk in order; how many were computed, and how many of them from parts of a long text."""

    rows: list[Any]
    embedded: int
    in_parts: int


class FileEmbedding:
    """Embeds the chunks of one file. What is finished when it ends early waits in the base for the next time."""

    def __init__(self, base: Base, embedder: Embedder, document_id: str, name: str, chunks: Sequence[Chunk]) -> None:
        self._base = base
        self._embedder = embedder
        self._document_id = document_id
        self._name = name
        self._chunks = chunks
        self._hashes = [text_hash(chunk.embedded_text()) for chunk in chunks]
        self._known: dict[str, Any] = dict(base.vectors_for(self._hashes))
        self._made: dict[str, Made] = {}
        self._waiting = 0
        self.missing = {
            key: chunk.embedded_text()
            for key, chunk in zip(self._hashes, chunks, strict=True)
            if key not in self._known
        }

    def run(self, on_progress: Callable[[int, int], None]) -> Vectors:
        """All vectors. Raises UnreadableFile naming the chunk that has none, and what the embedder raises."""
        try:
            self._embed(on_progress)
            failed = [key for key, made in self._made.items() if made.vector is None]
            if failed:
                raise UnreadableFile(self._sentence(failed), "model")
        except BaseException:
            self._keep()
            raise
        found = self._known | {key: made.vector for key, made in self._made.items()}
        in_parts = sum(made.parts > 1 for made in self._made.values())
        return Vectors([found[key] for key in self._hashes], len(self.missing), in_parts)

    def _embed(self, on_progress: Callable[[int, int], None]) -> None:
        keys = iter(self.missing)
        for batch in self._embedder.embed_batches(list(self.missing.values()), on_progress):
            self._made.update((next(keys), made) for made in batch)
            if len(self._made) - self._waiting >= _KEEP_EVERY:
                self._keep()

    def _keep(self) -> None:
        model = self._base.embedder
        fresh = list(self._made.items())[self._waiting :]
        done = [(key, made.vector, made.parts) for key, made in fresh if made.vector is not None]
        self._waiting = len(self._made)
        if done and model is not None:
            keys, vectors, parts = zip(*done, strict=True)
            self._base.shelf.put(model, keys, np.stack(vectors), parts, self._document_id)

    def _sentence(self, failed: Sequence[str]) -> str:
        place = self._hashes.index(failed[0])
        chunk, made = self._chunks[place], self._made[failed[0]]
        more = f" {len(failed) - 1} more failed too." if len(failed) > 1 else ""
        return f"{self._name}: {without_vector(chunk.ordinal, chunk.embedded_text(), made.reason)}{more}"
