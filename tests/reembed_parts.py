"""A base whose vectors come from the stand-in server, for the tests of embedding and switching."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from ollama_server import FakeOllama, Model
from store_parts import pieces, row

from assistant import Assistant, Settings, Trace
from assistant.trace import Retrieved

EMBEDS = ("embedding",)
NOTES = {
    "leave": ("Employees may carry over five days of leave.", "年假为每年十五天。"),
    "travel": ("Hotels are paid up to 450 a night.", "A receipt is needed for every trip."),
}


def models(**more: Model) -> dict[str, Model]:
    """bge-m3 and embeddinggemma of equal dimension, and a wider one without prefixes."""
    known = {
        "bge-m3:latest": Model(EMBEDS, family="bert", context=8192),
        "embeddinggemma:latest": Model(EMBEDS, family="gemma", context=2048),
        "wide:latest": Model(EMBEDS, family="bert", context=8192, dimension=12),
    }
    return known | {f"{name}:latest": model for name, model in more.items()}


def settings(fake: FakeOllama, **changes: object) -> Settings:
    given = {"ollama.url": fake.url, "embedding.provider": "ollama", "embedding.model": "bge-m3"}
    return Settings().changed(given | {"retrieval.seconds_per_route": 20.0} | changes)


def add(kb: Assistant, name: str, *texts: str) -> None:
    """Adds a document as an ingest would, without reading a file."""
    chunks = pieces(*texts)
    vectors = kb.embedder.embed_passages([chunk.embedded_text() for chunk in chunks])
    kb.base.replace_document(row(name), chunks, vectors, kb.embedder.identity)


def opened(fake: FakeOllama, folder: Path, **changes: object) -> Assistant:
    """A new base with the notes."""
    kb = Assistant.open(folder, settings(fake, **changes))
    for name, texts in NOTES.items():
        add(kb, name, *texts)
    return kb


def sent(fake: FakeOllama, model: str) -> list[str]:
    """The texts that this model was asked for, without the probe."""
    bodies = [body for body in fake.bodies("/api/embed") if body["model"] == model]
    return [text for body in bodies for text in body["input"] if text not in ("probe", ".")]


def nearest(kb: Assistant, text: str) -> str:
    """The text of the chunk whose vector is nearest."""
    found = kb.base.search_vector(kb.embedder.embed_query(text), 1, model=kb.embedder.identity.fingerprint())
    assert found.cosines[0] > 0.999
    return kb.base.passages(found.ids)[0].text


def stored(kb: Assistant) -> dict[str, np.ndarray]:
    """Chunk text → vector in the index."""
    sql = "SELECT text, embedding FROM documents"
    rows = kb.base._database.read(lambda cursor: cursor.execute(sql).fetchall())
    return {text: np.asarray(vector) for text, vector in rows}


def unit(vector: list[float]) -> np.ndarray:
    return np.asarray(vector) / np.linalg.norm(vector)


def routes(trace: Trace) -> dict[str, Retrieved]:
    """The first attempt's routes by name."""
    return {r.route: r for r in trace.of_kind("retrieved", 1)}
