"""Adjustments: corrections in points of confidence that a person can switch on, each visible whether on or off."""

from __future__ import annotations

from datetime import UTC, datetime

from assistant.confidence.evidence import Evidence
from assistant.confidence.grades import grades
from assistant.settings import Judging
from assistant.trace import Adjustment, Passage, Reranked

MONTH_DAYS = 30.44


def adjustments(
    evidence: Evidence, settings: Judging, asked: datetime, linked: float, reranked: Reranked | None = None
) -> tuple[Adjustment, ...]:
    """Authority, freshness, grades, and what keeps the sum within 0–1. Points are 0 when off; `why` says so."""
    passage = evidence.passages.get(evidence.top.chunk_id) if evidence.top else None
    found = [
        _authority(passage, settings),
        _freshness(passage, settings, asked),
        grades(evidence, reranked, settings),
    ]
    raw = linked + sum(a.points for a in found)
    bounded = min(1.0, max(0.0, raw))
    if bounded != raw:
        found.append(Adjustment(name="bounds", points=bounded - raw, why="a confidence stays between 0 and 1"))
    return tuple(found)


def _authority(passage: Passage | None, settings: Judging) -> Adjustment:
    if not settings.authority:
        return Adjustment(name="authority", points=0.0, why="switched off")
    if passage is None:
        return Adjustment(name="authority", points=0.0, why="no chunk was found")
    points = 0.2 * (passage.authority - 0.5)
    return Adjustment(name="authority", points=points, why=f"{passage.document} has authority {passage.authority:.2f}")


def _freshness(passage: Passage | None, settings: Judging, asked: datetime) -> Adjustment:
    if not settings.freshness:
        return Adjustment(name="freshness", points=0.0, why="switched off")
    if passage is None or passage.modified is None:
        return Adjustment(name="freshness", points=0.0, why="the age of the best source is not known")
    months = (_utc(asked) - _utc(passage.modified)).days / MONTH_DAYS
    points = -0.2 if months > 12 else -0.1 if months > 6 else 0.0
    return Adjustment(name="freshness", points=points, why=f"the best source is {max(0.0, months):.0f} months old")


def _utc(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
