"""Follow-ups that a chat model completes: from the conversation only, and with the key terms when it does not."""

from __future__ import annotations

import threading

import pytest
from rewrite_parts import MODEL, model

from assistant.rewrite.condense import condense
from assistant.trace import Condensed, Turn

HOTEL = [Turn(question="What is the hotel limit in Zurich?", answer="The limit is 150 euros per night [1].")]
LEAVE = [Turn(question="员工每年有几天年假？", answer="员工每年有 12 天年假 [1]。")]
BUDGET = [Turn(question="What was the travel budget in 2022?", answer="It was 5 million euros [1].")]


def completed(question: str, history: list[Turn], reply: object, faults: set[str] | None = None) -> Condensed:
    with model((".", {"question": reply} if isinstance(reply, str) else reply), faults=faults) as (chat, _):
        return condense(question, history, chat)


@pytest.mark.accept("B4")
@pytest.mark.parametrize(
    ("history", "question", "reply", "added"),
    [
        (BUDGET, "And in 2023?", "What was the travel budget in 2023?", ("travel", "budget")),
        (HOTEL, "And in London?", "What is the hotel limit in London?", ("hotel", "limit")),
        (HOTEL, "Why?", "Why is the hotel limit in Zurich 150 euros?", ("hotel", "limit", "Zurich", "150", "euros")),
        (LEAVE, "那病假呢？", "员工每年有几天病假？", ("员工每年",)),
        (LEAVE, "为什么？", "为什么员工的年假是 12 天？", ("员工", "年假", "12", "天")),
    ],
)
def test_a_follow_up_is_completed_from_the_conversation(history, question, reply, added):
    step = completed(question, history, reply)
    assert (step.original, step.standalone, step.method) == (question, reply, "completed by the model")
    assert step.added == added
    assert step.why == f"the question points back; {MODEL} completed it from the conversation"
    assert (step.call.purpose, step.call.state) == ("condense", "done")


def test_the_model_reads_the_last_turns_as_the_person_saw_them_and_nothing_else():
    turns = [Turn(question=f"What is the limit in city {n}?", answer=f"{n} euros. " * 200) for n in range(10, 15)]
    with model((".", {"question": "What is the limit in city 99?"})) as (chat, fake):
        step = condense("And in city 99?", turns, chat)
    assert step.method == "completed by the model"
    sent = fake.bodies("/api/chat")[0]["messages"][-1]["content"]
    assert [n for n in range(10, 15) if f"city {n}" in sent] == [12, 13, 14]
    assert sent.count("14 euros.") == 30  # 300 characters of ten each
    assert len(fake.bodies("/api/chat")) == 1


@pytest.mark.parametrize(
    ("history", "question", "reply", "why"),
    [
        (BUDGET, "And in 2023?", "What was the travel budget?", "it lacks 2023"),
        (BUDGET, "And in 2023?", "What was the travel budget of Oslo in 2023?", "nobody mentioned oslo"),
        (BUDGET, "And in 2023?", "What was the travel budget in 2023 after 2021?", "nobody mentioned 2021"),
        (BUDGET, "And in 2023?", "2023年的差旅预算是多少？", "it is not in English"),
        (BUDGET, "And in 2023?", "And in 2023?", "nothing from the conversation was added"),
        (BUDGET, "And in 2023?", "budget 2023 " * 30, "it has 360 characters, more than 300"),
        (BUDGET, "And in 2023?", "What was the travel budget in 2022? 2023", "it is more than one question"),
        (LEAVE, "那病假呢？", "12 天", "it lacks 病假"),
        (LEAVE, "那病假呢？", "红色水泵的病假价格是多少？", "nobody mentioned 价格, 水泵, 红色"),
        (HOTEL, "Who approves it?", "What is the hotel limit in Zurich?", "it repeats the conversation"),
        (HOTEL, "Do they differ?", "Is there a hotel limit in Zurich?", "it lacks differ"),
        (LEAVE, "那病假呢？", "员工每年有几天带薪病假？", "nobody mentioned 带薪"),
        (LEAVE, "那病假呢？", "How many days of sick leave are there?", "it is not in Chinese"),
    ],
)
def test_what_nobody_said_does_not_enter_and_the_key_terms_are_added_instead(history, question, reply, why):
    step = completed(question, history, reply)
    plain = condense(question, history)
    assert (step.standalone, step.added, step.method) == (plain.standalone, plain.added, plain.method)
    assert step.why == f"{MODEL} did not complete the question ({why}); {plain.why}"
    assert (step.call.state, step.call.requests) == ("failed", 2)


@pytest.mark.accept("B6")
@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("<think>They ask about 2023.", "the reply was empty"),
        ("<think>They ask about 2023.</think>", "the reply was empty"),
        ("", "the reply was empty"),
        ("2023", "no JSON object in the reply"),
    ],
)
def test_a_reply_of_thoughts_or_of_nothing_falls_back_and_says_so(reply, why):
    with model((".", reply)) as (chat, _):
        step = condense("And in 2023?", BUDGET, chat)
    assert step.original == "And in 2023?"
    assert step.standalone == "And in 2023? travel budget 2022"
    assert step.why.startswith(f"{MODEL} did not complete the question ({why}); the question points back; added from")


@pytest.mark.accept("B6")
def test_thoughts_before_the_reply_are_left_out():
    reply = '<think>{"question": "no"}</think>{"question": "What was the travel budget in 2023?"}'
    with model((".", reply)) as (chat, _):
        assert condense("And in 2023?", BUDGET, chat).standalone == "What was the travel budget in 2023?"


@pytest.mark.parametrize("faults", [{"drop_first"}, {"busy"}, {"out_of_memory"}, {"no_done"}])
def test_a_model_that_cannot_be_reached_leaves_the_key_terms(faults):
    step = completed("And in 2023?", BUDGET, "no", faults)
    assert step.method == "terms of the last question added"
    assert step.call.state == "failed"


def test_a_question_that_stands_alone_costs_no_request():
    with model((".", {"question": "x"})) as (chat, fake):
        assert condense("What is the deadline for tax returns?", BUDGET, chat).method == "as asked"
        assert condense("And in 2023?", [], chat).method == "as asked"
    assert fake.bodies("/api/chat") == []


def test_a_stopped_question_is_not_completed():
    stop = threading.Event()
    stop.set()
    with model((".", {"question": "What was the travel budget in 2023?"})) as (chat, _):
        step = condense("And in 2023?", BUDGET, chat, stop)
    assert (step.method, step.call.why) == ("terms of the last question added", "stopped")


def test_a_follow_up_of_a_follow_up_takes_its_terms_from_the_question_that_stands_alone():
    turns = [*HOTEL, Turn(question="And in London?")]
    assert condense("And in Paris?", turns).standalone == "And in Paris? hotel limit Zurich"


def test_a_follow_up_in_another_language_than_the_conversation_is_not_answered_in_that_one():
    step = completed("And in 2023?", [Turn(question="2022年的差旅预算是多少？")], "2023年的差旅预算是多少？")
    assert step.call.why == "it is not in English"
