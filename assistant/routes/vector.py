"""The vector route: cosine between the query's and the chunks' embeddings."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from assistant.routes.references import FEW_CHUNKS, TEXTS
from assistant.routes.route import Query, Route
from assistant.store.found import VectorFound
from assistant.trace import Background, Hit, Retrieved


class VectorRoute(Route):
    """Chunks by meaning. Raw score: cosine, −1 to 1, higher is closer."""

    name = "vector"
    unit = "cosine"

    def search(self, query: Query) -> Retrieved:
        """The nearest chunks, with mean and deviation of the cosines to all chunks as background."""
        vector = self._vector(query)
        model = self.embedder.identity.fingerprint()
        found = self.base.search_vector(vector, query.depth, query.scope, model)
        pairs = zip(found.ids, found.cosines, strict=True)
        return Retrieved(
            route=self.name,
            query=query.text,
            imagined=query.imagined,
            attempt=query.attempt,
            part=query.part,
            unit=self.unit,
            depth=query.depth,
            hits=tuple(Hit(chunk_id=i, rank=rank, score=float(c)) for rank, (i, c) in enumerate(pairs, 1)),
            background=self._background(vector, found),
            chunks=found.background.n,
        )

    def _vector(self, query: Query) -> NDArray[np.float32]:
        """The query's vector, or its mean with that of the imagined passage, at length 1 (Gao et al., ACL 2023)."""
        asked = np.asarray(self.embedder.embed_query(query.text), np.float32)
        if not query.imagined:
            return asked
        both = asked + np.asarray(self.embedder.embed_passages([query.imagined])[0], np.float32)
        return np.asarray(both / np.linalg.norm(both), np.float32)

    @cached_property
    def _references(self) -> NDArray[np.float32]:
        return np.asarray(self.embedder.embed_passages(TEXTS), np.float32)

    def _background(self, vector: NDArray[np.float32], found: VectorFound) -> Background:
        """Over all chunks of the scope, and in a small base over the reference texts too."""
        base = found.background
        if base.n >= FEW_CHUNKS:
            return Background(mean=base.mean, deviation=base.deviation, chunks=base.n)
        others = self._references @ np.asarray(vector, np.float32)
        total = base.n + len(others)
        mean = (base.n * base.mean + float(others.sum())) / total
        spread = base.n * (base.deviation**2 + (base.mean - mean) ** 2) + float(((others - mean) ** 2).sum())
        return Background(mean=mean, deviation=(spread / total) ** 0.5, chunks=base.n, references=len(others))
