"""The command `reembed`: estimate, index beside the first, switch and back, list and removal."""

from __future__ import annotations

import re

import pytest
from ollama_server import Model, running
from test_ingest_find import write

import launch

EMBEDS = ("embedding",)
MODELS = {"bge-m3:latest": Model(EMBEDS, family="bert"), "embeddinggemma:latest": Model(EMBEDS, dimension=6)}


@pytest.fixture
def server(monkeypatch):
    with running(models=dict(MODELS)) as fake:
        monkeypatch.setenv("OLLAMA_HOST", fake.url)
        yield fake


@pytest.fixture
def kb(tmp_path, server, capsys):
    """A base of two files, built with bge-m3."""
    write(tmp_path / "docs" / "a.md", "# Leave\n\nAnnual leave is fifteen days.\n")
    write(tmp_path / "docs" / "b.md", "# Archive\n\nThe archive is in the cellar of house seven.\n")
    own = ("--set", "embedding.provider=ollama", "--set", "embedding.model=bge-m3")
    assert launch.main(["ingest", "--kb", str(tmp_path / "kb"), *own, str(tmp_path / "docs")]) == launch.OK
    capsys.readouterr()
    return str(tmp_path / "kb")


def reembed(capsys, kb, *options):
    """(exit code, what was printed, what was complained of)"""
    code = launch.main(["reembed", "--kb", kb, *options])
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.mark.accept("F6")
@pytest.mark.accept("F7")
def test_an_index_is_estimated_and_built_beside_the_one_in_use(capsys, kb, server):
    code, out, _ = reembed(capsys, kb, "--to", "ollama:embeddinggemma")
    assert code == launch.OK
    assert out.startswith("embeddinggemma (ollama, ollama, 6): 2 chunks; the rest in about 0 s")
    assert "2 of 2 chunks have a vector (2 made now)" in out
    assert "the same command with --switch" in out
    _, out, _ = reembed(capsys, kb, "--list")
    assert re.findall(r"^([* ]) (\S+)  2 of 2 chunks, (\d)", out, re.MULTILINE) == [
        ("*", "ollama:bge-m3", "8"),
        (" ", "ollama:embeddinggemma", "6"),
    ]


@pytest.mark.accept("F2")
def test_a_switch_is_followed_by_questions_and_goes_back_without_embedding(capsys, kb, server):
    code, out, _ = reembed(capsys, kb, "--to", "ollama:embeddinggemma", "--switch")
    assert (code, "answers with embeddinggemma" in out) == (launch.OK, True)
    assert launch.main(["ask", "--kb", kb, "Where is the archive?"]) in (launch.OK, 3)
    assert server.bodies("/api/embed")[-1]["model"] == "embeddinggemma"
    capsys.readouterr()
    code, out, _ = reembed(capsys, kb, "--to", "ollama:bge-m3", "--switch")
    assert "all 2 chunks have a vector already" in out
    assert "(0 made now)" in out


@pytest.mark.accept("F5")
def test_settings_that_ask_for_another_model_are_answered_with_a_choice(capsys, kb, server):
    write(launch.Path(kb) / "settings.toml", '[embedding]\nprovider = "ollama"\nmodel = "embeddinggemma"\n')
    assert launch.main(["ask", "--kb", kb, "x"]) == launch.FAILED
    assert "leave embedding.provider empty to keep the old model" in capsys.readouterr().err
    launch.main(["doctor", "--kb", kb])
    assert "run: launch.py reembed --to ollama:embeddinggemma --switch" in capsys.readouterr().out
    _, out, _ = reembed(capsys, kb, "--to", "ollama:embeddinggemma", "--switch")
    assert "The settings ask for" not in out
    assert launch.main(["ask", "--kb", kb, "Where is the archive?"]) in (launch.OK, 3)


def test_a_model_that_is_not_there_or_cannot_be_is_one_sentence(capsys, kb, server):
    code, _, err = reembed(capsys, kb, "--to", "ollama:nothing-such")
    assert (code, "ollama pull nothing-such" in err) == (launch.FAILED, True)
    code, _, err = reembed(capsys, kb, "--to", "openai:ada")
    assert (code, "choose one of: embedded, ollama" in err) == (launch.USAGE, True)


def test_an_index_is_removed_by_the_name_that_the_list_gives(capsys, kb, server):
    reembed(capsys, kb, "--to", "ollama:embeddinggemma")
    code, _, err = reembed(capsys, kb, "--forget", "bge")
    assert (code, "choose one of: ollama:bge-m3 = " in err) == (launch.USAGE, True)
    code, out, _ = reembed(capsys, kb, "--forget", "ollama:embeddinggemma")
    assert (code, "was removed" in out) == (launch.OK, True)
    code, _, err = reembed(capsys, kb, "--forget", "ollama:bge-m3")
    assert (code, "is in use" in err) == (launch.FAILED, True)


def test_a_text_without_a_vector_leaves_the_index_incomplete_and_is_named(capsys, kb, server):
    server.faults.add("nan")
    server.poison = "cellar"
    code, out, _ = reembed(capsys, kb, "--to", "ollama:embeddinggemma", "--switch")
    assert code == launch.FAILED
    assert "1 of 2 chunks have a vector" in out
    assert "failed: b.md: chunk 1" in out
    assert "answers with" not in out


@pytest.mark.accept("E12")
def test_ctrl_c_keeps_what_was_embedded_and_says_how_to_go_on(capsys, kb, server, monkeypatch):
    from ui import terminal

    def pressed(moment):
        raise KeyboardInterrupt

    monkeypatch.setattr(terminal, "_embed_moment", pressed)
    code, _, err = reembed(capsys, kb, "--to", "ollama:embeddinggemma")
    assert code == launch.INTERRUPTED
    assert "the same command goes on from there" in err
