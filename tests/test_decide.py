"""decide: bands, retries and when to stop."""

from __future__ import annotations

from assistant.decide import decide
from assistant.settings import Judging, Loop
from assistant.trace import Confidence, Rewritten

BANDS = Judging(answer_at=0.6, decline_below=0.25)


def confidence(value: float, attempt: int = 1) -> Confidence:
    return Confidence(
        attempt=attempt,
        method="signals",
        coefficients="signals",
        intercept=0,
        start=0,
        signals=(),
        total=0,
        link="identity",
        linked=value,
        value=value,
        answer_at=0.6,
        decline_below=0.25,
    )


WIDER = Rewritten(rewriter="widen", before="q", queries=("q",), why="look wider")
TARGETED = WIDER.model_copy(update={"targeted": True, "why": "search for X9 alone"})


def decided(*values: float, retry: Rewritten | None = WIDER, **loop):
    return decide([confidence(v, n) for n, v in enumerate(values, 1)], BANDS, Loop(**loop), retry)


def test_it_answers_at_the_band_exactly():
    assert decided(0.6).decision == "answer"


def test_it_declines_below_the_lower_band_without_trying_again():
    assert decided(0.249).decision == "decline"


def test_it_tries_a_targeted_search_even_after_a_poor_one():
    assert decided(0.1, retry=TARGETED).decision == "rewrite"
    assert decided(0.1, 0.1, retry=TARGETED).decision == "decline"


def test_it_tries_again_between_the_bands_and_says_how():
    step = decided(0.25)
    assert (step.decision, step.why) == ("rewrite", "0.25 is between 0.25 and 0.60: look wider")


def test_it_gives_a_caveat_when_the_attempts_are_used_up():
    step = decided(0.3, 0.4, 0.5)
    assert (step.decision, step.best_attempt) == ("caveat", 3)
    assert "all 3 attempts" in step.why


def test_it_stops_when_nothing_was_gained_and_stands_on_the_better_attempt():
    step = decided(0.4, 0.4)
    assert (step.decision, step.best_attempt, step.gain) == ("caveat", 1, 0.0)
    assert "changed the confidence by +0.00" in step.why


def test_it_stops_when_there_is_no_other_way_to_search():
    assert decided(0.4, retry=None).decision == "caveat"


def test_a_worse_retry_never_replaces_a_better_attempt():
    step = decided(0.5, 0.1)
    assert (step.decision, step.confidence, step.best_attempt) == ("caveat", 0.5, 1)


def test_a_confidence_is_never_rounded_over_a_band_or_to_certainty():
    assert decided(0.5996).why.startswith("0.5996 is between")
    assert decided(0.2499).why.startswith("0.2499 is below")
    assert decided(0.9996).why.startswith("0.9996 reaches")
    assert decided(0.036).why.startswith("0.04 is below")
