"""The extractive writer: the best sentences of the best chunks, word for word, each with its source."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from assistant.answer.brief import Brief, caveat_of
from assistant.chunking.sentences import sentences
from assistant.errors import AssistantError
from assistant.language import ASKING_WORDS
from assistant.tokens import query_terms, tokens
from assistant.trace import Answered, Citation, Passage, Sentence, Step, Term

LABEL_EN = "quoted from your documents; choose a chat model for written answers"
LABEL_ZH = "摘自您的文档；选择对话模型可获得撰写的回答"
CHUNKS = 3
COSINE_WEIGHT, RANK_WEIGHT = 0.5, 1.0
EXTRA_COVERAGE = 0.3
ADDED_WEIGHT = 0.1  # terms that a follow-up took over say where to look, not what is asked now
LONGEST_HEADING = 40
_BARE = re.compile(r"[^\n。！？；….!?;:：|，,\-*+•·]+")
_ROW = re.compile(r"[^\s][^\r\n]*")
_RULE = re.compile(r"[\s|:+=-]+")
EMBEDDED = 8  # sentences whose cosine is computed: all of them cost five times as much and change nothing (decisions)


@dataclass(frozen=True)
class Quote:
    """One sentence of a chunk: which chunk (from 0), its place in the document, its coverage (0–1) and its score."""

    rank: int
    passage: Passage
    start: int
    end: int
    text: str
    coverage: float = 0.0
    score: float = 0.0


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
        text=_text(said),
        label=LABEL_ZH if brief.chinese else LABEL_EN,
        caveat=caveat_of(brief),
        sentences=said,
        citations=citations,
    )


def choose(brief: Brief) -> tuple[Quote, ...]:
    """The best sentences in reading order: settings.answering.sentences, and up to twice as many while it is short.

    Of a split question as many for each part. Sentences beyond the first ones, those of another chunk than the best
    one's, and all but the best for a follow-up must cover EXTRA_COVERAGE of what is covered best.
    """
    each = max(1, brief.settings.answering.sentences // len(brief.parts)) if brief.parts else 0
    chosen: dict[tuple[str, int], Quote] = {}
    for part, terms in enumerate(brief.parts):
        for quote in _best(brief, part, terms, each):
            chosen.setdefault((quote.passage.document_id, quote.start), quote)
    return tuple(sorted(chosen.values(), key=lambda q: (q.rank, q.start)))


def _best(brief: Brief, part: int, terms: Sequence[Term], most: int) -> list[Quote]:
    chosen: dict[str, Quote] = {}
    ranked = sorted(_scored(brief, part, terms), key=lambda q: (-q.score, q.rank, q.start))
    for quote in _of_the_asked_code(ranked, terms):
        if len(chosen) >= most:
            length = sum(len(q.text) for q in chosen.values()) + len(quote.text)
            if length > brief.settings.answering.short or len(chosen) >= 2 * most:
                break
        best = next(iter(chosen.values()), quote)
        needed = len(chosen) >= most or quote.rank != best.rank or bool(brief.added)
        if needed and quote.coverage < EXTRA_COVERAGE * max(best.coverage, quote.coverage):
            continue
        chosen.setdefault("".join(quote.text.split()), quote)
    return list(chosen.values())


def _scored(brief: Brief, part: int, asked: Sequence[Term]) -> list[Quote]:
    """Sentence score = coverage of the part's idf + 1 / rank of its chunk + 0.5 × cosine of the likeliest ones."""
    terms = [t for t in asked if t.text not in ASKING_WORDS] or list(asked)
    weights = {t.text: t.idf * (ADDED_WEIGHT if t.text in brief.added else 1.0) for t in terms}
    rated = [
        _rate(rank, order, passage, start, end, weights)
        for order, (rank, passage) in enumerate(_passages(brief, part))
        for start, end in units(passage.text)
        if not _is_bare_heading(passage, passage.text[start:end], asked)
    ]
    likely = sorted(rated, key=lambda q: -q.score)[:EMBEDDED]
    cosines = _cosines(brief, [q.text for q in likely])
    return [replace(q, score=q.score + COSINE_WEIGHT * c) for q, c in zip(likely, cosines, strict=True)]


def _passages(brief: Brief, part: int) -> list[tuple[int, Passage]]:
    """(rank from 0 in the evidence, passage) of the best chunks for this part, best first."""
    ranked = list(enumerate(brief.evidence))
    if len(brief.parts) > 1:
        ranked.sort(key=lambda pair: -sum(line.share for line in pair[1][0].routes if line.part == part))
    return [(rank, passage) for rank, (_, passage) in ranked[:CHUNKS]]


def units(text: str) -> Iterator[tuple[int, int]]:
    """What can be quoted: sentences, and each row of a table by itself without the rules between header and rows."""
    for start, end in sentences(text):
        if "|" not in text[start:end]:
            yield start, end
            continue
        for row in _ROW.finditer(text, start, end):
            if not _RULE.fullmatch(row[0]):
                yield row.start(), row.end()


def _is_bare_heading(passage: Passage, text: str, asked: Sequence[Term]) -> bool:
    """Whether this is a heading that names no number or identifier beyond the question: it would say nothing.

    A short line of its own without a mark at its end is taken for one; list items, rows and "name: value" are not.
    """
    plain = text.strip("#*` \t")
    named = text.startswith("#") or plain in passage.heading or plain == passage.title
    if not named and not _is_like_a_heading(passage, text):
        return False
    known = {t.text for t in asked}
    return all(t.text in known for t in query_terms(text) if t.identifier)


def _is_like_a_heading(passage: Passage, text: str) -> bool:
    if len(text) > LONGEST_HEADING or not _BARE.fullmatch(text):
        return False
    return any(text == line.strip() for line in passage.text.splitlines())


def _of_the_asked_code(ranked: Sequence[Quote], asked: Sequence[Term]) -> list[Quote]:
    """Without the sentences about another code (W-301 when W-305 is asked for), when any is about the asked one."""
    codes = {t.text for t in asked if t.identifier and not t.text.isdigit()}
    named = [(q, {t.text for t in query_terms(q.text) if t.identifier and not t.text.isdigit()}) for q in ranked]
    if not any(codes & names for _, names in named):
        return list(ranked)
    return [q for q, names in named if codes & names or not names]


def _rate(rank: int, order: int, passage: Passage, start: int, end: int, weights: Mapping[str, float]) -> Quote:
    text = passage.text[start:end]
    held = set(tokens(text))
    coverage = sum(w for term, w in weights.items() if term in held) / (sum(weights.values()) or 1.0)
    score = coverage + RANK_WEIGHT / (order + 1)
    return Quote(rank, passage, passage.start + start, passage.start + end, text, coverage, score)


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
    """(citations, sentences): a number for each stretch quoted; sentences that follow each other share one."""
    citations: list[Citation] = []
    said: list[Sentence] = []
    for quote in chosen:
        passage, last = quote.passage, citations[-1] if citations else None
        if last and last.chunk_id == passage.chunk_id and _only_space(passage, last.end, quote.start):
            citations[-1] = Citation.of(last.number, passage, last.start, quote.end)
        else:
            citations.append(Citation.of(len(citations) + 1, passage, quote.start, quote.end))
        said.append(Sentence(text=quote.text, citations=(len(citations),), supported=True, why="quoted word for word"))
    return tuple(citations), tuple(said)


def _text(said: Sequence[Sentence]) -> str:
    """The sentences with the number of each stretch after its last one: "One. Two. [1] Three. [2]"."""
    following = [s.citations for s in said[1:]] + [()]
    marked = [
        s.text if s.citations == after else f"{s.text} [{s.citations[0]}]"
        for s, after in zip(said, following, strict=True)
    ]
    return " ".join(marked)


def _only_space(passage: Passage, start: int, end: int) -> bool:
    return not passage.text[start - passage.start : end - passage.start].strip()
