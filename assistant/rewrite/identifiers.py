"""identifiers: search for the names, codes and numbers of the question alone."""

from __future__ import annotations

from assistant.rewrite.situation import Proposal, Situation


def propose(situation: Situation) -> Proposal | None:
    """The identifiers as the query, by words only; None without any, or when the query is nothing else already."""
    focus = " ".join(situation.identifiers)
    if not focus or situation.queries == (focus,):
        return None
    changes = {"retrieval.identifier_vector_weight": 0.0, "retrieval.identifier_text_weight": 1.0}
    return Proposal((focus,), f"search for {focus} alone, by its exact form", changes)
