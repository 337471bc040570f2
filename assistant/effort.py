"""Effort: which requests a chat model gets besides writing the answer, and what they cost at most."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.settings import Answering

SURE = 0.85  # from this confidence on every question takes the quick path: there is nothing to mend


@dataclass(frozen=True)
class Effort:
    """`rewrites`: searches that a model may word anew per question; `calls`: requests at most, the answer included."""

    name: str
    condenses: bool
    rewrites: int
    grades: bool
    verifies: bool
    calls: int


# a request counts once; a reply that does not parse may be asked for a second time
EFFORTS = {
    "quick": Effort("quick", condenses=False, rewrites=0, grades=False, verifies=False, calls=1),
    "balanced": Effort("balanced", condenses=True, rewrites=2, grades=False, verifies=False, calls=4),
    "careful": Effort("careful", condenses=True, rewrites=2, grades=True, verifies=True, calls=9),
}


def effort(answering: Answering) -> Effort:
    """The effort of these settings; quick when no model writes, since then none is asked for anything."""
    return EFFORTS[answering.effort if answering.writer == "ollama" else "quick"]
