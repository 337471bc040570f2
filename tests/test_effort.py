"""Effort: what runs, and the most that it costs."""

from __future__ import annotations

import pytest

from assistant.effort import EFFORTS, describe, effort, graded_retrieval
from assistant.settings import Answering, Settings


@pytest.mark.parametrize(
    ("name", "attempts", "calls"),
    [
        # condense + rewrites + gradings + answer + two checks and a second draft
        ("quick", 3, 0 + 0 + 0 + 1 + 0),
        ("balanced", 3, 1 + 2 + 0 + 1 + 0),
        ("balanced", 1, 1 + 0 + 0 + 1 + 0),
        ("careful", 3, 1 + 2 + 3 + 1 + 3),
        ("careful", 1, 1 + 0 + 1 + 1 + 3),
        ("careful", 10, 1 + 2 + 10 + 1 + 3),
    ],
)
def test_the_cost_is_the_sum_of_what_may_run(name, attempts, calls):
    assert EFFORTS[name].calls(attempts) == calls


def test_efforts_are_the_choices_of_the_setting_and_each_does_more_than_the_one_before():
    for name in EFFORTS:
        assert Answering(writer="ollama", effort=name).effort == name
    costs = [one.calls() for one in EFFORTS.values()]
    assert costs == sorted(set(costs))


@pytest.mark.parametrize("name", list(EFFORTS))
def test_without_a_writing_model_every_effort_is_quick(name):
    assert effort(Answering(effort=name)).name == "quick"


@pytest.mark.parametrize("chinese", [False, True])
@pytest.mark.parametrize("name", list(EFFORTS))
def test_the_screen_says_the_cost_in_the_language_asked_for(name, chinese):
    said = describe(name, chinese)
    assert str(EFFORTS[name].calls()) in said
    assert ("请求" in said) == chinese
    assert ("request" in said) != chinese


@pytest.mark.parametrize(
    ("changes", "reranker"),
    [
        ({}, None),
        ({"answering.effort": "careful"}, None),
        ({"answering.effort": "careful", "answering.writer": "ollama"}, "graded"),
        ({"answering.effort": "balanced", "answering.writer": "ollama"}, None),
        ({"retrieval.reranker": "graded"}, "graded"),
    ],
)
def test_passages_are_graded_by_effort_or_by_choice(changes, reranker):
    found = graded_retrieval(Settings().changed(changes))
    assert (found.reranker if found else None) == reranker


def test_another_reranker_is_not_replaced_by_grading():
    chosen = Settings().changed(
        {"retrieval.reranker": "mine", "answering.effort": "careful", "answering.writer": "ollama"}
    )
    assert graded_retrieval(chosen) is None
