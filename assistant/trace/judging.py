"""What judging records: the confidence with its terms, the decision, and the next attempt."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from assistant.trace.calling import ModelCall
from assistant.trace.record import Reading, Record, Step


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
    `part`: the sub-question judged (the weakest of them). `limited_by`: one sentence on what keeps it down. `caution`:
    one sentence when the coefficients were fitted with another embedding model than the base has.
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
    caution: str = ""


class Decided(Step):
    """What happens next and why. `gain`: change of confidence against the best earlier attempt, None in the first.

    `calls`: requests to a model for another way to search that brought none.
    """

    kind: Literal["decided"] = "decided"
    decision: Literal["answer", "caveat", "rewrite", "decline"]
    why: str
    confidence: float = Field(ge=0, le=1)
    best_attempt: int = Field(default=1, ge=1)
    gain: float | None = None
    calls: tuple[ModelCall, ...] = ()


class Rewritten(Step):
    """The next attempt: `queries` to search for (several when the question was split) and the changed settings.

    `attempt` is the new attempt's number. `changes`: setting path → new value, e.g. {"retrieval.depth": 100}.
    `targeted`: it mends something seen in the attempt before, so that it is worth trying even after a poor one.
    `reason`: why the attempt before failed, in the words of the policy table. `judged_by`: whether confidence compares
    the passages with the question asked or, as a translation needs, with the queries. `call`: the request to a model
    that wrote the queries; `discarded`: those of rewriters tried before it that brought nothing. `imagined`: a passage
    as it might stand in a document, written by a model, whose meaning the vector route searches for beside that of the
    query; it is no evidence.
    """

    kind: Literal["rewritten"] = "rewritten"
    rewriter: str
    before: str
    queries: tuple[str, ...]
    changes: dict[str, Any] = {}
    targeted: bool = False
    why: str
    reason: str = ""
    judged_by: Literal["question", "queries"] = "question"
    call: ModelCall | None = None
    discarded: tuple[ModelCall, ...] = ()
    imagined: str = ""
