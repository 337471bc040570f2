"""What a chat model may do to a written answer: the trace tells the truth about it."""

from __future__ import annotations

import ollama_server
import pytest

from assistant import Assistant, Settings


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("kb")


def ask(folder, pieces: list[str]):
    notes = folder / "notes"
    notes.mkdir(exist_ok=True)
    (notes / "travel.md").write_text("# Travel\n\nHotels cost up to 150 euros per night.\n", encoding="utf-8")
    with ollama_server.running(models={"m:latest": ollama_server.Model()}, replies=[(".*", pieces)]) as fake:
        changes = {"ollama.url": fake.url, "answering.writer": "ollama", "answering.model": "m:latest"}
        settings = Settings().changed({**changes, "retrieval.seconds_per_route": 30.0, "judging.decline_below": 0.0})
        with Assistant.open(folder / "kb", settings) as kb:
            kb.ingest([notes])
            return kb.ask("What do hotels cost per night?")


@pytest.mark.parametrize("pieces", [[""], ["<think>no end"], ["[1]"], [" \n "]])
def test_a_model_that_writes_nothing_is_a_failure_and_no_complete_answer(folder, pieces):
    trace = ask(folder, pieces)
    assert trace.answered is None
    assert "wrote no answer" in trace.last("failed").message


@pytest.mark.parametrize("pieces", [["HACKED [9]."], ["It costs 150 euros."]])
def test_an_answer_without_any_valid_source_is_never_given_without_a_caveat(folder, pieces):
    answered = ask(folder, pieces).answered
    assert answered.decision == "caveat"
    assert "names a source" in answered.caveat
    assert answered.citations == ()


def test_an_answer_with_a_source_has_no_such_caveat(folder):
    answered = ask(folder, ["It costs 150 euros [1]."]).answered
    assert "names a source" not in answered.caveat
    assert [c.number for c in answered.citations] == [1]
