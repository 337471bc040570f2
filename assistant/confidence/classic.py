"""The classic formula's three signals: .4 × distribution + .3 × overlap + .3 × authority."""

from __future__ import annotations

from assistant.confidence.evidence import Evidence, Measured, missing
from assistant.trace import Reading


def distribution(evidence: Evidence) -> Measured:
    """Fused score of the best minus the mean of the next four, 0–1: high when one chunk stands out."""
    scores = [score for _, score in evidence.scored[:5]]
    if not scores:
        return missing("no chunk was found", "fused")
    rest = scores[1:] or [0.0]
    value = min(1.0, max(0.0, scores[0] - sum(rest) / len(rest)))
    return Measured(
        Reading.of(value, "fused"), Reading.of(value), f"best {scores[0]:.3f}, next four {sum(rest) / len(rest):.3f}"
    )


def overlap(evidence: Evidence) -> Measured:
    """Share of the query's terms that are in the best chunk, each counting the same, 0–1."""
    if not evidence.terms:
        return missing("the text route gave no terms", "share of terms")
    there = set(evidence.top.present) if evidence.top else set()
    held = [t for t in evidence.terms if t.text in there]
    share = len(held) / len(evidence.terms)
    return Measured(
        Reading.of(share, "share of terms"),
        Reading.of(share),
        f"{len(held)} of {len(evidence.terms)} terms in the best chunk",
    )


def authority(evidence: Evidence) -> Measured:
    """Authority of the best chunk's document, 0–1."""
    passage = evidence.passages.get(evidence.top.chunk_id) if evidence.top else None
    if passage is None:
        return missing("no chunk was found", "authority")
    return Measured(Reading.of(passage.authority, "authority"), Reading.of(passage.authority), f"of {passage.document}")
