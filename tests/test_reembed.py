"""A second index beside the first: its cost, building it, resuming, switching and going back."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading

import pytest
from ollama_server import Model, running
from reembed_parts import EMBEDS, NOTES, add, models, nearest, opened, routes, sent, settings, stored, unit
from store_parts import ROOT

from assistant import Assistant
from assistant.errors import AssistantError, ModelUnavailable, SettingsError, StoreError
from assistant.ingest.plan import pipeline_hash

TEXTS = [text for texts in NOTES.values() for text in texts]


@pytest.fixture(autouse=True)
def _no_address_in_the_environment(monkeypatch):
    monkeypatch.delenv("OLLAMA_HOST", raising=False)


@pytest.fixture
def server():
    with running(models=models()) as fake:
        yield fake


@pytest.fixture
def kb(server, tmp_path):
    with opened(server, tmp_path / "kb") as assistant:
        yield assistant


@pytest.mark.accept("F6")
def test_an_estimate_names_model_chunks_and_seconds_and_keeps_nothing(kb):
    found = kb.reembedding.estimate("ollama", "wide")
    assert found.model == "wide (ollama, ollama, 12)"
    assert (found.chunks, found.there, found.too_long, found.max_tokens) == (4, 0, 0, 8192)
    assert found.seconds > 0
    assert found.chunks_per_second == pytest.approx(4 / found.seconds)
    assert found.bytes == 4 * (4 * 12 + 40)
    assert [i.model for i in kb.reembedding.indexes()] == ["bge-m3"]


def test_an_estimate_counts_what_is_there_and_what_is_too_long(server, tmp_path):
    server.models["narrow:latest"] = Model(EMBEDS, family="bert", context=20, dimension=5)
    with opened(server, tmp_path) as kb:
        # 44 letters and blanks: (36 × .30 + 7 × .05 + .65) × 1.25 + 3 = 17; 35 with a number 450: 16; 9 Chinese: 12
        assert kb.reembedding.estimate("ollama", "narrow").too_long == 0
        add(kb, "long", "A much longer text of twelve words that takes more than twenty tokens.")
        assert kb.reembedding.estimate("ollama", "narrow").too_long == 1
        kb.reembedding.run("ollama", "wide")
        done = kb.reembedding.estimate("ollama", "wide")
        assert (done.there, done.seconds, done.bytes) == (5, 0.0, 0)


@pytest.mark.accept("F2")
@pytest.mark.accept("F3")
def test_after_a_switch_a_known_question_returns_its_chunk_without_a_restart(kb):
    assert nearest(kb, TEXTS[1]) == TEXTS[1]
    report = kb.reembedding.switch("ollama", "wide")
    assert (report.switched, report.complete, report.embedded, report.failed) == (True, True, 4, ())
    for text in TEXTS:
        assert nearest(kb, text) == text
    trace = kb.ask("How many days of leave may employees carry over?")
    assert trace.base.embedder == "wide (ollama, ollama, 12)"
    assert {r.state for r in trace.of_kind("retrieved")} == {"done"}
    assert kb.faults() == ()
    assert kb.wished.text() == "bge-m3 (ollama)"  # what the settings name


@pytest.mark.accept("F4")
def test_models_of_equal_dimension_never_mix_their_vectors(kb, server):
    kb.reembedding.switch("ollama", "embeddinggemma")
    for text, vector in stored(kb).items():
        assert vector == pytest.approx(unit(server.vector(f"title: none | text: {text}", 8)), abs=1e-6)
    add(kb, "new", "Added with the new model.")
    kb.reembedding.switch("ollama", "bge-m3")
    for text, vector in stored(kb).items():
        assert vector == pytest.approx(unit(server.vector(text, 8)), abs=1e-6)
    assert sent(server, "bge-m3").count(TEXTS[0]) == 1
    assert sent(server, "bge-m3").count("Added with the new model.") == 1


@pytest.mark.accept("F2")
def test_after_files_were_added_going_back_embeds_only_what_is_missing(kb, server):
    kb.reembedding.switch("ollama", "wide")
    add(kb, "new", "Added later.", TEXTS[0])
    report = kb.reembedding.switch("ollama", "bge-m3")
    assert (report.embedded, report.there, report.switched) == (1, 6, True)
    assert nearest(kb, "Added later.") == "Added later."
    assert kb.wished is None


@pytest.mark.accept("F7")
@pytest.mark.accept("E12")
def test_a_stopped_run_is_gone_on_with_and_embeds_nothing_twice(kb, server):
    add(kb, "many", *(f"text number {n}" for n in range(40)))
    stop, moments = threading.Event(), []

    def tell(moment):
        moments.append(moment)
        if moment.done:
            stop.set()

    first = kb.reembedding.run("ollama", "wide", tell, stop)
    assert (first.cancelled, first.complete, first.there) == (True, False, 16)
    assert [(m.done, m.total) for m in moments] == [(0, 44), (16, 44)]
    assert {(i.model, i.there, i.complete) for i in kb.reembedding.indexes()} == {
        ("bge-m3", 44, True),
        ("wide", 16, False),
    }
    rest = kb.reembedding.run("ollama", "wide")
    assert (rest.embedded, rest.complete, rest.cancelled) == (28, True, False)
    assert len(sent(server, "wide")) == len(set(sent(server, "wide"))) == 44


@pytest.mark.accept("F7")
def test_a_run_whose_server_dies_keeps_what_was_embedded(kb, server):
    add(kb, "many", *(f"text number {n}" for n in range(40)))
    with pytest.raises(ModelUnavailable, match="start Ollama"):
        kb.reembedding.run("ollama", "wide", lambda moment: moment.done and server.stop())
    server.start()
    assert kb.reembedding.run("ollama", "wide").embedded == 28
    assert len(sent(server, "wide")) == 44


_KILLED = """
import os, sys
sys.path[:0] = [{tests!r}, {root!r}]
from reembed_parts import settings
from types import SimpleNamespace
from assistant import Assistant
kb = Assistant.open(sys.argv[1], settings(SimpleNamespace(url=sys.argv[2])))
kb.reembedding.run("ollama", "wide", lambda moment: moment.done and os._exit(9))
"""


@pytest.mark.accept("F2")
@pytest.mark.accept("F7")
def test_a_killed_run_is_gone_on_with_and_the_old_index_works_on(server, tmp_path):
    with opened(server, tmp_path) as kb:
        add(kb, "many", *(f"text number {n}" for n in range(30)))
    code = _KILLED.format(tests=str(ROOT / "tests"), root=str(ROOT))
    died = subprocess.run([sys.executable, "-c", code, str(tmp_path), server.url], env=dict(os.environ), check=False)
    assert died.returncode == 9
    with Assistant.open(tmp_path, settings(server)) as kb:
        assert nearest(kb, TEXTS[0]) == TEXTS[0]
        assert kb.reembedding.switch("ollama", "wide").embedded == 18
        assert nearest(kb, TEXTS[0]) == TEXTS[0]
    assert len(sent(server, "wide")) == len(set(sent(server, "wide"))) + 1  # the last question


def test_files_added_and_deleted_during_a_run_are_caught_up_and_questions_answered(kb):
    seen = []

    def meanwhile(moment):
        if moment.done == 4 and not seen:
            seen.append(kb.ask("How many days of leave?"))
            add(kb, "new", "Added during the run.")
            kb.delete("travel")

    report = kb.reembedding.run("ollama", "wide", meanwhile)
    assert (report.chunks, report.there, report.complete) == (3, 3, True)
    assert seen[0].base.embedder.startswith("bge-m3")
    kb.reembedding.switch("ollama", "wide")
    assert nearest(kb, "Added during the run.") == "Added during the run."


@pytest.mark.accept("G1")
def test_a_deleted_document_leaves_no_vector_in_any_index(kb):
    kb.reembedding.run("ollama", "wide")
    kb.delete("travel")
    by_model = {i.model: (i.there, i.bytes) for i in kb.reembedding.indexes()}
    assert by_model == {"bge-m3": (2, 2 * (4 * 8 + 40)), "wide": (2, 2 * (4 * 12 + 40))}


def test_a_question_under_way_ends_with_the_vectors_it_began_with(kb):
    own = kb.embedder.identity.fingerprint()
    kb.ask("How many days of leave?")
    steps = kb.stream("How many days of leave may employees carry over?")
    first = next(steps)
    runner, kept = kb._runner, kb.embedder
    kb.reembedding.switch("ollama", "wide")
    trace = list(steps)[-1]
    assert first.kind == "condensed"
    assert trace.base.embedder.startswith("bge-m3")
    assert {(r.route, r.state) for r in trace.of_kind("retrieved")} == {("vector", "done"), ("text", "done")}
    assert kb._runner is not runner
    assert kb.base.search_vector(kept.embed_query("x"), 1, model=own).ids
    del runner, steps, trace, first
    gc.collect()
    assert kb.base._database._retired == {}


@pytest.mark.accept("E3")
def test_chunks_too_long_for_the_new_model_are_embedded_in_parts_and_counted(kb, server):
    server.models["narrow:latest"] = Model(EMBEDS, family="bert", context=40, dimension=5)
    report = kb.reembedding.switch("ollama", "narrow")
    # one of the four has more than 40 characters, which is what the stand-in counts
    assert [len(text) > 40 for text in TEXTS] == [True, False, False, False]
    assert (report.switched, report.in_parts, report.failed) == (True, 1, ())
    assert nearest(kb, TEXTS[1]) == TEXTS[1]
    assert len(stored(kb)) == 4


def test_a_text_without_a_vector_is_named_and_the_base_stays_with_its_model(kb, server):
    server.faults.add("nan")
    server.poison = "receipt"
    report = kb.reembedding.switch("ollama", "wide")
    assert (report.switched, report.complete, report.there) == (False, False, 3)
    (sentence,) = report.failed
    assert sentence.startswith("travel.md: chunk 2 ('A receipt is needed for every trip.') could not be embedded: ")
    assert kb.embedder.identity.model == "bge-m3"
    server.faults.clear()
    assert nearest(kb, TEXTS[0]) == TEXTS[0]
    assert kb.reembedding.switch("ollama", "wide").embedded == 1


def test_a_switch_to_the_own_model_changes_nothing(kb, server):
    before = len(sent(server, "bge-m3"))
    report = kb.reembedding.switch("ollama", "bge-m3:latest")
    assert (report.switched, report.embedded, report.there) == (True, 0, 4)
    assert kb.reembedding.check("ollama").complete
    assert len(sent(server, "bge-m3")) == before


def test_indexes_are_listed_and_forgotten_but_not_the_one_in_use(kb):
    kb.reembedding.run("ollama", "wide")
    own, other = kb.reembedding.indexes()
    assert (own.current, own.text, own.there) == (True, "bge-m3 (ollama, ollama, 8)", 4)
    assert (other.current, other.complete, other.provider, other.dimension) == (False, True, "ollama", 12)
    with pytest.raises(StoreError, match="is in use; switch"):
        kb.reembedding.forget(own.fingerprint)
    with pytest.raises(StoreError, match="There is no index"):
        kb.reembedding.forget("0123")
    kb.reembedding.forget(other.fingerprint)
    assert kb.reembedding.indexes() == (own,)


def test_one_index_is_built_at_a_time(kb):
    def second(moment):
        with pytest.raises(AssistantError, match="being built already"):
            kb.reembedding.run("ollama", "embeddinggemma")

    kb.reembedding.run("ollama", "wide", second)


@pytest.mark.parametrize(
    ("provider", "model", "error", "says"),
    [
        ("openai", "ada", SettingsError, "no embedding provider"),
        ("ollama", "all-minilm", SettingsError, "English only"),
        ("ollama", "absent", ModelUnavailable, "ollama pull absent"),
    ],
)
def test_a_model_that_cannot_be_used_is_said_and_nothing_is_made(kb, provider, model, error, says):
    for ask in (kb.reembedding.estimate, kb.reembedding.run, kb.reembedding.switch):
        with pytest.raises(error, match=says):
            ask(provider, model)
    assert len(kb.reembedding.indexes()) == 1


@pytest.mark.accept("F7")
def test_files_count_as_unchanged_after_a_switch_and_are_not_read_again(server, tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# Leave\n\nFive days of leave.\n", encoding="utf-8")
    with Assistant.open(tmp_path / "kb", settings(server)) as kb:
        kb.ingest([tmp_path / "docs"])
        kb.reembedding.switch("ollama", "wide")
        (row,) = kb.documents()
        assert row.pipeline_hash == pipeline_hash(kb.settings, kb.embedder.identity.fingerprint())
        report = kb.ingest([tmp_path / "docs"])
        assert (report.unchanged, report.embedded, report.stage_seconds.get("reading")) == (("a.md",), 0, None)


@pytest.mark.accept("F4")
def test_the_embedded_model_takes_over_from_a_server_and_back(server, tmp_path, embedder):
    with opened(server, tmp_path) as kb:
        assert kb.reembedding.switch("embedded").switched
        server.stop()
        trace = kb.ask("How many days of leave may employees carry over?")
        assert trace.answered.citations[0].text == TEXTS[0]
        assert routes(trace)["vector"].hits[0].chunk_id == "leave:0"
        with pytest.raises(ModelUnavailable):
            kb.reembedding.switch("ollama", "bge-m3")
        assert kb.embedder.identity == embedder.identity
        server.start()
        assert kb.reembedding.switch("ollama", "bge-m3").embedded == 0
