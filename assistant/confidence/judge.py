"""judge: evidence → confidence, with every term of the calculation."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from datetime import datetime

from assistant.confidence import SIGNALS
from assistant.confidence.adjust import adjustments
from assistant.confidence.coefficients import Coefficients, load
from assistant.confidence.evidence import Evidence, Measured, evidence_of
from assistant.settings import Judging
from assistant.trace import Confidence, Fused, Reranked, Retrieved, Signal

SURE = 0.9  # from here on nothing is worth calling a limit


def judge(
    fused: Fused,
    found: Sequence[Retrieved],
    first: Sequence[Retrieved],
    settings: Judging,
    asked: datetime,
    reranked: Reranked | None = None,
    embedder: str = "",
) -> Confidence:
    """The confidence of an attempt; of a split question that of its weakest part. Pure: the records are all it needs.

    `first`: what attempt 1 retrieved. A rewritten query is judged by the question that was asked, or leaving words out
    would look like knowing more. `asked`: when, for the age of sources. `reranked`: the attempt's final
    order, whose grades count if it was graded. `embedder`: the base's, as in BaseInfo; the record says so when the
    coefficients were fitted with another. Raises SettingsError for unknown coefficients.
    """
    started = time.perf_counter()
    coefficients = load(settings.coefficients or settings.method)
    judged = [
        _judge_part(part, evidence, coefficients, settings, asked, reranked)
        for part, evidence in enumerate(evidence_of(fused, found, first))
    ]
    weakest = min(judged, key=lambda c: c.value)
    seconds = time.perf_counter() - started
    caution = coefficients.caution(embedder)
    return weakest.model_copy(update={"attempt": fused.attempt, "seconds": seconds, "caution": caution})


def _judge_part(
    part: int,
    evidence: Evidence,
    coefficients: Coefficients,
    settings: Judging,
    asked: datetime,
    reranked: Reranked | None,
) -> Confidence:
    start = _link(coefficients, coefficients.intercept)
    signals: list[Signal] = []
    total, reached = coefficients.intercept, start
    for name, weight in coefficients.weights.items():
        measured: Measured = SIGNALS.part(name)(evidence)  # type: ignore[assignment]
        usual = coefficients.usual[name] if evidence.scored else 0.0  # nothing found is no average case
        contribution = weight * _number(measured, usual)
        total += contribution
        now = _link(coefficients, total)
        signals.append(_signal(name, measured, weight, contribution, now - reached, usual))
        reached = now
    corrections = adjustments(evidence, settings, asked, reached, reranked)
    limit = _limit(signals, coefficients) if reached < SURE else ""
    return Confidence(
        method=settings.method,
        coefficients=coefficients.name,
        part=part,
        intercept=coefficients.intercept,
        start=start,
        signals=tuple(signals),
        total=total,
        link="logistic" if coefficients.link == "logistic" else "identity",
        linked=reached,
        adjustments=corrections,
        value=min(1.0, max(0.0, reached + sum(a.points for a in corrections))),
        answer_at=settings.answer_at,
        decline_below=settings.decline_below,
        limited_by=limit or next((a.why for a in corrections if a.name == "grades" and a.points < 0), ""),
    )


def _link(coefficients: Coefficients, x: float) -> float:
    if coefficients.link == "logistic":
        return 1 / (1 + math.exp(-max(-60.0, min(60.0, x))))
    return min(1.0, max(0.0, x))


def _number(measured: Measured, usual: float) -> float:
    return measured.value.value if measured.value.value is not None else usual


def _signal(name: str, measured: Measured, weight: float, contribution: float, points: float, usual: float) -> Signal:
    why = measured.why
    if measured.value.value is None:
        why = f"not measured ({why}); its usual value {usual:.2f} is taken"
    return Signal(
        name=name,
        raw=measured.raw,
        value=measured.value,
        weight=weight,
        contribution=contribution,
        points=points,
        why=why,
    )


def _limit(signals: Sequence[Signal], coefficients: Coefficients) -> str:
    """The sentence of the signal that falls furthest below its usual contribution, "" when none does."""
    worst, shortfall = "", 0.05
    for signal in (s for s in signals if s.raw.value is not None):
        short = signal.weight * coefficients.usual[signal.name] - signal.contribution
        if short > shortfall:
            worst, shortfall = signal.why, short
    return worst
