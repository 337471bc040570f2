"""A base keeps its own embedding model: opened without its server, with other settings, with a model pulled anew."""

from __future__ import annotations

import pytest
from ollama_server import Model, running
from reembed_parts import EMBEDS, NOTES, add, models, nearest, opened, routes, settings

from assistant import Assistant, Settings
from assistant.errors import ModelUnavailable, WrongModel

QUESTION = "How many days of leave may employees carry over?"
TEXT = NOTES["leave"][0]


@pytest.fixture(autouse=True)
def _no_address_in_the_environment(monkeypatch):
    monkeypatch.delenv("OLLAMA_HOST", raising=False)


@pytest.fixture
def server():
    with running(models=models()) as fake:
        yield fake


@pytest.fixture
def folder(server, tmp_path):
    opened(server, tmp_path / "kb").close()
    return tmp_path / "kb"


def plain(fake, **changes) -> Settings:
    """Settings that leave the model to the base."""
    return settings(fake, **{"embedding.provider": "", "embedding.model": ""}, **changes)


@pytest.mark.accept("F5")
@pytest.mark.parametrize("named", [True, False])
def test_a_base_opens_without_its_server_and_takes_it_when_it_comes_and_goes(server, folder, named):
    server.stop()
    with Assistant.open(folder, settings(server) if named else plain(server)) as kb:
        assert kb.info().embedder == "bge-m3 (ollama, ollama, 8)"
        assert kb.wished is None
        without = kb.ask(QUESTION)
        assert routes(without)["vector"].state == "failed"
        assert "start Ollama" in routes(without)["vector"].why
        assert routes(without)["text"].hits[0].chunk_id == "leave:0"
        assert "450" not in without.answer
        server.start()
        assert routes(kb.ask(QUESTION))["vector"].state == "done"
        server.stop()
        assert routes(kb.ask(QUESTION))["vector"].state == "failed"
        server.start()
        assert routes(kb.ask(QUESTION))["vector"].state == "done"


@pytest.mark.accept("F1")
@pytest.mark.accept("F5")
def test_settings_that_name_another_model_are_answered_by_a_choice(server, folder):
    other = settings(server, **{"embedding.model": "wide"})
    with pytest.raises(WrongModel, match=r"holds 4 chunks embedded with bge-m3 .* is wide \(ollama\); leave .* empty"):
        Assistant.open(folder, other)
    with Assistant.open(folder, other, keep_model=True) as kb:
        assert kb.wished.text() == "wide (ollama)"
        assert nearest(kb, TEXT) == TEXT
        add(kb, "new", "Added with the own model.")
        kb.reembedding.switch(kb.wished.provider, kb.wished.model)
        assert kb.wished is None
    with Assistant.open(folder, other) as kb:
        assert nearest(kb, TEXT) == TEXT


@pytest.mark.accept("F5")
def test_after_a_switch_the_base_opens_with_its_new_model(server, folder):
    with Assistant.open(folder, plain(server)) as kb:
        kb.reembedding.switch("ollama", "wide")
    with Assistant.open(folder, plain(server)) as kb:
        assert kb.embedder.identity.model == "wide"
        assert nearest(kb, TEXT) == TEXT


def test_an_empty_base_takes_the_model_that_the_settings_name(server, folder):
    with Assistant.open(folder, plain(server)) as kb:
        for name in NOTES:
            kb.delete(name)
    with Assistant.open(folder, settings(server, **{"embedding.model": "wide"})) as kb:
        assert kb.embedder.identity.dimension == 12
        add(kb, "new", "With the wide one.")


def test_a_new_base_needs_its_server_once(server, tmp_path):
    server.stop()
    with pytest.raises(ModelUnavailable, match="start Ollama"):
        Assistant.open(tmp_path, settings(server))
    server.start()
    with Assistant.open(tmp_path, settings(server)) as kb:
        assert kb.embedder.identity.model == "bge-m3"


@pytest.mark.accept("F1")
@pytest.mark.accept("F3")
def test_a_model_pulled_anew_is_said_in_the_record_and_refused_for_files(server, folder, tmp_path):
    server.models["bge-m3:latest"] = Model(EMBEDS, family="bert", context=8192, digest="feed" * 16)
    (tmp_path / "new.md").write_text("Something new.", encoding="utf-8")
    with Assistant.open(folder, plain(server)) as kb:
        trace = kb.ask(QUESTION)
        assert routes(trace)["vector"].state == "failed"
        assert "is another one now (feedfeed)" in routes(trace)["vector"].why
        assert routes(trace)["text"].state == "done"
        with pytest.raises(WrongModel, match="another one now"):
            kb.ingest([tmp_path / "new.md"])
        assert kb.base.counts().documents == 2
        # the way out that the sentence names
        report = kb.reembedding.switch("ollama", "bge-m3")
        assert (report.switched, report.embedded) == (True, 4)
        assert routes(kb.ask(QUESTION))["vector"].state == "done"
        assert [i.model for i in kb.reembedding.indexes()] == ["bge-m3", "bge-m3"]
