"""What models need and which are advised: arithmetic by hand, on machines of any size."""

from __future__ import annotations

import pytest
from ollama_server import Model, running

from assistant.models import InstalledModel, InstalledModels, LoadedModel, Memory, Models
from assistant.providers.ollama.checking import Chosen, check
from assistant.providers.ollama.fitting import advice, fit
from assistant.providers.ollama.memory import bytes_per_token, needs
from assistant.settings import Settings

GIB = 1024**3
CHAT, EMBED = "qwen3:4b-instruct", "bge-m3:latest"


def machine(gib, free=0.9, of_server=True):
    return Memory(total=int(gib * GIB), available=int(gib * free * GIB), of_server=of_server)


def info(**numbers):
    family = {f"qwen3.{name.replace('__', '.')}": value for name, value in numbers.items()}
    return {"model_info": {"general.architecture": "qwen3", **family}}


@pytest.fixture
def fake():
    with running(models={CHAT: Model(), EMBED: Model(("embedding",), family="bert", size=1_200_000_000)}) as server:
        yield server


def installed(fake) -> InstalledModels:
    return Models(Settings().changed({"ollama.url": fake.url})).installed()


def test_keys_and_values_of_qwen3_4b_take_144_kib_a_token():
    shown = info(block_count=36, attention__head_count_kv=8, attention__key_length=128, attention__value_length=128)
    assert bytes_per_token(shown) == 36 * 8 * (128 + 128) * 2 == 144 * 1024


def test_keys_and_values_follow_from_the_width_where_their_length_is_not_told():
    shown = info(block_count=30, embedding_length=576, attention__head_count=9, attention__head_count_kv=3)
    assert bytes_per_token(shown) == 30 * 3 * (64 + 64) * 2


def test_keys_and_values_of_a_hybrid_model_are_those_of_its_full_layers():
    shown = info(
        block_count=4, attention__head_count_kv=[0, 0, 0, 2], attention__key_length=256, attention__value_length=256
    )
    assert bytes_per_token(shown) == 2 * (256 + 256) * 2


def test_encoders_keep_nothing_and_a_server_that_does_not_tell_is_not_guessed_at():
    assert bytes_per_token({"model_info": {"general.architecture": "nomic-bert", "nomic-bert.block_count": 12}}) == 0
    assert bytes_per_token(info(block_count=36)) is None
    assert bytes_per_token({}) is None


def test_need_is_file_and_a_tenth_and_window_and_half_a_gigabyte():
    assert needs(2_500_000_000, 8192, 147_456) == 2_750_000_000 + 1_207_959_552 + 500_000_000


@pytest.mark.parametrize(
    ("gib", "state", "said"),
    [
        (16, "fits", "4.5 GB of memory with a window of 8192 tokens; 15.5 GB of 17.2 GB are free."),
        (4.5, "too_large", "and this machine has 4.8 GB; choose a smaller model or window."),
    ],
)
def test_fit_says_what_a_model_needs_and_what_is_free(fake, gib, state, said):
    found = fit(fake.url, installed(fake), (), CHAT, 8192, machine(gib))
    assert (found.state, found.needs) == (state, 4_457_959_552)
    assert found.why.endswith(said)


def test_fit_is_tight_while_other_programs_have_the_memory_and_smaller_with_a_smaller_window(fake):
    assert fit(fake.url, installed(fake), (), CHAT, 8192, machine(8, free=0.5)).state == "tight"
    assert fit(fake.url, installed(fake), (), CHAT, 4096, machine(8, free=0.5)).state == "fits"


def test_fit_of_a_model_that_is_loaded_elsewhere_or_unknown(fake):
    there = installed(fake)
    loaded = (LoadedModel(name=CHAT, size=4_000_000_000, context=8192),)
    assert fit(fake.url, there, loaded, CHAT, 8192, machine(4)).why == f"{CHAT} is loaded and takes 4.0 GB."
    assert fit(fake.url, there, (), CHAT, 8192, machine(4, of_server=False)).state == "unknown"
    assert fit(fake.url, there, (), "nobody/knows", 8192, machine(4)).state == "unknown"
    assert fit(fake.url, there, (), "qwen3:14b", 8192, machine(8)).state == "too_large"


def advised(gib, models=(), of_server=True):
    found = advice("", InstalledModels(models=tuple(models)), machine(gib, of_server=of_server))
    return [a.name for a in found.chat], [a.name for a in found.embedding]


@pytest.mark.parametrize(
    ("gib", "chat", "embedder", "window"),
    [
        (5.7, "qwen3:1.7b", "embeddinggemma", 4096),
        (7.6, "qwen3:4b-instruct", "embeddinggemma", 4096),
        (15.4, "qwen3:8b", "bge-m3", 8192),
        (31.2, "qwen3:14b", "qwen3-embedding:4b", 8192),
    ],
)
def test_advice_for_a_machine_without_models_fits_into_it(gib, chat, embedder, window):
    found = advice("", InstalledModels(), machine(gib))
    assert [a.name for a in found.chat] == [chat]
    assert [a.name for a in found.embedding] == [embedder]
    assert found.chat[0].window == window
    assert not found.chat[0].installed
    assert found.chat[0].needs + found.embedding[0].needs < 0.8 * gib * GIB


def chat_model(name, size, **more):
    return InstalledModel(name=name, size=size, abilities=("chat",), **more)


def embed_model(name, size, **more):
    return InstalledModel(name=name, size=size, abilities=("embedding",), **more)


@pytest.fixture
def quiet():
    """An address where nothing answers: what the models need follows from their size."""
    with running() as server:
        yield server.url


def test_advice_prefers_what_is_installed_and_offers_only_what_is_better(quiet):
    own = [chat_model("qwen3:4b-instruct-2507-q4_K_M", 2_500_000_000), embed_model("bge-m3:latest", 1_200_000_000)]
    found = advice(quiet, InstalledModels(models=tuple(own)), machine(15.4))
    assert [(a.name, a.installed) for a in found.chat] == [(own[0].name, True), ("qwen3:8b", False)]
    assert [(a.name, a.installed) for a in found.embedding] == [("bge-m3:latest", True)]


def test_advice_leaves_out_what_does_not_fit_only_thinks_or_reads_english_only(quiet):
    own = [
        chat_model("qwen3:14b", 9_300_000_000),
        chat_model("deepseek-r1:8b", 5_000_000_000, thinking_only=True),
        embed_model("nomic-embed-text:latest", 274_000_000, english_only=True),
    ]
    found = advice(quiet, InstalledModels(models=tuple(own)), machine(7.6))
    assert [a.name for a in found.chat] == ["qwen3:4b-instruct"]
    assert [a.name for a in found.embedding] == ["embeddinggemma"]


def test_advice_names_an_installed_model_that_is_too_weak_after_one_to_download(quiet):
    found = advice(quiet, InstalledModels(models=(chat_model("smollm2:135m", 98_000_000),)), machine(7.6))
    assert [a.name for a in found.chat] == ["qwen3:4b-instruct", "smollm2:135m"]


def test_advice_for_a_server_elsewhere_is_what_it_has(quiet):
    own = InstalledModels(models=(chat_model("llama4:latest", 67_000_000_000),))
    found = advice(quiet, own, machine(7.6, of_server=False))
    assert [a.name for a in found.chat] == ["llama4:latest"]
    assert found.embedding == ()
    assert "another machine" in found.why


def test_advice_stands_on_the_table_alone_while_no_server_answers():
    found = Models(Settings().changed({"ollama.url": "127.0.0.1:9"})).advice()
    assert found.chat
    assert not any(a.installed for a in (*found.chat, *found.embedding))


@pytest.mark.accept("E10")
def test_two_models_that_do_not_fit_together_are_foreseen(fake):
    def warned(gib, loaded=()):
        has = installed(fake)
        return check(Chosen(fake.url, 8192, CHAT, EMBED, has, loaded, machine(gib), frozenset()))

    (warning,) = warned(6)
    assert (warning.kind, warning.action) == ("memory", "smaller_window")
    # 4.46 GB, and 1.2 GB with a tenth and half a gigabyte
    assert "together need about 6.3 GB of memory and this machine has 6.4 GB" in warning.why
    assert warned(16) == ()
    both = (LoadedModel(name=CHAT, context=8192), LoadedModel(name=EMBED, context=8192))
    assert warned(6, both) == ()


def test_memory_is_that_of_this_machine_and_of_the_server_only_when_it_runs_here():
    here = Models(Settings()).memory()
    assert 0 < here.available <= here.total
    assert here.of_server
    assert not Models(Settings().changed({"ollama.url": "http://192.168.1.5"})).memory().of_server
