"""The text route: BM25 over words, numbers and identifiers."""

from __future__ import annotations

import math

from assistant.routes.route import Query, Route
from assistant.tokens import query_terms
from assistant.trace import Hit, Retrieved, Term, TermMatch


class TextRoute(Route):
    """Chunks by their words. Raw score: BM25 with k1 = 1.2, b = 0.75, from 0, without upper bound."""

    name = "text"
    unit = "bm25"

    def search(self, query: Query) -> Retrieved:
        """The chunks with the highest BM25, each with its terms; and every query term with its document frequency."""
        terms = query_terms(query.text)
        found = self.base.search_text([t.text for t in terms], query.depth, query.scope)
        return Retrieved(
            route=self.name,
            query=query.text,
            attempt=query.attempt,
            part=query.part,
            unit=self.unit,
            depth=query.depth,
            hits=tuple(
                Hit(
                    chunk_id=hit.chunk_id,
                    rank=rank,
                    score=hit.score,
                    length=hit.length,
                    matches=tuple(
                        TermMatch(term=term, frequency=tf, share=share) for term, (tf, share) in hit.matches.items()
                    ),
                )
                for rank, hit in enumerate(found.hits, 1)
            ),
            terms=tuple(
                Term(
                    text=t.text,
                    identifier=t.identifier,
                    document_frequency=found.document_frequencies.get(t.text, 0),
                    idf=idf(found.n, found.document_frequencies.get(t.text, 0)),
                )
                for t in terms
            ),
            average_length=found.average_length,
            chunks=found.n,
        )


def idf(chunks: int, document_frequency: int) -> float:
    """BM25's inverse document frequency, ln(1 + (n − df + 0.5) / (df + 0.5)); highest for a term in no chunk."""
    return math.log(1 + (chunks - document_frequency + 0.5) / (document_frequency + 0.5))
