"""What a model server may send besides answers: no question is lost for it, and what is whole stays."""

from __future__ import annotations

import json

import pytest
from ollama_server import Model, Reply, running

from assistant import Assistant, Settings
from assistant.errors import SettingsError
from assistant.trace import Trace, Turn

MODELS = {"m:latest": Model()}
QUESTION = "hotel price limits nightly"
PRICE = "Hotels cost up to 150 euros per night."
END = {"message": {"content": ""}, "done": True, "done_reason": "stop"}


@pytest.fixture(scope="module")
def kb(tmp_path_factory):
    notes = tmp_path_factory.mktemp("notes")
    (notes / "travel.md").write_text(f"# Travel\n\n{PRICE} Flights must be booked 14 days ahead.\n", encoding="utf-8")
    (notes / "it.md").write_text("# IT\n\nThe server room is kept below 27 degrees.\n", encoding="utf-8")
    settings = Settings().changed({"retrieval.seconds_per_route": 30.0, "judging.decline_below": 0.0})
    with Assistant.open(tmp_path_factory.mktemp("kb"), settings) as assistant:
        assistant.ingest([notes])
        yield assistant


def ask(kb, fake, effort="quick", question=QUESTION, history=(), **more) -> Trace:
    changes = {
        "ollama.url": fake.url,
        "answering.writer": "ollama",
        "answering.model": "m:latest",
        "answering.effort": effort,
    }
    trace = kb.ask(question, history, changes | more)
    assert Trace.model_validate_json(trace.model_dump_json()) == trace
    return trace


def line(content: str, **more: object) -> bytes:
    return json.dumps({"message": {"content": content}, "done": False} | more).encode() + b"\n"


@pytest.mark.parametrize(
    "counts", [{"eval_count": "x"}, {"eval_count": 3.5}, {"prompt_eval_count": [], "eval_count": -1}]
)
def test_counts_that_are_none_cost_no_answer(kb, counts):
    with running(models=MODELS, raw=[line(f"{PRICE} [1]"), json.dumps(END | counts).encode() + b"\n"]) as fake:
        answered = ask(kb, fake).answered
    assert (answered.text, answered.answer_tokens) == (f"{PRICE} [1]", None)


def test_half_a_character_costs_no_answer(kb):
    with running(models=MODELS, raw=[line(f"\ud83d {PRICE} [1]"), json.dumps(END).encode() + b"\n"]) as fake:
        assert PRICE in ask(kb, fake).answered.text


def test_half_a_character_in_an_error_costs_no_answer(kb):
    with running(models=MODELS, raw=[b'{"error": "broken \\ud83d"}\n']) as fake:
        assert "broken" in ask(kb, fake).answered.why


@pytest.mark.parametrize("fault", ["drop_mid", "no_done", "error_line", "garbage"])
def test_a_second_draft_that_breaks_off_leaves_the_whole_first_one_with_its_marks(kb, fault):
    drafts = iter([[f"{PRICE[:-1]} [1]. ", "Breakfast costs 30 euros [1]."], ["Hotels cost ", "up to"]])

    check = '{"unsupported": [{"sentence": 2, "why": "nothing on breakfast"}], "answers": true}'

    def checked(body):
        fake.fail_next(1, fault, path="/api/chat")
        return [check]

    with running(models=MODELS) as fake:
        fake.replies = [Reply("", checked, True, "You check an answer"), Reply("", ["{}"], True)]
        fake.replies.append(Reply("", lambda body: next(drafts)))
        trace = ask(kb, fake, "careful")
    assert [v.outcome for v in trace.of_kind("verified")] == ["rewrite"]
    answered = trace.answered
    assert (answered.draft, answered.state) == (1, "complete")
    assert [s.supported for s in answered.sentences] == [True, False]
    assert trace.of_kind("answered")[-2].state == "incomplete"


@pytest.mark.parametrize("turns", [30, 300])
def test_a_long_conversation_takes_no_room_from_sources_in_a_small_window(kb, turns):
    history = tuple(Turn(question=f"What do taxis cost in town {n}?", answer="20 euros [1].") for n in range(turns))
    replies = [Reply("", ["{}"], True), Reply("", [f"{PRICE} [1]"])]
    with running(models=MODELS, replies=replies) as fake:
        trace = ask(kb, fake, "balanced", "And hotels?", history, **{"answering.window": 1024})
    assert trace.answered.model == "m:latest"
    assert trace.answered.prompt.turns_left_out > 0


def test_long_turns_before_a_follow_up_cost_neither_its_completion_nor_other_help(kb):
    pasted = "住宿标准与审批流程说明，" * 330  # some 3,600 tokens
    history = tuple(Turn(question=f"{pasted} What do hotels cost in town {n}?", answer="150 [1].") for n in range(3))
    replies = [Reply("follow-up", ['{"question": "What do flights cost?"}'], True), Reply("", [f"{PRICE} [1]"])]
    with running(models=MODELS, replies=replies) as fake:
        trace = ask(kb, fake, "balanced", "And flights?", history, **{"answering.window": 2048})
    assert trace.last("condensed").standalone == "What do flights cost?"


def test_a_trace_with_settings_of_another_version_is_refused_in_one_sentence(kb):
    with running(models=MODELS, replies=[Reply("", [f"{PRICE} [1]"])]) as fake:
        trace = ask(kb, fake)
    with pytest.raises(SettingsError, match=r"Setting answering\.mood"):
        kb.continue_answer(trace.model_copy(update={"settings": {"answering": {"mood": "kind"}}}))


@pytest.mark.parametrize("given", ["5", "-1", 5])
def test_a_time_without_a_unit_is_refused_with_an_example(given):
    with pytest.raises(SettingsError, match="write it with a unit, like 30m"):
        Settings().changed({"ollama.keep_alive": given})
