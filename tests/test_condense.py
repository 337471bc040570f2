"""Follow-ups: what points back gets the terms of the question before, what stands alone is left alone."""

from __future__ import annotations

import pytest

from assistant.rewrite.condense import condense
from assistant.trace import Turn


@pytest.mark.parametrize(
    ("last", "question", "added"),
    [
        ("What is the hotel limit in Zurich?", "And in London?", ("hotel", "limit", "Zurich")),
        ("员工每年有几天年假？", "那病假呢？", ("员工每年有", "年假")),
        ("What is the duck's habitat?", "How long do they live?", ("duck", "habitat")),
        ("公司的住宿标准", "它适用于实习生吗？", ("公司的住宿标准",)),
    ],
)
@pytest.mark.accept("B4")
def test_a_question_that_points_back_gets_the_key_terms_of_the_one_before(last, question, added):
    step = condense(question, [Turn(question=last)])
    assert step.added == added
    assert step.standalone == f"{question} {' '.join(added)}"
    assert step.original == question


@pytest.mark.parametrize(
    "question",
    [
        "What is the hotel limit that applies in Zurich?",
        "Is there a discount for train tickets?",
        "How do I connect to the VPN when it shows certificate errors?",
        "员工每年有几天年假？",
        "其他城市的住宿标准是多少？",
    ],
)
def test_a_new_topic_is_searched_as_asked(question):
    step = condense(question, [Turn(question="What do ducks eat?")])
    assert (step.method, step.standalone) == ("as asked", question)


def test_the_first_question_is_searched_as_asked():
    assert condense("And in London?", ()).method == "as asked"
