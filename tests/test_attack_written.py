"""What a chat model and its server may do to a written answer: the trace tells the truth, and no question is lost."""

from __future__ import annotations

import pytest
from ollama_server import Model, Reply, running

from assistant import Assistant, Settings
from assistant.trace import Answered, Delta, Trace

MODELS = {"m:latest": Model()}
QUESTION = "What do hotels cost per night?"
PRICE = "Hotels cost up to 150 euros per night."


@pytest.fixture(scope="module")
def kb(tmp_path_factory):
    notes = tmp_path_factory.mktemp("notes")
    (notes / "travel.md").write_text(f"# Travel\n\n{PRICE}\n", encoding="utf-8")
    settings = Settings().changed({"retrieval.seconds_per_route": 30.0, "judging.decline_below": 0.0})
    with Assistant.open(tmp_path_factory.mktemp("kb"), settings) as assistant:
        assistant.ingest([notes])
        yield assistant


def changes(fake) -> dict[str, object]:
    return {
        "ollama.url": fake.url,
        "answering.writer": "ollama",
        "answering.model": "m:latest",
        "answering.effort": "quick",
        "ollama.idle_seconds": 2.0,
    }


def ask(kb, pieces, **server) -> Trace:
    with running(models=MODELS, replies=[Reply("", pieces)], **server) as fake:
        return kb.ask(QUESTION, (), changes(fake))


def quoted(answered: Answered) -> bool:
    return answered.writer == "extractive" and PRICE in answered.text and answered.state == "complete"


@pytest.mark.accept("B6")
@pytest.mark.parametrize("pieces", [[""], ["<think>no end"], ["[1]"], [" \n "]])
def test_a_model_that_writes_nothing_leaves_a_quoted_answer_that_says_so(kb, pieces):
    answered = ask(kb, pieces).answered
    assert quoted(answered)
    assert answered.why == "m:latest wrote no answer; ask again, or choose another model."


def test_thinking_that_uses_up_the_whole_length_is_named(kb):
    answered = ask(kb, ["x"], faults={"thinking_only", "length"}).answered
    assert quoted(answered)
    assert "spent the whole length on thinking" in answered.why


@pytest.mark.accept("E6")
@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("busy", "is busy"),
        ("out_of_memory", "does not fit into the memory"),
        ("html", "not Ollama"),
        ("text_404", "update Ollama"),
        ("forbidden", "refuses the request"),
        ("drop_first", "ended the connection"),
        ("error_first", "unexpected"),
    ],
)
def test_a_server_that_fails_before_the_first_word_leaves_a_quoted_answer_and_its_reason(kb, fault, words):
    answered = ask(kb, ["x"], faults={fault}).answered
    assert quoted(answered)
    assert words in answered.why
    assert "key" not in answered.why.lower()


@pytest.mark.accept("E7")
def test_a_model_that_is_not_installed_is_named_with_the_command_that_gets_it(kb):
    with running(models={"other:latest": Model()}) as fake:
        answered = kb.ask(QUESTION, (), changes(fake)).answered
    assert quoted(answered)
    assert "ollama pull m:latest" in answered.why


@pytest.mark.parametrize("fault", ["no_done", "drop", "error_line", "garbage", "drop_mid"])
def test_what_was_written_before_the_server_broke_off_stays_and_is_marked_incomplete(kb, fault):
    answered = ask(kb, ["Hotels cost up to ", "150 euros per night [1]. And", " more"], faults={fault}).answered
    assert answered.text.startswith("Hotels cost up to")
    assert (answered.state, answered.stopped_by) == ("incomplete", "incomplete")
    assert answered.why


def test_an_answer_cut_by_its_length_can_be_continued_and_is_checked_as_a_whole(kb):
    following = ["150 euros per night [1]. ", "Breakfast is extra [9]."]
    with running(models=MODELS, replies=[Reply("Go on", following)]) as fake:
        fake.replies.append(Reply("", ["Hotels cost up to"]))
        fake.fail_next(1, "length")
        trace = kb.ask(QUESTION, (), changes(fake))
        assert (trace.answered.state, trace.answered.stopped_by) == ("incomplete", "length")
        steps = list(kb.continue_answer(trace))
        sent = fake.bodies("/api/chat")[-1]["messages"]
    whole = steps[-1].answered
    assert "".join(s.text for s in steps if isinstance(s, Delta)) == " 150 euros per night [1]. Breakfast is extra [9]."
    assert whole.text == "Hotels cost up to 150 euros per night. [1] Breakfast is extra."
    assert (whole.state, whole.removed_citations) == ("complete", (9,))
    assert [m["role"] for m in sent] == ["system", "user", "assistant", "user"]
    assert steps[-1].of_kind("answered")[0] == trace.answered


def test_a_continuation_that_repeats_the_last_words_is_joined_without_them(kb):
    with running(models=MODELS, replies=[Reply("Go on", ["cost up to 150 euros per night [1]."])]) as fake:
        fake.replies.append(Reply("", ["Hotels cost up to"]))
        fake.fail_next(1, "length")
        trace = kb.ask(QUESTION, (), changes(fake))
        whole = list(kb.continue_answer(trace))[-1].answered
    assert whole.text == "Hotels cost up to 150 euros per night. [1]"


@pytest.mark.parametrize("pieces", [["HACKED [9]."], ["It costs more than you think."]])
def test_an_answer_without_any_source_is_never_given_without_a_caveat(kb, pieces):
    answered = ask(kb, pieces).answered
    assert answered.decision == "caveat"
    assert "names a source" in answered.caveat
    assert answered.citations == ()


@pytest.mark.accept("C3")
def test_a_number_outside_the_sources_is_removed_and_counted(kb):
    answered = ask(kb, [f"{PRICE[:-1]} [1][7]."]).answered
    assert answered.removed_citations == (7,)
    assert [c.number for c in answered.citations] == [1]
    assert "names a source" not in answered.caveat


@pytest.mark.parametrize("pieces", [["NOT_IN_", "DOCUMENTS"], ["The sources do not mention this."]])
def test_not_in_the_documents_is_an_outcome_of_its_own(kb, pieces):
    answered = ask(kb, pieces).answered
    assert (answered.decision, answered.writer, answered.model) == ("decline", "ollama", "m:latest")
    assert answered.label == "m:latest read 1 sources and found no answer in them"
    assert answered.text.startswith("Not found in your documents.")
    assert answered.prompt.messages[-1][1].endswith(QUESTION)


@pytest.mark.accept("E1")
def test_a_server_that_cut_the_prompt_is_noticed(kb, tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    for n in range(12):
        text = " ".join(f"Hotel number {n} costs {100 + n} euros per night in town {n} and row {i}." for i in range(60))
        (notes / f"hotel{n}.md").write_text(f"# Hotel {n}\n\n{text}\n", encoding="utf-8")
    with Assistant.open(tmp_path / "kb", kb.settings) as large:
        large.ingest([notes])
        with running(models=MODELS, faults={"truncated"}, replies=[Reply("", [f"{PRICE} [1]"])]) as fake:
            answered = large.ask(QUESTION, (), changes(fake) | {"answering.window": 2048}).answered
    assert answered.prompt.truncated
    assert answered.prompt.counted_by_server == 2048 // 2 + 2
    assert answered.prompt.left_out


def test_a_server_restarted_during_an_answer_loses_nothing_and_serves_the_next_question(kb):
    with running(models=MODELS, faults={"stall_mid"}, replies=[Reply("", [f"{PRICE} ", "[1]"])]) as fake:
        stream = kb.stream(QUESTION, (), changes(fake) | {"ollama.idle_seconds": 30.0})
        for step in stream:
            if isinstance(step, Delta):
                fake.faults.clear()
                fake.restart()
        trace = step
        again = kb.ask(QUESTION, (), changes(fake))
    assert trace.answered.state == "incomplete"
    assert trace.answered.text.startswith(PRICE[:-1])
    assert again.answered.state == "complete"


def test_a_dead_proxy_in_the_environment_is_not_used_for_a_local_server(kb, monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert ask(kb, [f"{PRICE} [1]"]).answered.writer == "ollama"
