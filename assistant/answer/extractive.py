"""The extractive writer: the best sentences of the best chunks, word for word, each with its source."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from assistant.answer.brief import Brief, caveat_of
from assistant.chunking.sentences import sentences
from assistant.tokens import tokens
from assistant.trace import Answered, Citation, Passage, Sentence, Step

LABEL_EN = "quoted from your documents; connect Ollama for written answers"
LABEL_ZH = "摘自您的文档；连接 Ollama 可获得撰写的回答"
CHUNKS = 3
COSINE_WEIGHT, RANK_WEIGHT = 0.5, 0.3


@dataclass(frozen=True)
class Quote:
    """One sentence of a chunk: which chunk (from 0), its place in the document, its text and its score."""

    rank: int
    passage: Passage
    start: int
    end: int
    text: str
    score: float


def write(brief: Brief) -> Iterator[Step]:
    """One Answered: the sentences in reading order, best chunk first; each is exactly a span of its document."""
    started = time.perf_counter()
    chosen = choose(brief)
    citations, said = _cite(chosen)
    yield Answered(
        attempt=brief.decided.attempt,
        seconds=time.perf_counter() - started,
        writer="extractive",
        decision="caveat" if brief.decided.decision == "caveat" else "answer",
        text=" ".join(f"{s.text} [{s.citations[0]}]" for s in said),
        label=LABEL_ZH if brief.chinese else LABEL_EN,
        caveat=caveat_of(brief),
        sentences=said,
        citations=citations,
    )


def choose(brief: Brief) -> tuple[Quote, ...]:
    """The best sentences, at most settings.answering.sentences, in reading order."""
    quotes = _scored(brief)
    best = sorted(quotes, key=lambda q: (-q.score, q.rank, q.start))
    distinct: dict[str, Quote] = {}
    for quote in best:
        distinct.setdefault("".join(quote.text.split()), quote)
    chosen = list(distinct.values())[: brief.settings.answering.sentences]
    return tuple(sorted(chosen, key=lambda q: (q.rank, q.start)))


def _scored(brief: Brief) -> list[Quote]:
    """Sentence score = coverage of the question's idf + 0.5 × cosine + 0.3 / rank of its chunk."""
    found = [
        (rank, passage, start, end)
        for rank, (_, passage) in enumerate(brief.evidence[:CHUNKS])
        for start, end in sentences(passage.text)
    ]
    texts = [passage.text[start:end] for _, passage, start, end in found]
    cosines = _cosines(brief, texts)
    total = sum(t.idf for t in brief.terms) or 1.0
    quotes = []
    for (rank, passage, start, end), text, cosine in zip(found, texts, cosines, strict=True):
        held = set(tokens(text))
        coverage = sum(t.idf for t in brief.terms if t.text in held) / total
        score = coverage + COSINE_WEIGHT * cosine + RANK_WEIGHT / (rank + 1)
        quotes.append(Quote(rank, passage, passage.start + start, passage.start + end, text, score))
    return quotes


def _cosines(brief: Brief, texts: list[str]) -> list[float]:
    """Cosine of the question to each text. The texts are cut at the embedder's limit: only their order matters here."""
    if not texts:
        return []
    query = brief.embedder.embed_query(brief.question)
    vectors = brief.embedder.embed_passages([text[:400] for text in texts])
    return [float(c) for c in np.asarray(vectors) @ np.asarray(query)]


def _cite(chosen: tuple[Quote, ...]) -> tuple[tuple[Citation, ...], tuple[Sentence, ...]]:
    """One citation a sentence, numbered by chunk: sentences of one chunk share the chunk's number."""
    numbers: dict[str, int] = {}
    citations: list[Citation] = []
    said: list[Sentence] = []
    for quote in chosen:
        passage = quote.passage
        number = numbers.setdefault(passage.chunk_id, len(numbers) + 1)
        said.append(Sentence(text=quote.text, citations=(number,), supported=True, why="quoted word for word"))
        citations.append(
            Citation(
                number=number,
                chunk_id=passage.chunk_id,
                document=passage.document,
                heading=passage.heading,
                pages=passage.pages,
                start=quote.start,
                end=quote.end,
                text=quote.text,
            )
        )
    return tuple(citations), tuple(said)
