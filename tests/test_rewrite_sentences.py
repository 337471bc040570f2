"""What rewriters and follow-ups with a model say, on a Chinese screen."""

from __future__ import annotations

import re

import pytest
from rewrite_parts import MODEL, model, situation
from test_condense_model import BUDGET
from test_rewrite_models import BAD, LEAVE, propose

from assistant.rewrite.condense import condense
from ui.panels.reasons import reason
from ui.panels.sentences_of_rewriting import REWRITTEN

PROPOSED = [
    ("reword", {"query": "weeks of parental leave after birth of a child"}, {"missing": ("stay", "away")}),
    ("reword", {"query": "weeks of parental leave after birth of a child"}, {}),
    ("decompose", {"parts": ["How long may I stay away?", "When is my child born?"]}, {}),
    ("decompose", {"parts": ["How long may I stay away when my child is born?"]}, {}),
    ("translate", {"translation": "孩子出生后可以休多久？"}, {"languages": {"zh": 40}}),
    ("step_back", {"query": "What are the rules for leave?"}, {}),
    ("hyde", {"passage": "Parents of a newborn receive paid leave."}, {}),
]


def english_in(chinese: str, *values: str) -> list[str]:
    for value in values:
        chinese = chinese.replace(value, "")
    return re.findall(r"[A-Za-z]{2,}", chinese)


@pytest.mark.parametrize(("name", "reply", "known"), PROPOSED)
def test_why_a_rewriter_proposes_something_is_said_in_chinese(name, reply, known):
    with model((".", reply)) as (chat, _):
        found = propose(name, situation(LEAVE, chat, **known))
    values = [v for value in reply.values() for v in ([value] if isinstance(value, str) else value)]
    for sentence in (found.why, f"0.40 is between 0.25 and 0.60: {found.why}"):
        chinese = reason(sentence, "zh")
        assert english_in(chinese, MODEL, *values, *known.get("missing", ())) == [], sentence


@pytest.mark.parametrize("why", sorted({why for *_, why in BAD}))
def test_why_a_reply_was_not_used_is_said_in_chinese(why):
    assert english_in(reason(why, "zh"), "e-4207", "E-4207", "e-9999", "Zurich") == []


@pytest.mark.parametrize("reply", ["What was the travel budget in 2023?", "And in 2023?"])
def test_what_came_of_a_follow_up_is_said_in_chinese(reply):
    with model((".", {"question": reply})) as (chat, _):
        said = condense("And in 2023?", BUDGET, chat).why
    assert english_in(reason(said, "zh"), MODEL, BUDGET[0].question, "travel", "budget") == []


def test_no_sentence_is_hidden_by_one_before_it():
    values = {"number": "3", "list": "alpha, beta", "reason": "it is empty", "": "x:1"}
    for english, _ in REWRITTEN:
        sentence = re.sub(r"\{\w+:?([^}]*)\}", lambda m: values.get(m[1], "x:1"), english)
        assert english_in(reason(sentence, "zh"), "alpha", "beta", "x:1") == [], sentence
