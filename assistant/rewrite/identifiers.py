"""identifiers: search for a name, code or number that the best chunk lacks although the documents hold it."""

from __future__ import annotations

from assistant.rewrite.situation import Proposal, Situation


def propose(situation: Situation) -> Proposal | None:
    """These identifiers as the query, by words only; None when there are none, or nothing else was searched for."""
    focus = " ".join(situation.buried)
    if not focus or situation.queries == (focus,):
        return None
    changes = {"retrieval.identifier_vector_weight": 0.0, "retrieval.identifier_text_weight": 1.0}
    why = f"{focus} occurs in the documents but not in the best chunk: search for it alone"
    return Proposal((focus,), why, changes, targeted=True)
