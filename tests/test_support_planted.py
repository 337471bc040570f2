"""How many of the planted sentences are told right: the figures of benchmarks/support.py do not fall."""

from __future__ import annotations

import planted
import pytest

from assistant.language import is_chinese
from ui.panels.reasons import reason

HALVES = [(half, language) for half in ("tuning", "held") for language in ("en", "zh")]


def of(half: str, language: str, *kinds: str) -> list[bool | None]:
    return [s.supported for p, s in planted.marked(half, language) if p.kind in kinds]


@pytest.mark.parametrize("wrong", [True, False])
@pytest.mark.parametrize(("half", "language"), HALVES)
def test_there_are_enough_planted_sentences(half, language, wrong):
    # 4 × 28 right ones, 4 × 30 wrong ones
    assert len([p for p, _ in planted.marked(half, language) if p.wrong == wrong]) >= 28


@pytest.mark.accept("C5")
@pytest.mark.parametrize(("half", "language"), HALVES)
def test_wrong_sentences_are_marked_and_right_ones_are_not(half, language):
    wrong, right = of(half, language, *planted.WRONG), of(half, language, *planted.RIGHT)
    found, alarms = wrong.count(False), right.count(False)
    assert found / len(wrong) >= 0.85
    assert found / (found + alarms) >= 0.92
    assert right.count(True) / len(right) >= 0.92


@pytest.mark.accept("C5")
@pytest.mark.parametrize(("half", "language"), HALVES)
def test_wrong_numbers_dates_and_identifiers_are_marked(half, language):
    values = of(half, language, "number", "date", "identifier")
    assert values.count(False) >= len(values) - 1


@pytest.mark.parametrize(("half", "language"), HALVES)
def test_what_no_source_says_is_always_marked(half, language):
    assert set(of(half, language, "unsupported")) == {False}


@pytest.mark.parametrize(("half", "language"), HALVES)
def test_a_quoted_sentence_is_always_supported(half, language):
    assert set(of(half, language, "quote", "row")) == {True}


@pytest.mark.accept("C1")
@pytest.mark.parametrize(("half", "language"), HALVES)
def test_every_sentence_is_linked_or_marked(half, language):
    for _, sentence in planted.marked(half, language):
        linked = bool(sentence.citations and sentence.support)
        assert linked or (sentence.supported is False and sentence.why)


@pytest.mark.parametrize(("half", "language"), HALVES)
def test_every_reason_is_said_in_chinese_too(half, language):
    reasons = {s.why for _, s in planted.marked(half, language) if s.why}
    assert reasons
    assert all(is_chinese(reason(why, "zh")) and reason(why, "zh") != why for why in reasons)
