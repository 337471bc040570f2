"""The records: what each stage returns, which is also what panels, notebooks, exports and tests read.

Every record is frozen, refuses unknown fields and non-finite numbers, and is equal to itself after JSON out and in.
A `Trace` opens anywhere: it needs neither the knowledge base nor a model.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from assistant.errors import BadTrace

VERSION = 1


class Record(BaseModel):
    """Base of all records."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Reading(Record):
    """One number in one of three states; a number that was not computed is never 0.

    `value` is set exactly when the state is "value"; otherwise `why` says why there is none.
    """

    state: Literal["value", "not_run", "failed"]
    value: float | None = None
    unit: str = ""
    why: str = ""

    @model_validator(mode="after")
    def _value_or_reason(self) -> Reading:
        if (self.state == "value") != (self.value is not None):
            raise ValueError("a reading has a number exactly when its state is 'value'")
        if self.state != "value" and not self.why:
            raise ValueError("a reading without a number says why")
        return self

    @classmethod
    def of(cls, value: float, unit: str = "") -> Reading:
        """A number."""
        return cls(state="value", value=float(value), unit=unit)

    @classmethod
    def not_run(cls, why: str, unit: str = "") -> Reading:
        """Nothing was computed, and why."""
        return cls(state="not_run", why=why, unit=unit)

    @classmethod
    def failed(cls, why: str, unit: str = "") -> Reading:
        """It was tried and did not work, and why."""
        return cls(state="failed", why=why, unit=unit)


class Passage(Record):
    """One chunk as retrieved: its text and where it stands.

    `start`, `end`: character range in the document's text. `pages`: first and last page from 1, None where the format
    has none. `modified`: when the document was last changed. `authority`: 0–1. `context`: what precedes the text in the
    index but not in the document at this place (a repeated table header), usually empty.
    """

    chunk_id: str
    document_id: str
    document: str
    path: str = ""
    title: str = ""
    heading: tuple[str, ...] = ()
    pages: tuple[int, int] | None = None
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    kind: str = "paragraph"
    language: str = ""
    modified: datetime | None = None
    authority: float = Field(default=0.5, ge=0, le=1)
    context: str = ""
    text: str

    def content_key(self) -> str:
        """Equal for passages whose texts differ only in case and white space."""
        return "".join(self.text.casefold().split())


class Step(Record):
    """Base of the steps. `attempt` counts from 1; `seconds` is wall time."""

    attempt: int = Field(default=1, ge=1)
    seconds: float = Field(default=0.0, ge=0)


class Condensed(Step):
    """The question as it is searched for: as asked, or made to stand alone from the turns before it."""

    kind: Literal["condensed"] = "condensed"
    original: str
    standalone: str
    method: str
    added: tuple[str, ...] = ()
    why: str


class Term(Record):
    """One term of the query. `document_frequency`: chunks that hold it. `idf`: ln(1 + (n − df + .5)/(df + .5))."""

    text: str
    identifier: bool = False
    document_frequency: int = Field(ge=0)
    idf: float = Field(ge=0)


class TermMatch(Record):
    """One query term in one chunk: times it occurs, and its share of the chunk's BM25 score."""

    term: str
    frequency: int = Field(ge=1)
    share: float


class Background(Record):
    """Cosines of the query to all chunks of the scope: mean, standard deviation, how many.

    In a small base `references` texts about nothing in particular count too, or the average would be the answer itself.
    """

    mean: float
    deviation: float = Field(ge=0)
    chunks: int = Field(ge=0)
    references: int = Field(default=0, ge=0)


class Hit(Record):
    """One chunk found by one route. `rank` from 1; `length`: the chunk's length in terms (text route)."""

    chunk_id: str
    rank: int = Field(ge=1)
    score: float
    matches: tuple[TermMatch, ...] = ()
    length: int | None = None


class Retrieved(Step):
    """What one route found for one query. `part`: index of the sub-question, 0 when there is only one.

    `state`: done; late (over the time limit: nothing of it is used); failed; skipped. `why` is set unless done.
    `chunks`: how many were searched, None when unknown.
    """

    kind: Literal["retrieved"] = "retrieved"
    route: str
    query: str
    part: int = 0
    state: Literal["done", "late", "failed", "skipped"] = "done"
    why: str = ""
    unit: str
    depth: int = Field(ge=1)
    hits: tuple[Hit, ...] = ()
    terms: tuple[Term, ...] = ()
    background: Background | None = None
    average_length: float | None = None
    chunks: int | None = None


class RouteScore(Record):
    """One route's line in a candidate's ledger.

    `rank` from 1 or None; `raw` in the route's unit; `normalised` 0–1 (or the reciprocal rank); `share` = what it adds
    to the fused score: weight × normalised, 0 when the route did not find the chunk.
    """

    route: str
    part: int = 0
    rank: int | None = None
    raw: Reading
    normalised: Reading
    weight: float
    share: float


class Dropped(Record):
    """Why a candidate did not go on: the gate, and its sentence with the numbers."""

    gate: str
    why: str


class Place(Record):
    """Another place with the same text."""

    chunk_id: str
    document: str
    heading: tuple[str, ...] = ()
    pages: tuple[int, int] | None = None


class Candidate(Record):
    """One chunk's score ledger. Shares add up to the fused score; ranks count from 1.

    `fused_rank` is over all candidates, `final_rank` only over those that go on (None: dropped, see `dropped`).
    `present`, `absent`: the query's terms that are and are not in the chunk.
    """

    chunk_id: str
    routes: tuple[RouteScore, ...]
    fused: Reading
    fused_rank: int = Field(ge=1)
    rerank: Reading = Reading(state="not_run", why="no reranker chosen")
    rerank_rank: int | None = None
    final_rank: int | None = None
    dropped: Dropped | None = None
    also_in: tuple[Place, ...] = ()
    present: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()

    def rank_in(self, route: str, part: int = 0) -> int | None:
        """The chunk's rank in that route, None when it was not found there."""
        return next((r.rank for r in self.routes if r.route == route and r.part == part), None)


class Fused(Step):
    """All candidates of an attempt, best first, with their passages (each once, in `passages`).

    `parts`: the sub-questions (one when the question was not split). `weights_why`: why these route weights.
    """

    kind: Literal["fused"] = "fused"
    method: str
    parts: tuple[str, ...]
    weights: dict[str, float]
    weights_why: str
    rrf_k: int | None = None
    identifiers: tuple[str, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    passages: tuple[Passage, ...] = ()


class Reranked(Step):
    """The final order of the candidates: after reranker and gates. Best first, then the dropped ones.

    `passages`: those of neighbouring chunks that widening added; all others are in the Fused step.
    """

    kind: Literal["reranked"] = "reranked"
    reranker: str
    state: Literal["done", "not_run", "failed"] = "not_run"
    why: str = ""
    candidates: tuple[Candidate, ...] = ()
    passages: tuple[Passage, ...] = ()

    @property
    def kept(self) -> tuple[Candidate, ...]:
        """Those that go on, best first."""
        return tuple(c for c in self.candidates if c.final_rank is not None)


class Signal(Record):
    """One term of the confidence.

    `raw` in its unit; `value` what is weighted (usually 0–1); `contribution` = weight × value, in units of the sum;
    `points`: by how much this term moves the confidence, in the order listed: all points add up to the confidence.
    """

    name: str
    raw: Reading
    value: Reading
    weight: float
    contribution: float
    points: float
    why: str


class Adjustment(Record):
    """A correction after the link function, in points of confidence; 0 points when it does not apply or is off."""

    name: str
    points: float
    why: str


class Confidence(Step):
    """How sure we are that the documents answer the question, and the whole calculation.

    total = intercept + Σ contribution; linked = link(total), with link "logistic" 1/(1+e^−x) or "identity" (clipped to
    0–1); value = linked + Σ adjustments, clipped to 0–1. start + Σ signal points + Σ adjustment points = value.
    `part`: the sub-question judged (the weakest of them). `limited_by`: one sentence on what keeps it down.
    """

    kind: Literal["confidence"] = "confidence"
    method: str
    coefficients: str
    part: int = 0
    intercept: float
    start: float
    signals: tuple[Signal, ...]
    total: float
    link: Literal["logistic", "identity"]
    linked: float = Field(ge=0, le=1)
    adjustments: tuple[Adjustment, ...] = ()
    value: float = Field(ge=0, le=1)
    answer_at: float
    decline_below: float
    limited_by: str = ""


class Decided(Step):
    """What happens next and why. `gain`: change of confidence against the best earlier attempt, None in the first."""

    kind: Literal["decided"] = "decided"
    decision: Literal["answer", "caveat", "rewrite", "decline"]
    why: str
    confidence: float = Field(ge=0, le=1)
    best_attempt: int = Field(default=1, ge=1)
    gain: float | None = None


class Rewritten(Step):
    """The next attempt: `queries` to search for (several when the question was split) and the changed settings.

    `attempt` is the new attempt's number. `changes`: setting path → new value, e.g. {"retrieval.depth": 100}.
    `targeted`: it mends something seen in the attempt before, so that it is worth trying even after a poor one.
    """

    kind: Literal["rewritten"] = "rewritten"
    rewriter: str
    before: str
    queries: tuple[str, ...]
    changes: dict[str, Any] = {}
    targeted: bool = False
    why: str


class Citation(Record):
    """One source of the answer. `number` is what stands in brackets; `text` is exactly document[start:end]."""

    number: int = Field(ge=1)
    chunk_id: str
    document: str
    heading: tuple[str, ...] = ()
    pages: tuple[int, int] | None = None
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    text: str

    @classmethod
    def of(cls, number: int, passage: Passage, start: int, end: int) -> Citation:
        """The citation of document[start:end], which lies within the passage."""
        return cls(
            number=number,
            chunk_id=passage.chunk_id,
            document=passage.document,
            heading=passage.heading,
            pages=passage.pages,
            start=start,
            end=end,
            text=passage.text[start - passage.start : end - passage.start],
        )


class Sentence(Record):
    """One sentence of the answer with the citations that support it; `supported` None = not checked."""

    text: str
    citations: tuple[int, ...] = ()
    supported: bool | None = None
    why: str = ""


class Prompt(Record):
    """What the model saw, to the letter. Token numbers are ours unless `counted_by_server` is set."""

    messages: tuple[tuple[str, str], ...]
    window: int
    tokens: dict[str, int] = {}
    left_out: tuple[str, ...] = ()
    counted_by_server: int | None = None


class Answered(Step):
    """The answer, or what is said instead. `label` tells how it was made; `state` incomplete = cut off, `why` says how.

    Declined: `text` says what was searched, `suggestions` what the documents do hold, no citations.
    """

    kind: Literal["answered"] = "answered"
    writer: str
    model: str = ""
    decision: Literal["answer", "caveat", "decline"]
    text: str
    label: str
    caveat: str = ""
    sentences: tuple[Sentence, ...] = ()
    citations: tuple[Citation, ...] = ()
    suggestions: tuple[str, ...] = ()
    prompt: Prompt | None = None
    removed_citations: tuple[int, ...] = ()
    state: Literal["complete", "incomplete"] = "complete"
    why: str = ""


class Failed(Step):
    """The question could not be worked on further: at which stage, and the sentence for the person."""

    kind: Literal["failed"] = "failed"
    stage: str
    message: str


AnyStep = Annotated[
    Condensed | Retrieved | Fused | Reranked | Confidence | Decided | Rewritten | Answered | Failed,
    Field(discriminator="kind"),
]


class Delta(Step):
    """A piece of a written answer as it arrives. Streamed only; the trace keeps the whole Answered step."""

    kind: Literal["delta"] = "delta"
    text: str


class Turn(Record):
    """An earlier question of the conversation and what was answered."""

    question: str
    answer: str = ""


class BaseInfo(Record):
    """The knowledge base as it was when the question was asked."""

    name: str
    documents: int = Field(ge=0)
    chunks: int = Field(ge=0)
    embedder: str


class Trace(Record):
    """One question from asking to answer: the settings it ran under and every step, in order."""

    version: Literal[1] = 1
    id: str
    question: str
    history: tuple[Turn, ...] = ()
    base: BaseInfo
    settings: dict[str, Any]
    settings_hash: str
    started: datetime
    steps: tuple[AnyStep, ...] = ()

    def plus(self, step: Step) -> Trace:
        """A new trace with this step at its end."""
        return self.model_copy(update={"steps": (*self.steps, step)})

    def of_kind(self, kind: str, attempt: int | None = None) -> tuple[Any, ...]:
        """The steps of this kind in order, of one attempt or of all."""
        return tuple(s for s in self.steps if s.kind == kind and attempt in (None, s.attempt))

    def last(self, kind: str, attempt: int | None = None) -> Any:
        """The last step of this kind, None when there is none."""
        found = self.of_kind(kind, attempt)
        return found[-1] if found else None

    @property
    def attempts(self) -> int:
        """How many attempts were made."""
        return max((s.attempt for s in self.steps), default=0)

    @property
    def answered(self) -> Answered | None:
        """The answer step, None while there is none."""
        step: Answered | None = self.last("answered")
        return step

    @property
    def answer(self) -> str:
        """The text for the person, "" while there is none."""
        return self.answered.text if self.answered else ""

    @property
    def decision(self) -> str:
        """answer, caveat or decline; "" while undecided or failed."""
        return self.answered.decision if self.answered else ""

    @property
    def best_attempt(self) -> int:
        """The attempt that the answer stands on, the latest one while undecided."""
        decided: Decided | None = self.last("decided")
        return decided.best_attempt if decided else max(1, self.attempts)

    @property
    def confidence(self) -> Confidence | None:
        """The confidence of the attempt that the answer stands on."""
        step: Confidence | None = self.last("confidence", self.best_attempt) or self.last("confidence")
        return step

    def candidates(self, attempt: int | None = None) -> tuple[Candidate, ...]:
        """The ledger of an attempt (default: the one the answer stands on), best first, () if nothing was searched."""
        step = self.last("reranked", attempt or self.best_attempt)
        return step.candidates if step else ()

    def passage(self, chunk_id: str) -> Passage | None:
        """The passage of this chunk, from whichever attempt found it."""
        holders = (*self.of_kind("fused"), *self.of_kind("reranked"))
        return next((p for s in holders for p in s.passages if p.chunk_id == chunk_id), None)

    @property
    def seconds(self) -> float:
        """Sum of the steps' seconds; routes that ran side by side count with the slowest."""
        alone = sum(s.seconds for s in self.steps if s.kind != "retrieved")
        side: dict[int, float] = {}
        for step in self.of_kind("retrieved"):
            side[step.attempt] = max(side.get(step.attempt, 0.0), step.seconds)
        return alone + sum(side.values())

    def save(self, path: str | Path) -> Path:
        """The path written: the trace as JSON."""
        target = Path(path)
        target.write_text(self.model_dump_json(indent=1), encoding="utf-8")
        return target

    @classmethod
    def load(cls, path: str | Path) -> Trace:
        """A saved trace. Raises BadTrace for a file that is missing, not JSON, of another version or not a trace."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as err:
            raise BadTrace(f"The trace {str(path)!r} cannot be read ({err}); choose a file saved by Glassbox.") from err
        return cls.from_json(text, str(path))

    @classmethod
    def from_json(cls, text: str, name: str = "given") -> Trace:
        """A trace from its JSON text. Raises BadTrace."""
        try:
            return cls.model_validate_json(text)
        except ValidationError as err:
            first = err.errors()[0]
            place = ".".join(str(p) for p in first["loc"]) or "the whole"
            raise BadTrace(
                f"The trace {name!r} does not fit version {VERSION} of the format ({place}: {first['msg']}); "
                "save it again with this version of Glassbox."
            ) from err
