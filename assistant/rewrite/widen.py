"""widen: the same query, more hits from each route, and the chunks beside the best ones."""

from __future__ import annotations

from assistant.rewrite.situation import Proposal, Situation


def propose(situation: Situation) -> Proposal | None:
    """Twice the depth, 20 kept, one neighbour on each side; None when it is that wide already, or no chunk is left."""
    retrieval = situation.settings.retrieval
    if situation.exhausted or (retrieval.keep >= 20 and retrieval.neighbours >= 1):
        return None
    changes = {
        "retrieval.depth": min(500, retrieval.depth * 2),
        "retrieval.keep": max(20, retrieval.keep),
        "retrieval.neighbours": max(1, retrieval.neighbours),
    }
    return Proposal(situation.queries, "look at more hits and at the chunks beside them", changes)
