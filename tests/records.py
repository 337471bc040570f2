"""Small hand-made records for tests of the pure stages."""

from __future__ import annotations

from datetime import UTC, datetime

from assistant.trace import Background, BaseInfo, Hit, Passage, Retrieved, Term, Trace

ASKED = datetime(2026, 6, 1, tzinfo=UTC)


def passage(chunk_id: str, text: str = "", **fields) -> Passage:
    body = text or f"text of {chunk_id}"
    return Passage(
        chunk_id=chunk_id,
        document_id="d",
        document=fields.pop("document", "d.md"),
        start=0,
        end=len(body),
        text=body,
        **fields,
    )


def retrieved(route: str, scores: dict[str, float], **fields) -> Retrieved:
    hits = tuple(Hit(chunk_id=i, rank=n, score=s) for n, (i, s) in enumerate(scores.items(), 1))
    unit = {"vector": "cosine", "text": "bm25"}.get(route, "points")
    return Retrieved(route=route, query=fields.pop("query", "q"), unit=unit, depth=50, hits=hits, **fields)


def vector(
    scores: dict[str, float], mean: float = 0.7, deviation: float = 0.02, chunks: int = 100, **fields
) -> Retrieved:
    background = Background(mean=mean, deviation=deviation, chunks=chunks)
    return retrieved("vector", scores, background=background, **fields)


def text(scores: dict[str, float], terms: tuple[Term, ...] = (), **fields) -> Retrieved:
    return retrieved("text", scores, terms=terms, **fields)


def term(word: str, df: int = 1, idf: float = 1.0, identifier: bool = False) -> Term:
    return Term(text=word, identifier=identifier, document_frequency=df, idf=idf)


def empty_trace(question: str = "q", **fields) -> Trace:
    info = BaseInfo(name="notes", documents=1, chunks=3, embedder="none")
    return Trace(id="t", question=question, base=info, settings={}, settings_hash="0", started=ASKED, **fields)
