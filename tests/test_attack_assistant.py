"""What people and programs did to an open assistant that broke it."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from assistant import Assistant, Settings, Trace, Turn
from assistant.errors import AssistantError, SettingsError, StoreError

PATIENT = Settings().changed({"retrieval.seconds_per_route": 30.0})


@pytest.fixture(scope="module")
def kb(tmp_path_factory):
    notes = tmp_path_factory.mktemp("notes")
    (notes / "travel.md").write_text("# Travel\n\nHotels cost up to 150 euros per night.\n", encoding="utf-8")
    (notes / "garden.md").write_text("# Garden\n\nTomatoes need six hours of sun.\n", encoding="utf-8")
    with Assistant.open(tmp_path_factory.mktemp("kb"), PATIENT) as opened:
        opened.ingest([notes])
        yield opened


@pytest.mark.parametrize("half", [chr(0xD800), chr(0xDCFF)])
def test_half_characters_in_question_and_history_are_searched_and_saved(kb, half, tmp_path):
    trace = kb.ask(f"What do hotels cost {half} per night?", [Turn(question=half, answer=half)])
    assert trace.last("failed") is None
    assert Trace.load(trace.save(tmp_path / "trace.json")) == trace


def test_a_pair_of_half_characters_is_one_character(kb):
    assert kb.ask("\ud83d\ude00 hotels?", write=False).question == "😀 hotels?"


def test_routes_chosen_for_one_question_are_the_routes_that_search(kb):
    only = kb.ask("What do hotels cost?", changes={"retrieval.routes": ["text"]}, write=False)
    assert [r.route for r in only.of_kind("retrieved", 1)] == ["text"]
    assert len(kb.ask("What do hotels cost?", write=False).of_kind("retrieved", 1)) == 2


@pytest.mark.parametrize("change", [{"embedding.threads": 1}, {"index.vector_index": "sql"}, {"chunking.size": 400}])
def test_what_belongs_to_the_open_base_is_refused_for_one_question(kb, change):
    with pytest.raises(SettingsError, match="cannot change for one question"):
        kb.ask("What do hotels cost?", changes=change)


@pytest.mark.parametrize(
    "change",
    [
        {"chunking.chunker": "nope"},
        {"retrieval.fusion": "nope"},
        {"retrieval.reranker": "nope"},
        {"retrieval.routes": ["text", "nope"]},
        {"loop.rewriters": ["nope"]},
        {"answering.writer": "nope"},
        {"judging.coefficients": "nope"},
        {"judging.method": "nope"},
    ],
)
def test_a_part_that_does_not_exist_is_said_when_opening_and_leaves_no_base(tmp_path, change):
    with pytest.raises(SettingsError, match="'nope'"):
        Assistant.open(tmp_path / "kb", Settings().changed(change))
    assert not (tmp_path / "kb").exists()


def test_closing_ends_questions_under_way_in_other_threads(tmp_path):
    said: list[object] = []
    begun = threading.Event()

    def ask(kb: Assistant) -> None:
        try:
            for step in kb.stream("What is it and what is that?"):
                begun.set()
                said.append(step)
        except AssistantError as err:
            said.append(err)

    kb = Assistant.open(tmp_path / "kb", PATIENT)
    asking = [threading.Thread(target=ask, args=(kb,), daemon=True) for _ in range(4)]
    for thread in asking:
        thread.start()
    assert begun.wait(30)
    kb.close()
    for thread in asking:
        thread.join(30)
    assert not any(thread.is_alive() for thread in asking)
    assert said


@pytest.mark.parametrize("call", [lambda kb: kb.ask("hotels?"), lambda kb: list(kb._loop.iterate(lambda: None))])
def test_a_closed_assistant_says_so(tmp_path, call: Callable[[Assistant], object]):
    kb = Assistant.open(tmp_path / "kb", PATIENT)
    kb.close()
    kb.close()
    with pytest.raises((StoreError, AssistantError), match="closed"):
        call(kb)


def test_documents_deleted_while_a_second_scan_runs_stay_deleted(tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    for n in range(3):
        (notes / f"n{n}.md").write_text(f"# Note {n}\n\nThe colour is number {n}.\n", encoding="utf-8")
    with Assistant.open(tmp_path / "kb", PATIENT) as kb:
        kb.ingest([notes])
        gone = kb.documents()[0]
        known = kb.base.documents
        calls: list[int] = []

        def documents():
            calls.append(1)
            if len(calls) == 2:  # the plan is made, its files are not yet looked at again
                kb.base.delete_document(gone.document_id)
            return known()

        kb.base.documents = documents
        kb.ingest([notes])
        del kb.base.documents
        assert gone.document_id not in {row.document_id for row in kb.documents()}
        assert kb.base.faults() == ()


@pytest.mark.parametrize("place", ["file", "file/below"])
def test_a_folder_that_cannot_be_made_costs_one_sentence(tmp_path, place):
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    with pytest.raises(StoreError, match="cannot be used"):
        Assistant.open(tmp_path / place, PATIENT)
    assert (tmp_path / "file").read_text(encoding="utf-8") == "mine"


def test_settings_written_with_a_byte_order_mark_are_read(tmp_path):
    (tmp_path / "settings.toml").write_bytes(b"\xef\xbb\xbf[retrieval]\ndepth = 20\n")
    assert Settings.load(tmp_path / "settings.toml").retrieval.depth == 20


@pytest.mark.parametrize(
    ("change", "words"),
    [({"reading.legacy_encoding": "nope"}, "no encoding 'nope'"), ({"retrieval.routes": ["text", "text"]}, "twice")],
)
def test_settings_that_would_be_ignored_or_counted_double_are_refused(change, words):
    with pytest.raises(SettingsError, match=words):
        Settings().changed(change)
