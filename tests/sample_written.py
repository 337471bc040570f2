"""Hand-made traces of answers that a chat model wrote; every number in them adds up."""

from __future__ import annotations

import sample_traces as sample

from assistant.trace import (
    Adjustment,
    Answered,
    Candidate,
    Citation,
    Condensed,
    Confidence,
    Decided,
    Failed,
    Fused,
    ModelCall,
    Prompt,
    Reading,
    Reranked,
    Retrieved,
    Rewritten,
    RouteScore,
    Sentence,
    Step,
    Support,
    Trace,
    Turn,
    Verdict,
    Verified,
)

MODEL = "qwen3:8b"
QUESTION = "How many days of leave, and when does it lapse?"
PARTS = ("How many days of annual leave are there?", "When does annual leave lapse?")
CAREFUL = {"answering": {"writer": "ollama", "model": MODEL, "effort": "careful"}}
GRADE = "grade 0–3"
IMAGINED = "Annual leave amounts to 25 days a year and lapses at the end of March of the following year."


def call(purpose: str, reply: str = "{}", **fields: object) -> ModelCall:
    values = {"state": "done", "seconds": 1.42, "prompt_tokens": 312, "answer_tokens": 45, "model": MODEL}
    messages = (("system", "Reply with JSON only."), ("user", f"question: {QUESTION!r}"))
    return ModelCall.model_validate({"purpose": purpose, "reply": reply, "messages": messages, **values, **fields})


def condensed() -> Condensed:
    return Condensed(
        original="And when does it lapse?", standalone=QUESTION, method="completed by the model", added=("leave",),
        why=f"the question points back; {MODEL} completed it from the conversation",
        call=call("condense", f'{{"question": "{QUESTION}"}}'),
    )  # fmt: skip


def retrieved(part: int, attempt: int = 2) -> tuple[Retrieved, ...]:
    return tuple(s.model_copy(update={"part": part}) for s in sample.retrieved(attempt, PARTS[part]))


def graded() -> tuple[Candidate, ...]:
    """0.25 × 0.83 + 0.25 × 1.00 + 0.25 × 0.60 = 0.6075; 0.25 × 0.90 = 0.225; 0.25 × 0.20 = 0.05."""
    none = Reading.not_run("not among the first 50 of this route", "cosine")
    line = sample.line
    first = (
        line("vector", 5, 0.83, 0.83, 0.25, "cosine"), line("text", 1, 9.1, 1.0, 0.25, "bm25"),
        line("vector", 2, 0.71, 0.6, 0.25, "cosine").model_copy(update={"part": 1}),
        RouteScore(route="text", part=1, raw=none, normalised=none, weight=0.25, share=0.0),
    )  # fmt: skip
    second = (line("vector", 1, 0.9, 0.9, 0.25, "cosine").model_copy(update={"part": 1}),)
    third = (line("vector", 31, 0.41, 0.2, 0.25, "cosine"),)
    return (
        Candidate(chunk_id="leave-1", routes=first, fused=Reading.of(0.6075), fused_rank=1, final_rank=1,
                  rerank=Reading.of(3, GRADE), rerank_rank=1, present=("annual", "leave")),
        Candidate(chunk_id="leave-2", routes=second, fused=Reading.of(0.225), fused_rank=2, final_rank=2,
                  rerank=Reading.failed("not graded: the reply was empty", GRADE), rerank_rank=2),
        Candidate(chunk_id="travel-1", routes=third, fused=Reading.of(0.05), fused_rank=3, final_rank=3,
                  rerank=Reading.of(0, GRADE), rerank_rank=3),
    )  # fmt: skip


def second_search() -> tuple[Step, ...]:
    made = graded()
    fused = Fused(
        attempt=2, method="scores", parts=PARTS, weights={"vector": 0.25, "text": 0.25},
        weights_why="no identifier or number in the query", candidates=made, passages=sample.passages(),
    )  # fmt: skip
    grades = (call("grade", '{"grades": [{"id": "a1", "grade": 3}]}', state="repaired", requests=2),)
    return (
        *retrieved(0), *retrieved(1), fused,
        Reranked(attempt=2, reranker="graded", state="done", candidates=made, calls=grades,
                 why="1 of 3 passages have no grade: not graded: the reply was empty"),
    )  # fmt: skip


def confidence() -> Confidence:
    """0.7109… + 0.05 for the grade of the best passage = 0.7609…"""
    high = sample.confidence(2)
    moved = Adjustment(name="grades", points=0.05, why="the best passage has grade 3 of 3")
    return high.model_copy(update={"adjustments": (moved,), "value": high.linked + 0.05})


def prompt(**fields: object) -> Prompt:
    """700 + 210 + 3,900 + 40 = 4,850 sent; with 1,024 for the answer and 256 spare 2,062 of 8,192 are unused."""
    tokens = {"rules": 700, "history": 210, "evidence": 3900, "question": 40, "reserve": 1024, "margin": 256}
    messages = (
        ("system", "Answer from the numbered sources only.\nPut the number of the source behind each sentence."),
        ("user", "How many days of leave are there?"), ("assistant", "Employees have 20 days."),
        ("user", f"[1] {sample.LEAVE}\n\n[2] {sample.YEARS}\n\nQuestion: {QUESTION}"),
    )  # fmt: skip
    values = {"messages": messages, "window": 8192, "tokens": tokens, "scale": 1.12, "counted_by_server": 4712}
    return Prompt.model_validate({**values, "left_out": ("travel-1",), "shortened": ("leave-2",), "turns_left_out": 2,
                                  **fields})  # fmt: skip


def sentences() -> tuple[Sentence, ...]:
    """Supported; with a number that no source holds; without any source."""
    first = sample.LEAVE.index("Leave that")
    lapses = sample.LEAVE[first : sample.LEAVE.index(" A carry")]
    days = sample.LEAVE[: sample.LEAVE.index(". ") + 1]
    near = Support(number=1, chunk_id="leave-1", start=100, end=100 + len(days), score=0.62)
    return (
        Sentence(text="Leave that is not taken by the end of March lapses.", citations=(1,), named=(1,), supported=True,
                 support=(Support(number=1, chunk_id="leave-1", start=100 + first, end=100 + first + len(lapses),
                                  score=0.97),)),
        Sentence(text="Employees have 25 days of annual leave.", citations=(1,), named=(1, 2), supported=False,
                 why="25 is in none of its sources", missing=("25",), support=(near,)),
        Sentence(text="Contractors have none.", supported=False, why="no source holds what this says"),
    )  # fmt: skip


def citation() -> Citation:
    return Citation.of(1, sample.passages()[0], 100, 100 + len(sample.LEAVE))


def written(**fields: object) -> Answered:
    said = sentences()
    text = f"{said[0].text} [1] {said[1].text} [1] {said[2].text}"
    values = {
        "attempt": 2, "seconds": 6.2, "writer": "ollama", "model": MODEL, "decision": "answer", "text": text,
        "label": f"written by {MODEL} from your documents", "sentences": said, "citations": (citation(),),
        "prompt": prompt(), "removed_citations": (7, 9), "stopped_by": "done", "answer_tokens": 61,
    }  # fmt: skip
    return Answered.model_validate({**values, **fields})


def verified(outcome: str, **fields: object) -> Verified:
    return Verified.model_validate(
        {"attempt": 2, "outcome": outcome, "call": call("verify"), "seconds": 1.42, **fields}
    )


def until_answer() -> tuple[Step, ...]:
    unusable = call("reword", "I cannot", state="failed", why="no JSON object in the reply", requests=2)
    decided = "0.31 is between 0.25 and 0.60: the question has several parts: " + " | ".join(PARTS)
    return (
        condensed(), *sample.retrieved(1, QUESTION), sample.fused(1), sample.reranked(1),
        sample.confidence(1, low=True), Decided(decision="rewrite", why=decided, confidence=0.31),
        Rewritten(attempt=2, rewriter="decompose", before=QUESTION, queries=PARTS, reason="two parts",
                  why="the question has several parts: " + " | ".join(PARTS), call=call("decompose"),
                  discarded=(unusable,)),
        *second_search(), confidence(),
        Decided(attempt=2, decision="answer", why="0.76 reaches 0.60", confidence=0.76, best_attempt=2, gain=0.45),
    )  # fmt: skip


def trace(*steps: Step, question: str = "And when does it lapse?", settings: dict | None = None) -> Trace:
    history = (Turn(question="How many days of leave are there?", answer="Employees have 20 days. [1]"),)
    return sample.new_trace(question, history=history, settings=settings or CAREFUL, steps=steps)


def careful() -> Trace:
    """A follow-up completed, divided, graded, written twice, checked twice; two sentences marked in the end."""
    verdicts = (
        Verdict(sentence=0, supported=True),
        Verdict(sentence=1, supported=False, why="the sources say 20 days"),
        Verdict(sentence=2, supported=False),
    )
    return trace(
        *until_answer(),
        written(draft=1),
        verified("rewrite", why="2 of 3 sentences have no support", verdicts=verdicts),
        written(draft=2),
        verified("marked", why="2 of 3 sentences have no support", verdicts=verdicts, draft=2),
        written(draft=2, seconds=0.0),
    )


def imagined() -> Trace:
    """Searched with a passage that a model made up, then with a translation; the answer stands on the translation."""
    return trace(
        *sample.retrieved(1, QUESTION), sample.fused(1), sample.reranked(1), sample.confidence(1, low=True),
        Decided(decision="rewrite", why="0.31 is between 0.25 and 0.60", confidence=0.31),
        Rewritten(attempt=2, rewriter="hyde", before=QUESTION, queries=(QUESTION,), reason="vague", imagined=IMAGINED,
                  why=f"search for passages like one that {MODEL} made up; it is no evidence", call=call("hyde")),
        *sample.retrieved(2, QUESTION), sample.fused(2), sample.reranked(2), sample.confidence(2, low=True),
        Decided(attempt=2, decision="rewrite", why="0.31 is between 0.25 and 0.60", confidence=0.31, gain=0.0),
        Rewritten(attempt=3, rewriter="translate", before=QUESTION, queries=("年假有多少天？何时失效？",),
                  reason="other language", judged_by="queries", call=call("translate"),
                  why=f"12 documents are in Chinese: {MODEL} translates the question"),
        *sample.retrieved(3, "年假有多少天？何时失效？"), sample.fused(3), sample.reranked(3), sample.confidence(3),
        Decided(attempt=3, decision="answer", why="0.61 reaches 0.60", confidence=0.61, best_attempt=3, gain=0.3,
                calls=(call("step_back", "", state="failed", why="stopped", requests=0, seconds=0.0),)),
        written(attempt=3, prompt=prompt(left_out=(), shortened=(), turns_left_out=0, truncated=True,
                                         counted_by_server=2050), removed_citations=(), sentences=sentences()[:1],
                text=f"{sentences()[0].text} [1]"),
    )  # fmt: skip


def cut(stopped_by: str = "length") -> Trace:
    why = {"length": "cut off by the length limit", "incomplete": "the model stopped midway"}.get(stopped_by, "")
    step = written(state="incomplete", stopped_by=stopped_by, why=why, removed_citations=(7,), draft=1,
                   sentences=sentences()[:1], text=f"{sentences()[0].text} [1]")  # fmt: skip
    return trace(*until_answer(), step)


def declined_by_model() -> Trace:
    step = Answered(attempt=2, writer="ollama", model=MODEL, decision="decline", stopped_by="done", prompt=prompt(),
                    text="Not found in your documents.",
                    label=f"{MODEL} read 3 sources and found no answer in them",
                    suggestions=("HR policy 2024.pdf",))  # fmt: skip
    return trace(*until_answer(), step, verified("not_run", why="there is no answer to check", call=None))


def declined_by_check() -> Trace:
    step = Answered(attempt=2, writer="ollama", model=MODEL, decision="decline", draft=2,
                    label="declined: the evidence is not good enough to answer",
                    text="Not found in your documents.")  # fmt: skip
    return trace(*until_answer(), written(draft=2), verified("declined", draft=2), step)


def quoted_instead() -> Trace:
    why = "Nothing answers at http://127.0.0.1:11434; start Ollama, or correct its address (setting ollama.url)."
    label = "quoted from your documents; choose a chat model for written answers"
    step = sample.answered().model_copy(update={"label": label, "why": why})
    return trace(*until_answer(), step)


def failed() -> Trace:
    why = f"{MODEL} wrote no answer; ask again, or choose another model."
    return trace(*until_answer(), Failed(attempt=2, stage="answer", message=why))
