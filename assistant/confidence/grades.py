"""grades: what a chat model's grades of the passages add to the confidence or take off."""

from __future__ import annotations

from assistant.confidence.evidence import Evidence
from assistant.settings import Judging
from assistant.trace import Adjustment, Reranked

# Not fitted: grades depend on the model, and no set of questions was graded by one. Small models grade kindly, so a 3
# proves little and that not one passage is even on the topic says much. From an answer (0.60) the worst leads to a
# caveat, never alone to declining (0.25); the best alone never lifts from declining to an answer.
POINTS = (-0.30, -0.15, 0.0, 0.10)


def grades(evidence: Evidence, reranked: Reranked | None, settings: Judging) -> Adjustment:
    """Points by the best grade (0–3) among the candidates, 0 when off or when nothing was graded.

    Nothing is taken off while a passage could not be graded, since it may be the one that answers.
    """
    if not settings.grades:
        return Adjustment(name="grades", points=0.0, why="switched off")
    here = {c.chunk_id for c, _ in evidence.scored}
    ledger = reranked.candidates if reranked and reranked.reranker == "graded" else ()
    found = [c.rerank for c in ledger if c.chunk_id in here]
    values = [r.value for r in found if r.value is not None]
    if not values:
        return Adjustment(name="grades", points=0.0, why="no passage was graded")
    best = min(3, max(0, round(max(values))))
    why = f"the best passage has grade {best} of 3"
    failed = sum(r.state == "failed" for r in found)
    if failed and POINTS[best] < 0:
        return Adjustment(name="grades", points=0.0, why=f"{why}; passages that could not be graded: {failed}")
    return Adjustment(name="grades", points=POINTS[best], why=why)
