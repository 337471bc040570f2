"""Asking a chat model for a record: over real HTTP, with replies that models really give."""

from __future__ import annotations

import json
import threading

import pytest
from ollama_server import Model, Reply, running
from pydantic import BaseModel

from assistant.providers.ollama import OllamaChat
from assistant.providers.structured import ask_for

ASKED = (("system", "You plan a search."), ("user", "Split: boiler and pump?"))


class Plan(BaseModel):
    parts: list[str]
    why: str = ""


GOOD = '{"parts": ["boiler", "pump"]}'
PLAN = Plan(parts=["boiler", "pump"])


@pytest.fixture
def server():
    with running(models={"m:latest": Model()}) as fake:
        yield fake


def says(fake, *replies, **formatted):
    """The first reply to the question, the second to the request for a repair."""
    fake.replies[:] = [Reply("^Split", [replies[0]], **formatted)]
    if len(replies) > 1:
        fake.replies.append(Reply("^That cannot be used", [replies[1]]))


def ask(fake, **options):
    return ask_for(OllamaChat(fake.url, "m"), "split", ASKED, Plan, **options)


@pytest.mark.parametrize(
    "reply",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"Here it is:\n```\n{GOOD}\n```\nAnything else?",
        f"Sure! {GOOD} Good luck.",
        f"<think>Maybe {{this}}?</think>\n\n{GOOD}",
        '{"parts": ["boiler", "pump"], "extra": {"a": 1}}',
    ],
)
def test_record_is_found_in_the_reply(server, reply):
    says(server, reply)
    record, call = ask(server)
    assert record == PLAN
    assert (call.state, call.requests, call.why, call.purpose, call.model) == ("done", 1, "", "split", "m")


def test_fence_inside_a_text_is_part_of_the_text(server):
    says(server, json.dumps({"parts": ["run ```make``` first"]}))
    assert ask(server)[0] == Plan(parts=["run ```make``` first"])


def test_schema_goes_as_format_and_into_the_prompt(server):
    says(server, GOOD)
    _, call = ask(server)
    (body,) = server.bodies("/api/chat")
    assert body["format"] == Plan.model_json_schema()
    assert body["options"]["num_predict"] == 512
    sent = body["messages"][-1]["content"]
    assert sent.startswith("Split: boiler and pump?\n\nReply with JSON only")
    assert json.dumps(Plan.model_json_schema()) in sent
    assert call.messages == (ASKED[0], ("user", sent))


def test_server_that_ignores_the_format_is_told_once_more(server):
    server.faults.add("format_ignored")
    says(server, "I would split it in two.", GOOD)
    record, call = ask(server)
    assert (record, call.state, call.requests, call.why) == (PLAN, "repaired", 2, "")
    repair = server.bodies("/api/chat")[1]["messages"]
    assert repair[-2] == {"role": "assistant", "content": "I would split it in two."}
    assert repair[-1]["content"] == (
        "That cannot be used (no JSON object in the reply). Reply again with the JSON only."
    )


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("", "the reply was empty"),
        ("<think>what now", "the reply was empty"),
        ("no", "no JSON object in the reply"),
        ('{"why": "?"}', "parts: Field required"),
        ('{"parts": "boiler"}', "parts: Input should be a valid array"),
        ("{'parts': []}", "the whole: Invalid JSON: key must be a string at line 1 column 2"),
    ],
)
def test_second_unusable_reply_is_the_last(server, reply, why):
    says(server, reply, reply)
    record, call = ask(server)
    assert (record, call.state, call.requests, call.why) == (None, "failed", 2, why)
    assert len(server.bodies("/api/chat")) == 2


def test_nothing_said_is_not_quoted_back(server):
    says(server, "", GOOD)
    assert ask(server)[0] == PLAN
    assert [m["role"] for m in server.bodies("/api/chat")[1]["messages"]] == ["system", "user", "user"]


def test_reply_cut_by_its_length_gets_twice_the_room(server):
    says(server, '{"parts": ["boiler", {"deep": 1}, "pu', GOOD)
    server.fail_next(1, "length")
    record, call = ask(server, max_tokens=40)
    assert (record, call.state) == (PLAN, "repaired")
    first, second = server.bodies("/api/chat")
    assert (first["options"]["num_predict"], second["options"]["num_predict"]) == (40, 80)
    assert "cut off by the length limit" in second["messages"][-1]["content"]


def test_check_refuses_what_the_schema_allows(server):
    says(server, '{"parts": ["boiler"]}', GOOD)
    record, call = ask(server, check=lambda plan: "" if len(plan.parts) > 1 else "one part is no division")
    assert (record, call.state) == (PLAN, "repaired")
    assert "(one part is no division)" in server.bodies("/api/chat")[1]["messages"][-1]["content"]


def test_tokens_of_both_requests_are_counted(server):
    says(server, "no", GOOD)
    server.prompt_tokens = 90
    assert (ask(server)[1].prompt_tokens, ask(server)[1].answer_tokens) == (180, 14)


def test_stopped_request_is_not_repaired(server):
    server.faults.add("stall")
    cancel = threading.Event()
    states = []

    def seen(state):
        states.append(state)
        cancel.set()

    record, call = ask(server, cancel=cancel, on_state=seen)
    assert (record, call.state, call.why, call.requests) == (None, "failed", "stopped", 1)
    assert len(states) == 1


def test_model_that_is_not_there_was_not_asked(server):
    record, call = ask_for(OllamaChat(server.url, "other"), "split", ASKED, Plan)
    assert (record, call.state, call.requests, call.reply) == (None, "failed", 0, "")
    assert call.why.endswith("ollama pull other")


def test_connection_that_breaks_is_a_failed_call_and_the_next_works(server):
    says(server, GOOD)
    server.fail_next(1, "drop_first")
    record, call = ask(server)
    assert (record, call.state, call.requests) == (None, "failed", 1)
    assert "ended the connection" in call.why
    assert ask(server)[0] == PLAN


@pytest.mark.accept("E1")
def test_request_that_the_server_has_cut_is_used_for_nothing(server):
    says(server, GOOD)
    server.prompt_tokens = 2050  # half of a window of 4096 that it did not tell of
    asked = (("user", f"Split: {'记录' * 2500}"),)  # 4250 estimated
    record, call = ask_for(OllamaChat(server.url, "m"), "split", asked, Plan)
    assert (record, call.why, call.requests) == (None, "the server has read only a part of the request", 1)
