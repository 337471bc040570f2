"""Vectors kept between evaluation runs: computed once a text, never of another model."""

from __future__ import annotations

import numpy as np
import pytest
from ollama_server import Model, running

from assistant.evaluation.cache import CachedEmbedder
from assistant.providers import EMBEDDERS
from assistant.settings import Settings

EMBEDS = ("embedding",)


@pytest.fixture
def server():
    models = {name: Model(EMBEDS, family="bert", context=512) for name in ("bge-m3:latest", "other:latest")}
    with running(models=models) as fake:
        yield fake


def cached(fake, folder, model="bge-m3"):
    settings = Settings().changed({"embedding.model": model, "ollama.url": fake.url})
    return CachedEmbedder(EMBEDDERS.build("ollama", settings), folder)


def sent(fake) -> list[str]:
    return [text for body in fake.bodies("/api/embed") for text in body["input"] if text != "probe"]


def test_only_unknown_texts_of_a_batch_are_computed_and_each_keeps_its_place(server, tmp_path):
    first = cached(server, tmp_path)
    (made,) = first.embed_batches(["a", "b", "a"])
    assert sent(server) == ["a", "b"]
    assert [one.vector.tolist() for one in made] == first.embed_passages(["a", "b", "a"]).tolist()
    seen = []
    (again,) = cached(server, tmp_path).embed_batches(["c", "b"], lambda done, total: seen.append((done, total)))
    assert sent(server) == ["a", "b", "c"]
    assert np.array_equal(again[1].vector, made[1].vector)
    assert seen == [(2, 2)]


def test_a_text_without_a_vector_is_not_kept_and_is_asked_for_again(server, tmp_path):
    embedder = cached(server, tmp_path)
    server.faults.add("nan")
    server.poison = "poison"
    (made,) = embedder.embed_batches(["good", "poison"])
    assert [one.vector is None for one in made] == [False, True]
    server.faults.clear()
    (made,) = embedder.embed_batches(["good", "poison"])
    assert made[1].vector is not None
    assert sent(server).count("good") == 2  # in the batch that failed, and alone


@pytest.mark.accept("F3")
@pytest.mark.accept("F4")
def test_cached_vectors_of_another_model_of_equal_dimension_are_not_taken(server, tmp_path):
    list(cached(server, tmp_path).embed_batches(["a"]))
    other = cached(server, tmp_path, "other")
    assert other.identity.dimension == 8
    list(other.embed_batches(["a"]))
    assert sent(server) == ["a", "a"]
