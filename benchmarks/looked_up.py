"""An embedder that looks vectors up, so that what is measured around it holds no embedding."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence

import numpy as np
from pydantic import PrivateAttr

from assistant.providers.embedder import Embedder, OnProgress, Vectors
from assistant.providers.identity import EmbedderIdentity
from benchmarks.generated import DIMENSION

IDENTITY = EmbedderIdentity(
    provider="generated", model="generated", engine="looked-up", dimension=DIMENSION, max_tokens=512
)


class LookedUp(Embedder):
    """The stored vector of each text; any other text (a rewritten query, a passage) gets one by its checksum."""

    _stored: dict[str, Vectors] = PrivateAttr()

    def __init__(self, stored: Mapping[str, Vectors]) -> None:
        super().__init__(model_name=IDENTITY.model)
        self._stored = dict(stored)

    @property
    def identity(self) -> EmbedderIdentity:
        return IDENTITY

    def count_tokens(self, text: str) -> int:
        return len(text) // 2

    def embed_passages(self, texts: Sequence[str], on_progress: OnProgress | None = None) -> Vectors:
        return np.array([self.embed_query(text) for text in texts], np.float32).reshape(-1, DIMENSION)

    def embed_query(self, text: str) -> Vectors:
        if text in self._stored:
            return self._stored[text]
        drawn = np.random.default_rng(zlib.crc32(text.encode())).standard_normal(DIMENSION, np.float32)
        return np.asarray(drawn / np.linalg.norm(drawn), np.float32)
