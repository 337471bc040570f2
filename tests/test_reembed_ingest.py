"""Files embedded by the server: what fails is named, what is finished is kept, what is too long is split."""

from __future__ import annotations

import threading

import pytest
from ollama_server import Model, running
from reembed_parts import EMBEDS, models, nearest, sent, settings
from test_ingest_find import write

from assistant import Assistant
from assistant.errors import ModelUnavailable

SENTENCES = [f"Rule number {n} is about topic {n} and nothing else at all." for n in range(60)]


@pytest.fixture(autouse=True)
def _no_address_in_the_environment(monkeypatch):
    monkeypatch.delenv("OLLAMA_HOST", raising=False)


@pytest.fixture
def server():
    with running(models=models()) as fake:
        yield fake


@pytest.fixture
def kb(server, tmp_path):
    changes = {"chunking.size": 100, "chunking.overlap": 0}
    with Assistant.open(tmp_path / "kb", settings(server, **changes)) as assistant:
        yield assistant


@pytest.fixture
def folder(tmp_path):
    write(tmp_path / "docs" / "good.md", "# Good\n\nFive days of leave.\n")
    write(tmp_path / "docs" / "rules.md", "\n\n".join(f"# Rule {n}\n\n{text}" for n, text in enumerate(SENTENCES)))
    return tmp_path / "docs"


def states(kb) -> dict[str, tuple[str, str]]:
    return {row.name: (row.state, row.error_kind) for row in kb.documents()}


@pytest.mark.accept("E5")
def test_a_file_with_a_text_that_fails_says_which_and_only_that_is_asked_again(kb, server, folder):
    server.faults.add("nan")
    server.poison = "Rule number 17 "
    report = kb.ingest([folder])
    assert report.added == ("good.md",)
    ((name, why),) = report.failed
    assert name == "rules.md"
    assert "rules.md: chunk 18 ('Rule 17 Rule number 17 is about" in why.replace("# ", "")
    assert "could not be embedded: " in why
    assert states(kb) == {"good.md": ("indexed", ""), "rules.md": ("failed", "model")}
    assert kb.base.counts().documents == 1
    server.faults.clear()
    before = len(sent(server, "bge-m3"))
    again = kb.ingest([folder])
    assert (again.added, again.embedded, again.reused) == (("rules.md",), 1, 59)
    assert len(sent(server, "bge-m3")) == before + 1
    assert kb.base.shelf.models() == () or kb.base.shelf.coverage(kb.base.embedder).complete
    assert kb.faults() == ()


@pytest.mark.accept("E5")
def test_a_server_that_dies_leaves_nothing_half_written_and_the_next_run_goes_on_there(kb, server, folder):
    def tell(progress):
        if progress.file == "rules.md" and len(sent(server, "bge-m3")) >= 32:
            server.stop()

    with pytest.raises(ModelUnavailable, match="start Ollama"):
        kb.ingest([folder / "rules.md"], tell)
    assert states(kb) == {"rules.md": ("failed", "model")}
    assert kb.base.counts().chunks == 0
    server.start()
    report = kb.ingest([folder])
    assert report.failed == ()
    assert len(set(sent(server, "bge-m3"))) == len(sent(server, "bge-m3"))
    assert (kb.base.counts().chunks, report.reused > 0) == (61, True)


@pytest.mark.accept("E3")
def test_chunks_that_the_server_finds_too_long_are_embedded_in_parts_and_the_report_says_so(kb, server, folder):
    server.models["bge-m3:latest"] = Model(EMBEDS, family="bert", context=50)
    write(folder / "rules.md", "\n\n".join(f"# Rule {n}\n\n{text}" for n, text in enumerate(SENTENCES[:3])))
    report = kb.ingest([folder])
    assert (report.failed, kb.base.counts().chunks) == ((), 4)
    (notice,) = report.notices
    assert notice == "rules.md: chunks longer than the embedding model reads: 3; each was embedded in parts."
    assert nearest(kb, "Good\n\nFive days of leave.").endswith("Five days of leave.")


def test_a_stopped_file_keeps_its_finished_vectors(kb, server, folder):
    stop = threading.Event()

    def tell(progress):
        if len(sent(server, "bge-m3")) >= 16:
            stop.set()

    assert kb.ingest([folder / "rules.md"], tell, stop).cancelled
    assert states(kb) == {"rules.md": ("cancelled", "")}
    report = kb.ingest([folder / "rules.md"])
    assert report.embedded <= 60 - 16
    assert len(set(sent(server, "bge-m3"))) == len(sent(server, "bge-m3"))
    kb.delete(kb.documents()[0].document_id)
    rows = kb.base.shelf.models()
    assert all(kb.base.shelf.coverage(m).there == 0 for m in rows)
