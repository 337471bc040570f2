"""decide: confidence and attempt → what happens next."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.settings import Judging, Loop
from assistant.trace import Confidence, Decided, Rewritten


def decide(judged: Sequence[Confidence], judging: Judging, loop: Loop, retry: Rewritten | None) -> Decided:
    """answer, caveat, decline, or rewrite. `judged`: one confidence per attempt so far, this one last.

    `retry`: the next attempt, None when every way was tried or none applies. Below the lower band only a targeted one
    is made. The answer stands on the best attempt; of equal ones, on the first.
    """
    now = judged[-1]
    best = max(judged, key=lambda c: (c.value, -c.attempt))
    earlier = max((c.value for c in judged[:-1]), default=None)
    gain = None if earlier is None else now.value - earlier
    decision, why = _decision(best.value, len(judged), judging, loop, gain, retry)
    return Decided(
        attempt=now.attempt,
        decision=decision,
        why=why,
        confidence=best.value,
        best_attempt=best.attempt,
        gain=gain,
    )


def wants_retry(judged: Sequence[Confidence], judging: Judging, loop: Loop) -> bool:
    """Whether another attempt would be made if there is a way to make one: looking for one may cost a model call."""
    best = max(c.value for c in judged)
    earlier = max((c.value for c in judged[:-1]), default=None)
    gain = None if earlier is None else judged[-1].value - earlier
    return best < judging.answer_at and _stop(len(judged), loop, gain, found=True) is None


def _decision(
    value: float, attempts: int, judging: Judging, loop: Loop, gain: float | None, retry: Rewritten | None
) -> tuple[str, str]:
    if value >= judging.answer_at:
        return "answer", f"{_shown(value, judging)} reaches {judging.answer_at:.2f}"
    low = value < judging.decline_below
    band = f"{_shown(value, judging)} is " + (
        f"below {judging.decline_below:.2f}"
        if low
        else f"between {judging.decline_below:.2f} and {judging.answer_at:.2f}"
    )
    stop = _stop(attempts, loop, gain, found=retry is not None)
    if stop is None and retry is not None and (retry.targeted or not low):
        return "rewrite", f"{band}: {retry.why}"
    return ("decline" if low else "caveat"), f"{band}; {stop}" if stop else band


def _stop(attempts: int, loop: Loop, gain: float | None, found: bool) -> str | None:
    if attempts >= loop.max_attempts:
        return f"all {loop.max_attempts} attempts are used"
    if not found:
        return "there is no other way to search"
    if gain is not None and gain < loop.min_gain:
        return f"the last attempt changed the confidence by {gain:+.2f}, less than {loop.min_gain:.2f}"
    return None


def _shown(value: float, judging: Judging) -> str:
    """Two digits, more where rounding would move the number over a band or make it look certain."""
    bands = (judging.decline_below, judging.answer_at, 1.0)
    for digits in (2, 3, 4, 5):
        rounded = float(f"{value:.{digits}f}")
        if all((rounded >= band) == (value >= band) for band in bands):
            return f"{value:.{digits}f}"
    return f"{value:.6f}"
