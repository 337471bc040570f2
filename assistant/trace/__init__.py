"""The records: what each stage returns, which is also what panels, notebooks, exports and tests read.

Every record is frozen, refuses unknown fields and non-finite numbers, and is equal to itself after JSON out and in.
A `Trace` opens anywhere: it needs neither the knowledge base nor a model.
"""

from assistant.trace.answering import (
    Answered,
    Citation,
    Delta,
    Failed,
    Prompt,
    Sentence,
    Support,
    Verdict,
    Verified,
)
from assistant.trace.calling import ModelCall, Working
from assistant.trace.judging import Adjustment, Confidence, Decided, Rewritten, Signal
from assistant.trace.record import Passage, Reading, Record, Step
from assistant.trace.searching import (
    Background,
    Candidate,
    Condensed,
    Dropped,
    Fused,
    Hit,
    Place,
    Reranked,
    Retrieved,
    RouteScore,
    Term,
    TermMatch,
)
from assistant.trace.trace import VERSION, AnyStep, BaseInfo, Trace, Turn

__all__ = [
    "VERSION",
    "Adjustment",
    "Answered",
    "AnyStep",
    "Background",
    "BaseInfo",
    "Candidate",
    "Citation",
    "Condensed",
    "Confidence",
    "Decided",
    "Delta",
    "Dropped",
    "Failed",
    "Fused",
    "Hit",
    "ModelCall",
    "Passage",
    "Place",
    "Prompt",
    "Reading",
    "Record",
    "Reranked",
    "Retrieved",
    "Rewritten",
    "RouteScore",
    "Sentence",
    "Signal",
    "Step",
    "Support",
    "Term",
    "TermMatch",
    "Trace",
    "Turn",
    "Verdict",
    "Verified",
    "Working",
]
