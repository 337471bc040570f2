"""The extractive writer: the best sentences of the best chunks, word for word, each with its source."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from assistant.answer.brief import Brief, caveat_of
from assistant.chunking.sentences import sentences
from assistant.errors import AssistantError
from assistant.language import ASKING_WORDS
from assistant.tokens import tokens
from assistant.trace import Answered, Citation, Passage, Sentence, Step, Term

LABEL_EN = "quoted from your documents; connect Ollama for written answers"
LABEL_ZH = "摘自您的文档；连接 Ollama 可获得撰写的回答"
CHUNKS = 3
COSINE_WEIGHT, RANK_WEIGHT = 0.5, 1.0
EMBEDDED = 8  # sentences whose cosine is computed: all of them cost five times as much and change nothing (decisions)


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
    """The best sentences in reading order: settings.answering.sentences, and up to twice as many while it is short."""
    most, short = brief.settings.answering.sentences, brief.settings.answering.short
    chosen: dict[str, Quote] = {}
    for quote in sorted(_scored(brief), key=lambda q: (-q.score, q.rank, q.start)):
        length = sum(len(q.text) for q in chosen.values()) + len(quote.text)
        if len(chosen) >= most and (length > short or len(chosen) >= 2 * most):
            break
        chosen.setdefault("".join(quote.text.split()), quote)
    return tuple(sorted(chosen.values(), key=lambda q: (q.rank, q.start)))


def _scored(brief: Brief) -> list[Quote]:
    """Sentence score = coverage of the question's idf + 1 / rank of its chunk + 0.5 × cosine of the likeliest ones."""
    quotes = [
        Quote(rank, passage, passage.start + start, passage.start + end, passage.text[start:end], 0.0)
        for rank, (_, passage) in enumerate(brief.evidence[:CHUNKS])
        for start, end in sentences(passage.text)
    ]
    terms = [t for t in brief.terms if t.text not in ASKING_WORDS] or list(brief.terms)
    total = sum(t.idf for t in terms) or 1.0
    rated = [replace(q, score=_coverage(q, terms) / total + RANK_WEIGHT / (q.rank + 1)) for q in quotes]
    likely = sorted(rated, key=lambda q: -q.score)[:EMBEDDED]
    cosines = _cosines(brief, [q.text for q in likely])
    return [replace(q, score=q.score + COSINE_WEIGHT * c) for q, c in zip(likely, cosines, strict=True)]


def _coverage(quote: Quote, terms: Sequence[Term]) -> float:
    held = set(tokens(quote.text))
    return sum(t.idf for t in terms if t.text in held)


def _cosines(brief: Brief, texts: list[str]) -> list[float]:
    """Cosine of the question to each text; 0 for all when there is no text or the model does not answer.

    Texts are cut at 400 characters, below any embedder's limit: only their order matters here.
    """
    if not texts:
        return []
    try:
        query = brief.embedder.embed_query(brief.question)
        vectors = brief.embedder.embed_passages([text[:400] for text in texts])
    except AssistantError:
        return [0.0] * len(texts)
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
