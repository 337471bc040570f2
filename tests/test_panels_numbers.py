"""Formats: what is written says what was computed, no more and no less."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.trace import Reading
from ui.panels import numbers
from ui.texts import WORDS, T

finite = st.floats(-50, 50, allow_nan=False)


def test_a_value_that_is_not_zero_is_never_written_as_zero():
    assert numbers.fixed(0.0, 3) == "0.000"
    assert numbers.fixed(0.0004, 3) == "&lt; 0.001"
    assert numbers.fixed(-0.0004, 3) == "&gt; −0.001"
    assert numbers.fixed(-0.25, 2) == "−0.25"
    assert numbers.signed(0.25, 2) == "+0.25"


@given(finite, finite, st.integers(0, 4))
def test_written_numbers_keep_the_order_of_the_values(a: float, b: float, digits: int):
    low, high = sorted((a, b))
    assert _read(numbers.fixed(low, digits)) <= _read(numbers.fixed(high, digits))


@given(st.floats(0, 1), st.sampled_from([0.25, 0.6]))
def test_written_confidence_stands_on_the_same_side_of_a_band_as_the_value(value: float, band: float):
    shown = numbers.confidence(value, (0.25, 0.6))
    assert (_read(shown) >= band) == (value >= band)


def test_confidence_just_below_a_band_gets_more_decimals():
    assert numbers.confidence(0.71, (0.25, 0.6)) == "0.71"
    assert numbers.confidence(0.598, (0.25, 0.6)) == "0.598"
    assert numbers.confidence(0.9999, ()) == "0.9999"


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=9))
def test_terms_as_written_add_up_to_the_sum_as_written(values: list[float]):
    total = math.fsum(values)
    shown = numbers.adding_up(values, total, 3)
    assert sum(round(v * 1000) for v in shown) == round(total * 1000)
    assert all(abs(a - b) < 0.001 + 1e-9 for a, b in zip(shown, values, strict=True))


def test_terms_of_a_record_that_does_not_add_up_are_not_made_to():
    assert numbers.adding_up([0.1, 0.2], 0.9, 3) == [0.1, 0.2]


@pytest.mark.accept("A7")
def test_a_number_that_was_not_computed_is_a_dash_with_its_reason():
    html = numbers.reading(Reading.not_run('no "reranker" chosen'), T("en"))
    assert ">–<" in html
    assert "no &quot;reranker&quot; chosen" in html
    assert "0" not in html
    assert ">0.000<" in numbers.reading(Reading.of(0.0, "cosine"), T("en"))


def test_seconds_are_written_for_people():
    shown = [numbers.seconds(s) for s in (0.0, 0.0001, 0.012, 0.84, 12.44, 125, 7300)]
    assert shown == ["0 ms", "&lt; 1 ms", "12 ms", "0.84 s", "12.4 s", "2 min 05 s", "2 h 01 min"]
    assert [numbers.left(s) for s in (0.2, 46.2, 125)] == ["1 s", "47 s", "2 min 05 s"]


def test_movement_is_up_when_the_rank_gets_smaller():
    t = T("en")
    assert "gb-up" in numbers.movement(5, 1, t)
    assert 'aria-label="up 4"' in numbers.movement(5, 1, t)
    assert "gb-down" in numbers.movement(1, 2, t)
    assert numbers.movement(None, 2, t) == ""


def test_every_number_has_a_legend_in_both_languages():
    for lang in ("en", "zh"):
        html = numbers.legend(tuple(numbers.NUMBERS), T(lang))
        assert html.count("<dt>") == len(numbers.NUMBERS)
    assert "higher is better" in numbers.tip("cosine", T("en"))
    assert "lower is better" in numbers.tip("rank", T("en"))


def test_every_word_of_the_interface_is_there_in_both_languages_with_the_same_fields():
    for key, (english, chinese) in WORDS.items():
        assert english.strip(), key
        assert chinese.strip(), key
        assert english.count("{") == chinese.count("{"), key


def _read(text: str) -> float:
    """The number as a reader takes it; "< 0.001" is between 0 and it."""
    sign = 1.0
    if text[0] == "&":
        return math.copysign(0.5, -1 if "−" in text else 1) * float(text.lstrip("&glt; −"))
    if text[0] == "−":
        sign, text = -1.0, text[1:]
    return sign * float(text)
