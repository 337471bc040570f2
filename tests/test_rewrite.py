"""Rewriters: when they apply, what they search for, and that no search is made twice."""

from __future__ import annotations

import pytest

from assistant.rewrite.next_attempt import Next, next_attempt, search_key
from assistant.rewrite.situation import Situation
from assistant.rewrite.split import parts_of
from assistant.settings import Settings


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("年假和病假的区别是什么？", ("年假", "病假")),
        ("请比较一下方案甲与方案乙", ("方案甲", "方案乙")),
        ("北京与上海在住宿标准上的差异", ("北京", "上海")),
        ("What is the difference between annual leave and sick leave?", ("annual leave", "sick leave")),
        ("Compare the 2023 budget with the 2024 budget", ("the 2023 budget", "the 2024 budget")),
        ("Who wrote the report and when was it published?", ("Who wrote the report", "when was it published?")),
        ("住宿标准是多少？报销要交哪些材料？", ("住宿标准是多少？", "报销要交哪些材料？")),
        ("What is the travel policy?", ()),
        ("出差住宿标准是多少", ()),
    ],
)
def test_a_question_with_two_parts_is_split(question, parts):
    assert parts_of(question) == parts


def situation(question: str, buried: tuple[str, ...] = (), queries: tuple[str, ...] | None = None) -> Situation:
    return Situation(question, queries or (question,), buried, Settings())


def test_split_comes_before_identifiers_and_widening():
    step = next_attempt(situation("A1 和 B2 的区别", ("A1", "B2")), {}, frozenset(), 2).rewritten
    assert (step.rewriter, step.queries, step.attempt) == ("split", ("A1", "B2"), 2)


def test_identifiers_are_searched_for_alone():
    step = next_attempt(situation("why does ERR_42 happen", ("ERR_42",)), {}, frozenset(), 2).rewritten
    assert (step.rewriter, step.queries) == ("identifiers", ("ERR_42",))


def test_widening_changes_depth_keep_and_neighbours_and_nothing_is_searched_twice():
    now = situation("what is leave")
    step = next_attempt(now, {}, frozenset({search_key(now.queries, {})}), 2).rewritten
    assert (step.rewriter, step.changes) == (
        "widen",
        {"retrieval.depth": 100, "retrieval.keep": 20, "retrieval.neighbours": 1},
    )
    assert next_attempt(now, {}, frozenset({search_key(step.queries, step.changes)}), 3) == Next(None)
