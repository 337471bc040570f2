"""What signals look at: one part of one attempt, from the records alone, so that a saved trace can be judged again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from assistant.trace import Candidate, Fused, Passage, Reading, Retrieved, Term


@dataclass(frozen=True)
class Measured:
    """What a signal returns: `raw` in its unit, `value` as it is weighted, and one sentence."""

    raw: Reading
    value: Reading
    why: str


@dataclass(frozen=True)
class Evidence:
    """One sub-question's hits and candidates; `scored` pairs each candidate with its fused score in this part."""

    query: str
    vector: Retrieved | None
    text: Retrieved | None
    scored: tuple[tuple[Candidate, float], ...]
    passages: dict[str, Passage]

    @property
    def top(self) -> Candidate | None:
        """The part's best candidate, None when nothing was found."""
        return self.scored[0][0] if self.scored else None

    @property
    def terms(self) -> tuple[Term, ...]:
        """The query's terms, () when the text route did not run."""
        return self.text.terms if self.text and self.text.state == "done" else ()


def evidence_of(fused: Fused, found: Sequence[Retrieved], first: Sequence[Retrieved] = ()) -> tuple[Evidence, ...]:
    """One Evidence for each sub-question of the attempt, in order; of an undivided one with the routes of `first`."""
    passages = {p.chunk_id: p for p in fused.passages}
    parts = sorted({r.part for r in found})
    if len(parts) > 1 or not first:
        return tuple(_part(part, fused, [r for r in found if r.part == part], passages) for part in parts)
    (now,) = (_part(part, fused, found, passages) for part in parts)
    asked = {r.route: r for r in first if r.state == "done"}
    return (replace(now, query=first[0].query, vector=asked.get("vector"), text=asked.get("text")),)


def _part(part: int, fused: Fused, found: Sequence[Retrieved], passages: dict[str, Passage]) -> Evidence:
    scored = [(c, sum(line.share for line in c.routes if line.part == part)) for c in fused.candidates]
    in_part = {hit.chunk_id for r in found for hit in r.hits}
    kept = sorted((pair for pair in scored if pair[0].chunk_id in in_part), key=lambda p: (-p[1], p[0].fused_rank))
    by_route = {r.route: r for r in found if r.state == "done"}
    return Evidence(found[0].query, by_route.get("vector"), by_route.get("text"), tuple(kept), passages)


def missing(why: str, unit: str = "") -> Measured:
    """A signal that could not be measured."""
    return Measured(Reading.not_run(why, unit), Reading.not_run(why), why)
