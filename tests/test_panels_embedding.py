"""What embedding and the indexes say, on a Chinese screen: the sentences that the parts really raise."""

from __future__ import annotations

import re

import numpy as np
import pytest
from ollama_server import Model, running
from reembed_parts import models, opened
from store_parts import identity, pieces, row, vectors

from assistant.errors import AssistantError
from assistant.providers.batches import without_vector
from ui.panels.reasons import reason

VALUES = re.compile(
    r"'[^']*'|\"[^\"]*\"|http://[\d.:]+|\([^)]*\)|[\da-f]{8,}|bge-m3|wide|embeddinggemma|all-minilm|a\.md|rules\.md"
)
NAMES = {"Ollama", "NaN", "chunking", "size", "embedding", "model", "provider", "launch", "py", "reembed", "embedded"}


def english_in(sentence: str) -> set[str]:
    return set(re.findall(r"[A-Za-z]{2,}", VALUES.sub("", sentence))) - NAMES


def raised(work) -> str:
    with pytest.raises(AssistantError) as caught:
        work()
    return str(caught.value)


def of_the_store(kb) -> list[str]:
    own = kb.embedder.identity.fingerprint()
    other = kb.base.shelf.models()[0]
    return [
        raised(lambda: kb.reembedding.forget(own)),
        raised(lambda: kb.reembedding.forget("0123")),
        raised(lambda: kb.base.search_vector([1.0], 1)),
        raised(lambda: kb.base.search_vector([1.0], 1, model="0123456789")),
        raised(lambda: kb.base.exchange(identity("wide", 12))),
        raised(lambda: kb.base.shelf.put(other, ["x"], np.zeros((1, 12)))),
        raised(lambda: kb.base.replace_document(row("n"), pieces("n"), vectors(1.0, dimension=8), identity("small"))),
        raised(lambda: kb.reembedding.run("ollama", "wide", lambda moment: kb.reembedding.run("ollama", "wide"))),
        raised(lambda: kb.reembedding.run("openai", "ada")),
        raised(lambda: kb.reembedding.run("ollama", "all-minilm")),
    ]


def of_the_server(kb, fake) -> list[str]:
    said = []
    for fault in ("zero", "short"):
        fake.faults, fake.poison = {fault}, "bad"
        (made,) = kb.embedder.embed_batches(["good", "bad"])
        said += [made[1].reason, f"a.md: {without_vector(2, 'bad', made[1].reason)} 3 more failed too."]
    fake.faults = set()
    fake.models["bge-m3:latest"] = Model(("embedding",), family="bert", digest="feed" * 16)
    kb.embedder._trusted_until = 0.0
    return [*said, raised(lambda: kb.embedder.embed_query("x")), raised(lambda: kb.embedder.embed_query("好" * 9999))]


def test_every_sentence_of_embedding_is_said_in_chinese(tmp_path, monkeypatch):
    monkeypatch.delenv("OLLAMA_HOST", raising=False)
    with running(models=models()) as fake, opened(fake, tmp_path) as kb:
        kb.reembedding.run("ollama", "wide")
        kb.base.delete_document("travel")
        said = [*of_the_store(kb), *of_the_server(kb, fake)]
    said.append("rules.md: chunks longer than the embedding model reads: 3; each was embedded in parts.")
    said.append("The vectors of its parts cancel each other out.")
    for sentence in said:
        shown = reason(sentence, "zh")
        assert shown != sentence
        assert english_in(shown.lower().replace("ollama", "")) <= {name.lower() for name in NAMES}, shown
