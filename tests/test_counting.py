"""Counting a chat model's tokens: the estimate by script, and what it learns from the server's counts."""

from __future__ import annotations

import pytest

from assistant.providers.counting import TokenCounter, counter_for, estimate_tokens


@pytest.mark.accept("E14")
@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0.0),
        ("知识问答", 3.4),  # 4 × 0.85
        ("问，答。", 3.4),  # full-width signs as characters
        ("word", 0.88),  # 4 × 0.22
        ("2024", 4.0),  # digits one by one
        ("a b\n", 0.54),  # 2 × 0.22 + 2 × 0.05
        ("x=1;", 2.52),  # 0.22 + 0.65 + 1 + 0.65
        ("да", 0.8),  # other alphabets 0.4
        ("😀𠮷", 4.0),
    ],
)
def test_estimate_goes_by_script(text, tokens):
    assert estimate_tokens(text) == pytest.approx(tokens)


def test_chinese_costs_almost_four_times_as_much_a_character_as_english():
    assert estimate_tokens("字" * 100) / estimate_tokens("x" * 100) == pytest.approx(0.85 / 0.22)


def test_count_scales_and_rounds_up():
    # 4 × 0.85 × 1.1 = 3.74; nothing is nothing
    assert (TokenCounter().count("知识问答"), TokenCounter().count("")) == (4, 0)


def test_scale_moves_three_tenths_of_the_way_to_the_servers_count():
    counter = TokenCounter()
    # 1.1 + 0.3 × (1.5 − 1.1)
    assert not counter.learn(1000, 1500, 8192)
    assert counter.scale == pytest.approx(1.22)
    # 1.22 + 0.3 × (0.9 − 1.22)
    assert not counter.learn(1000, 900, 8192)
    assert counter.scale == pytest.approx(1.124)
    assert counter.count("字" * 100) == 96  # 85 × 1.124 = 95.5


def test_one_strange_count_cannot_move_the_scale_far():
    counter = TokenCounter()
    # 50 tokens for one estimated count as 2: 1.1 + 0.3 × 0.9
    counter.learn(1000, 50_000, 65_536)
    assert counter.scale == pytest.approx(1.37)


@pytest.mark.parametrize("counted", [None, 0])
def test_server_that_counts_nothing_teaches_nothing(counted):
    counter = TokenCounter()
    assert not counter.learn(5000, counted, 8192)
    assert counter.scale == 1.1


def test_short_prompt_teaches_nothing_since_the_template_weighs_too_much():
    counter = TokenCounter()
    assert not counter.learn(199, 31, 8192)
    assert counter.scale == 1.1


@pytest.mark.accept("E1")
@pytest.mark.parametrize(
    ("estimated", "counted", "window", "cut"),
    [
        (5000, 2050, 4096, True),  # half of 4096 and 2
        (5000, 2999, 8192, True),  # less than 0.6 of the estimate
        (5000, 3001, 8192, False),
        (6000, 4098, 8192, True),  # 0.68 of the estimate, but half of 8192 and 2
        (6000, 4107, 8192, False),  # nine away from it
        (4800, 4098, 8192, False),  # that prompt was never too long for 8192
        (7000, 7900, 8192, False),
    ],
)
def test_prompt_that_the_server_has_cut_is_noticed(estimated, counted, window, cut):
    assert TokenCounter().learn(estimated, counted, window) is cut


def test_cut_prompt_teaches_nothing():
    counter = TokenCounter()
    counter.learn(5000, 2050, 4096)
    assert counter.scale == 1.1


def test_each_model_at_each_address_has_one_counter():
    one = counter_for("http://127.0.0.1:1", "counted:1b")
    assert counter_for("http://127.0.0.1:1", "counted:1b") is one
    assert counter_for("http://127.0.0.1:2", "counted:1b") is not one
    assert counter_for("http://127.0.0.1:1", "counted:4b") is not one
