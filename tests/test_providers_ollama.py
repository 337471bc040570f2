"""Ollama over real HTTP, answered by the stand-in server of tests/ollama_server.py."""

import re
import socket

import numpy as np
import pytest
from ollama_server import Model, running

from assistant.errors import BadReply, ModelUnavailable, SettingsError, TextTooLong
from assistant.providers import EMBEDDERS
from assistant.providers.ollama import address, installed_models, leaves_machine, reachable
from assistant.providers.ollama.embedding import OllamaEmbedder, estimate_tokens
from assistant.providers.ollama.families import family
from assistant.settings import Settings
from ui.panels.reasons import reason

EMBEDS = ("embedding",)


@pytest.fixture(autouse=True)
def _no_address_in_the_environment(monkeypatch):
    monkeypatch.delenv("OLLAMA_HOST", raising=False)


@pytest.fixture
def server():
    with running(models={"qwen3:4b": Model(), "bge-m3:latest": Model(EMBEDS, family="bert", context=512)}) as fake:
        yield fake


def unused_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


# addresses


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:8080", "http://127.0.0.1:8080"),
        ("[::]:11434", "http://[::1]:11434"),
        ("::1", "http://[::1]:11434"),
        ("::", "http://[::1]:11434"),
        ("localhost", "http://localhost:11434"),
        ("http://localhost", "http://localhost:11434"),
        ("https://ollama.lan", "https://ollama.lan:443"),
        (":8080", "http://127.0.0.1:8080"),
        ("http://host:11434/api/", "http://host:11434"),
        ("http://host:11434/v1", "http://host:11434"),
        ("http://host/ollama/", "http://host:11434/ollama"),
        (' "localhost:1234" ', "http://localhost:1234"),
    ],
)
def test_address_is_normalised(given, used):
    assert address(given) == used


def test_address_comes_from_the_environment_when_no_setting_gives_one(monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", "0.0.0.0:9999")
    assert address("") == "http://127.0.0.1:9999"
    assert address("box:1") == "http://box:1"


@pytest.mark.parametrize("given", ["ftp://host", "host:99999", "host:abc"])
def test_address_that_cannot_be_used_is_named(given):
    with pytest.raises(SettingsError, match=given):
        address(given)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("http://me:secret@host", "a name and password in it would be shown with every error"),
        ("my host", "'my host' is no host name"),
        ("http://<host>", "'<host>' is no host name"),
        ("[::g]:1", "cannot be used"),
    ],
)
def test_address_that_no_host_can_have_is_refused_without_showing_a_password(given, said):
    with pytest.raises(SettingsError, match=re.escape(said)) as caught:
        address(given)
    assert "secret" not in str(caught.value)
    assert reason(str(caught.value), "zh") != str(caught.value)


def test_only_loopback_stays_on_this_machine():
    assert not leaves_machine("")
    assert not leaves_machine("localhost")
    assert not leaves_machine("[::1]:5")
    assert leaves_machine("192.168.1.5")
    assert leaves_machine("example.com")


def test_proxy_of_the_environment_is_not_used_for_this_machine(server, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{unused_port()}")
    assert reachable(server.url)


# models


def test_installed_models_are_local_and_can_chat():
    models = {
        "qwen3:4b": Model(),
        "bge-m3:latest": Model(EMBEDS, family="bert"),
        "gpt-oss:120b-cloud": Model(remote_host="https://ollama.com:443"),
        "shown:1b": Model(listed=False),
        "shown-embedder:latest": Model(EMBEDS, listed=False),
        "ancient:7b": Model(capabilities=None, family="llama"),
        "mxbai-embed-large:latest": Model(capabilities=None, family="bert"),
    }
    with running(models=models) as fake:
        found = installed_models(fake.url)
    assert [model.name for model in found] == ["qwen3:4b", "shown:1b", "ancient:7b"]
    assert (found[0].size, found[0].parameters, found[0].quantisation) == (2_500_000_000, "4B", "Q4_K_M")


def test_server_without_models_has_none():
    with running() as fake:
        assert installed_models(fake.url) == ()


def test_models_of_a_server_that_is_not_there_are_an_error():
    with pytest.raises(ModelUnavailable, match="start Ollama"):
        installed_models(f"127.0.0.1:{unused_port()}")


def test_reachable_tells_and_never_raises(server):
    assert reachable(server.url)
    assert not reachable(f"127.0.0.1:{unused_port()}")
    assert not reachable("ftp://nonsense")
    server.faults.add("html")
    assert not reachable(server.url)


# embeddings


def embedder_of(fake, model="bge-m3"):
    settings = Settings().changed({"embedding.provider": "ollama", "embedding.model": model, "ollama.url": fake.url})
    return EMBEDDERS.build("ollama", settings)


def test_identity_holds_model_dimension_limit_and_digest(server):
    identity = embedder_of(server).identity
    assert identity.text() == "bge-m3 (ollama, ollama, 8)"
    # the server says 512, the family 8192: the smaller counts
    assert identity.max_tokens == 512
    assert len(identity.digest) == 64


def test_passages_go_in_batches_of_sixteen_and_come_back_in_order_with_length_one(server):
    texts = [f"text {number}" for number in range(35)]
    seen = []
    vectors = embedder_of(server).embed_passages(texts, lambda done, total: seen.append((done, total)))
    assert [len(body["input"]) for body in server.bodies("/api/embed")] == [1, 16, 16, 3]
    assert seen == [(16, 35), (32, 35), (35, 35)]
    assert vectors.dtype == np.float32
    expected = np.array([server.vector(text, 8) for text in texts])
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    assert np.allclose(vectors, expected, atol=1e-6)


def test_server_is_told_not_to_cut_texts(server):
    embedder_of(server).embed_query("x")
    assert all(body["truncate"] is False and body["keep_alive"] == "30m" for body in server.bodies("/api/embed"))


def test_prefixes_of_the_family_are_added():
    with running(models={"qwen3-embedding:0.6b": Model(EMBEDS), "embeddinggemma:latest": Model(EMBEDS)}) as fake:
        embedder_of(fake, "qwen3-embedding:0.6b").embed_query("谁？")
        embedder_of(fake, "embeddinggemma").embed_passages(["text"])
        inputs = [body["input"] for body in fake.bodies("/api/embed")]
    task = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
    assert inputs == [["probe"], [f"{task}谁？"], ["probe"], ["title: none | text: text"]]


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("bge-m3", "bge-m3"),
        ("hub.example/someone/BGE-M3:567m", "bge-m3"),
        ("bge-large-zh-v1.5", "bge-large-zh"),
        ("snowflake-arctic-embed2:568m", "snowflake-arctic-embed2"),
        ("nomic-embed-text-v2-moe", "nomic-embed-text-v2"),
        ("intfloat-multilingual-e5-large-instruct:f16", "e5-large-instruct"),
        ("something-new", "something-new"),
    ],
)
def test_family_is_found_by_the_specific_name_first(model, name):
    assert family(model).name == name


def test_english_only_model_is_refused():
    with pytest.raises(SettingsError, match="'all-minilm' reads English only"):
        EMBEDDERS.build("ollama", Settings().changed({"embedding.model": "all-minilm"}))


@pytest.mark.parametrize("fault", ["nan", "zero", "short"])
def test_text_without_a_usable_vector_is_named_and_the_others_get_through(server, fault):
    embedder = embedder_of(server)
    assert embedder.identity.dimension == 8
    server.faults.add(fault)
    server.poison = "poison"
    with pytest.raises(BadReply):
        embedder.embed_passages(["good one", "poison here", "good two"])
    # the batch, then text by text up to the bad one
    assert [len(body["input"]) for body in server.bodies("/api/embed")] == [1, 3, 1, 1]
    assert embedder.embed_passages(["good one", "good two"]).shape == (2, 8)


def test_batch_with_a_missing_vector_is_asked_again_one_by_one(server):
    embedder = embedder_of(server)
    server.faults.add("missing")
    assert embedder.embed_passages(["a", "b", "c"]).shape == (3, 8)


def test_too_long_text_is_refused_before_the_server_is_asked(server):
    embedder = embedder_of(server)
    before = len(server.received), embedder.identity
    with pytest.raises(TextTooLong, match="longer than the 512"):
        embedder.embed_passages(["好" * 700])
    assert len(server.received) == before[0] + 3  # show, probe and tags of the identity


def test_text_that_the_server_finds_too_long_is_the_same_error():
    with running(models={"bge-m3:latest": Model(EMBEDS, family="bert", context=20)}) as fake:
        embedder = OllamaEmbedder(fake.url, "bge-m3")
        with pytest.raises(TextTooLong):
            embedder.embed_passages(["blank" + " " * 30])


def test_embedder_whose_model_is_missing_names_the_command(server):
    with pytest.raises(ModelUnavailable, match="ollama pull embeddinggemma"):
        _ = embedder_of(server, "embeddinggemma").identity


def test_identity_is_asked_again_after_the_server_was_not_ready(server):
    embedder = embedder_of(server)
    server.faults.add("busy")
    with pytest.raises(ModelUnavailable, match="is busy"):
        _ = embedder.identity
    server.faults.clear()
    assert embedder.identity.dimension == 8


def test_no_passages_give_no_rows(server):
    assert embedder_of(server).embed_passages([]).shape == (0, 8)


def test_estimate_counts_chinese_by_character_and_english_by_letter():
    # 4 Chinese characters: 4 × .85 × 1.25 = 4.25 → 4, and 3 special tokens
    assert estimate_tokens("知识问答") == 7
    # 10 letters, 1 blank: (10 × .30 + .05) × 1.25 = 3.8 → 3, and 3
    assert estimate_tokens("hello world") == 6
