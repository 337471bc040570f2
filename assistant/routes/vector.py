"""The vector route: cosine between the query's and the chunks' embeddings."""

from __future__ import annotations

from assistant.routes.route import Query, Route
from assistant.trace import Background, Hit, Retrieved


class VectorRoute(Route):
    """Chunks by meaning. Raw score: cosine, −1 to 1, higher is closer."""

    name = "vector"
    unit = "cosine"

    def search(self, query: Query) -> Retrieved:
        """The nearest chunks, with mean and deviation of the cosines to all chunks as background."""
        vector = self.embedder.embed_query(query.text)
        found = self.base.search_vector(vector, query.depth, query.scope)
        pairs = zip(found.ids, found.cosines, strict=True)
        return Retrieved(
            route=self.name,
            query=query.text,
            attempt=query.attempt,
            part=query.part,
            unit=self.unit,
            depth=query.depth,
            hits=tuple(Hit(chunk_id=i, rank=rank, score=float(c)) for rank, (i, c) in enumerate(pairs, 1)),
            background=Background(
                mean=found.background.mean, deviation=found.background.deviation, chunks=found.background.n
            ),
        )
