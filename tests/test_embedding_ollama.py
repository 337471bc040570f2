"""Embeddings over real HTTP from the stand-in server: checked, halved, split, never zeros, never lost."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from ollama_server import Model, running

from assistant.errors import BadReply, ModelUnavailable, SettingsError, TextTooLong, WrongModel
from assistant.providers import EMBEDDERS
from assistant.providers.batches import halves
from assistant.providers.choice import build_known, choice_of, parse_choice, wished
from assistant.providers.ollama.embedding import OllamaEmbedder, estimate_tokens
from assistant.providers.ollama.families import family
from assistant.settings import Settings

EMBEDS = ("embedding",)


@pytest.fixture(autouse=True)
def _no_address_in_the_environment(monkeypatch):
    monkeypatch.delenv("OLLAMA_HOST", raising=False)


@pytest.fixture
def server():
    with running(models={"bge-m3:latest": Model(EMBEDS, family="bert", context=512)}) as fake:
        yield fake


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


def sizes(fake) -> list[int]:
    return [len(body["input"]) for body in fake.bodies("/api/embed")]


@pytest.mark.parametrize("fault", ["nan", "short"])
def test_a_text_without_a_usable_vector_is_found_by_halving_and_the_others_get_through(server, fault):
    embedder = embedder_of(server)
    assert embedder.identity.dimension == 8
    server.faults.add(fault)
    server.poison = "poison"
    texts = [f"good {number}" for number in range(16)]
    texts[5] = "poison here"
    (made,) = embedder.embed_batches(texts)
    # the probe; the 16, 8 and 8, 4 and 4, 2 and 2, 1 and 1: eight requests where one by one took sixteen
    assert sizes(server) == [1, 16, 8, 4, 4, 2, 1, 1, 2, 8]
    assert [place for place, one in enumerate(made) if one.vector is None] == [5]
    assert "NaN" in made[5].reason or "shape" in made[5].reason
    expected = np.array(server.vector("good 4", 8))
    assert made[4].vector == pytest.approx(expected / np.linalg.norm(expected), abs=1e-6)
    with pytest.raises(BadReply):
        embedder.embed_passages(texts)


def test_zeros_are_asked_for_again_once_after_the_model_was_unloaded(server):
    embedder = embedder_of(server)
    assert embedder.identity.dimension == 8
    server.faults.add("zero")
    server.poison = "poison"
    (made,) = embedder.embed_batches(["good", "poison"])
    bodies = server.bodies("/api/embed")[1:]
    assert [(len(b["input"]), b["keep_alive"]) for b in bodies] == [
        (2, "30m"), (0, 0), (2, "30m"), (1, "30m"), (1, "30m")
    ]  # fmt: skip
    assert {b["options"]["num_ctx"] for b in bodies} == {8192}
    assert made[0].vector is not None
    assert (made[1].vector, "zeros" in made[1].reason) == (None, True)


def test_zeros_that_an_unloading_cures_cost_no_text(server, monkeypatch):
    embedder = embedder_of(server)
    assert embedder.identity.dimension == 8
    server.faults.add("zero")
    asked = embedder._asked

    def cured(texts, keep_alive=None):
        if keep_alive == 0:
            server.faults.clear()
        return asked(texts, keep_alive)

    monkeypatch.setattr(OllamaEmbedder, "_asked", lambda self, texts, keep_alive=None: cured(texts, keep_alive))
    (made,) = embedder.embed_batches(["a", "b"])
    assert all(one.vector is not None for one in made)


def test_a_batch_with_a_missing_vector_is_asked_again_in_halves(server):
    embedder = embedder_of(server)
    server.faults.add("missing")
    assert embedder.embed_passages(["a", "b", "c"]).shape == (3, 8)


def test_a_model_that_fails_for_every_text_is_no_fault_of_the_texts(server):
    embedder = embedder_of(server)
    assert embedder.identity.dimension == 8
    server.faults.add("nan")
    with pytest.raises(BadReply):
        list(embedder.embed_batches(["a", "b"]))


@pytest.mark.accept("E3")
def test_a_text_too_long_for_the_server_is_split_and_its_vector_is_the_mean_of_the_parts():
    with running(models={"bge-m3:latest": Model(EMBEDS, family="bert", context=40)}) as fake:
        embedder = embedder_of(fake)
        short, long = "short", "First sentence, thirty letters. Second sentence of the text."
        # our own count is far below 40 tokens; the server counts characters
        assert embedder.count_tokens(long) < 40 < len(long)
        (made,) = embedder.embed_batches([short, long])
        parts = [np.array(fake.vector(part, 8)) for part in halves(long)]
    assert halves(long) == ("First sentence, thirty letters. ", "Second sentence of the text.")
    mean = sum(part / np.linalg.norm(part) for part in parts)
    assert made[1].vector == pytest.approx(mean / np.linalg.norm(mean), abs=1e-6)
    assert [one.parts for one in made] == [1, 2]


@pytest.mark.accept("E3")
def test_a_text_known_to_be_too_long_goes_in_parts_that_hold_every_character(server):
    embedder = embedder_of(server)
    # 1,200 characters × .85 × 1.25 = 1,275 tokens of 512
    (made,) = embedder.embed_batches(["好" * 1200, "short"])
    sent = [text for body in server.bodies("/api/embed")[1:] for text in body["input"]]
    assert sent == ["short", "好" * 300, "好" * 300, "好" * 300, "好" * 300]
    assert [one.parts for one in made] == [4, 1]


def test_a_text_that_is_too_long_only_by_the_safe_count_is_sent_whole(server):
    embedder = embedder_of(server)
    # 500 × .85 × 1.25 + 3 = 534 of 512; without the safety 428
    assert embedder.count_tokens("好" * 500) > embedder.identity.max_tokens
    (made,) = embedder.embed_batches(["好" * 500])
    assert server.bodies("/api/embed")[-1]["input"] == ["好" * 500]
    assert made[0].parts == 1


@pytest.mark.accept("E3")
@pytest.mark.parametrize(
    "text", ["ab", "a" * 99, "一句话。第二句话。第三句话。", "line one\nline two\nline three", "  \n  "]
)
def test_halves_hold_every_character_and_are_not_empty(text):
    first, second = halves(text)
    assert first + second == text
    assert first
    assert second


def test_a_text_that_is_refused_at_any_length_has_a_reason():
    with running(models={"bge-m3:latest": Model(EMBEDS, family="bert", context=7)}) as fake:
        (made,) = embedder_of(fake).embed_batches(["short", "a longer text of many words"])
    assert made[0].vector is not None
    assert "longer than" in made[1].reason


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


# the identity


@pytest.mark.accept("E9")
def test_a_name_with_and_without_its_tag_is_one_model(server):
    assert embedder_of(server, "BGE-M3:latest").identity == embedder_of(server, "bge-m3").identity


def test_prefixes_may_be_set_for_a_model_that_is_not_known():
    with running(models={"some-model:latest": Model(EMBEDS)}) as fake:
        changes = {"ollama.url": fake.url, "embedding.model": "some-model", "embedding.query_prefix": "ask: "}
        embedder = EMBEDDERS.build("ollama", Settings().changed(changes))
        embedder.embed_query("x")
        assert fake.bodies("/api/embed")[-1]["input"] == ["ask: x"]
        assert (embedder.identity.query_prefix, embedder.identity.passage_prefix) == ("ask: ", "")


def known(fake, **more):
    """The identity of bge-m3, as a base keeps it."""
    identity = embedder_of(fake).identity.model_copy(update=more)
    return identity, Settings().changed({"ollama.url": fake.url})


@pytest.mark.accept("F5")
def test_a_known_model_needs_its_server_only_when_vectors_are_wanted(server):
    identity, settings = known(server)
    server.stop()
    embedder = build_known(identity, settings)
    assert embedder.identity == identity
    assert embedder.count_tokens("知识问答") == 7
    with pytest.raises(ModelUnavailable, match="start Ollama"):
        embedder.embed_query("x")
    server.start()
    assert embedder.embed_query("x").shape == (8,)
    server.stop()
    with pytest.raises(ModelUnavailable):
        embedder.embed_query("x")
    server.start()
    assert embedder.embed_query("x").shape == (8,)


@pytest.mark.accept("F1")
@pytest.mark.accept("F4")
def test_a_model_of_the_same_name_with_another_digest_is_refused(server):
    identity, settings = known(server)
    embedder = build_known(identity, settings)
    embedder.embed_query("x")
    server.models["bge-m3:latest"] = Model(EMBEDS, family="bert", context=512, digest="feed" * 16)
    embedder._trusted_until = 0.0  # a minute later
    before = len(server.bodies("/api/embed"))
    with pytest.raises(WrongModel, match=r"another one now \(feedfeed\).*launch.py reembed"):
        embedder.embed_query("x")
    assert len(server.bodies("/api/embed")) == before


@pytest.mark.accept("I6")
def test_the_identity_is_told_while_a_batch_is_under_way(server):
    embedder = embedder_of(server)
    before = embedder.identity
    server.faults.add("stall")
    batch = threading.Thread(target=embedder.embed_passages, args=(["text"],))
    batch.start()
    assert server.waiting.wait(10)
    told = []
    asker = threading.Thread(target=lambda: told.append(embedder.identity), daemon=True)
    asker.start()
    asker.join(10)
    assert told == [before]
    server.gate.set()
    batch.join()


def test_one_request_at_a_time(server):
    embedder = embedder_of(server)
    threads = [threading.Thread(target=embedder.embed_passages, args=([f"text {n}"],)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sizes(server) == [1] * 7


@pytest.mark.parametrize(
    ("text", "provider", "model"),
    [
        ("ollama:bge-m3:latest", "ollama", "bge-m3"),
        ("ollama:qwen3-embedding:0.6b", "ollama", "qwen3-embedding:0.6b"),
        ("ollama", "ollama", "bge-m3"),
        ("embedded", "embedded", "multilingual-e5-small"),
    ],
)
def test_a_model_is_named_by_provider_and_model(text, provider, model):
    assert (parse_choice(text).provider, parse_choice(text).model) == (provider, model)


@pytest.mark.parametrize("text", ["", ":x", "openai:ada"])
def test_a_model_that_cannot_be_is_named(text):
    with pytest.raises(SettingsError, match="embedding"):
        parse_choice(text)


@pytest.mark.accept("F5")
def test_settings_wish_for_another_model_only_when_they_name_one(server):
    own, settings = known(server)
    assert wished(settings, own) is None
    asked = settings.changed({"embedding.provider": "ollama", "embedding.model": "BGE-M3:latest"})
    assert wished(asked, own) is None
    assert wished(settings.changed({"embedding.provider": "embedded"}), own) == choice_of("embedded")
    other_prefix = asked.changed({"embedding.query_prefix": "ask: "})
    assert wished(other_prefix, own).text() == "bge-m3 (ollama)"
