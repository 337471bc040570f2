"""What searching records: the question as asked, hits of each route, the ledger of candidates, the final order."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from assistant.trace.calling import ModelCall
from assistant.trace.record import Passage, Reading, Record, Step


class Condensed(Step):
    """The question as it is searched for: as asked, or made to stand alone from the turns before it.

    `call`: the request to a model that did it, or that failed and left it to the terms of the last question.
    """

    kind: Literal["condensed"] = "condensed"
    original: str
    standalone: str
    method: str
    added: tuple[str, ...] = ()
    why: str
    call: ModelCall | None = None


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
    `chunks`: how many were searched, None when unknown. `imagined`: the made-up passage whose meaning was searched for
    beside that of the query, "" as a rule.
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
    imagined: str = ""


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

    `passages`: those of neighbouring chunks that widening added; all others are in the Fused step. `calls`: the
    requests to a chat model that graded them. An attempt may be reranked again: the last step of it counts.
    """

    kind: Literal["reranked"] = "reranked"
    reranker: str
    state: Literal["done", "not_run", "failed"] = "not_run"
    why: str = ""
    candidates: tuple[Candidate, ...] = ()
    passages: tuple[Passage, ...] = ()
    calls: tuple[ModelCall, ...] = ()

    @property
    def kept(self) -> tuple[Candidate, ...]:
        """Those that go on, best first."""
        return tuple(c for c in self.candidates if c.final_rank is not None)
