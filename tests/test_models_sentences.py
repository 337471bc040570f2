"""What the models' facade says is said in Chinese too: every sentence as it is really made."""

from __future__ import annotations

import re

import pytest
from ollama_server import Model, Pullable, running

from assistant.errors import AssistantError
from assistant.models import InstalledModel, InstalledModels, LoadedModel, Memory, Models
from assistant.providers.ollama.checking import Chosen, check
from assistant.providers.ollama.fitting import advice, fit
from assistant.providers.ollama.pull import Meter
from assistant.providers.ollama.recommended import CHATS, EMBEDDERS
from assistant.settings import Settings
from ui.panels.reasons import reason

GIB = 1024**3
CHAT, EMBED = "qwen3:4b-instruct", "bge-m3:latest"
STOP = re.compile(r"\b(?:the|is|of|not|and|or|was|from|has|have|needs?|with|for|it|again|choose|pull)\b", re.IGNORECASE)


def in_chinese(sentence: str) -> str:
    said = reason(sentence, "zh")
    # what the server itself said stands in brackets and stays as it is, and so does a command
    assert STOP.findall(re.sub(r"（.*?）|ollama pull", "", said)) == [], said
    assert re.search("[一-鿿]", said), said
    return said


@pytest.fixture
def fake():
    has = {
        CHAT: Model(),
        EMBED: Model(("embedding",), family="bert"),
        "qwen3:4b": Model(),
        "all-minilm:latest": Model(),
    }
    with running(models=has, library={"new:latest": Pullable()}) as server:
        yield server


def models(fake):
    return Models(Settings().changed({"ollama.url": fake.url}))


def machine(gib, free=0.9, of_server=True):
    return Memory(total=int(gib * GIB), available=int(gib * free * GIB), of_server=of_server)


def test_whether_a_model_fits_is_said_in_chinese(fake):
    there = models(fake).installed()
    loaded = (LoadedModel(name=CHAT, size=4_000_000_000, context=8192),)
    machines = (machine(16), machine(4), machine(8, 0.5), machine(8, of_server=False))
    said = [fit(fake.url, there, (), CHAT, 8192, memory).why for memory in machines]
    said += [fit(fake.url, there, now, name, 8192, machine(16)).why for now, name in ((loaded, CHAT), ((), "other"))]
    assert len({in_chinese(sentence) for sentence in said}) == 6
    assert in_chinese(said[0]) == "qwen3:4b-instruct 在 8192 个词元的窗口下约需 4.5 GB 内存；共 17.2 GB，可用 15.5 GB。"


def test_advice_is_said_in_chinese():
    for entry in (*CHATS, *EMBEDDERS):
        in_chinese(f"Installed: {entry.why}.")
        in_chinese(f"To download: {entry.why}.")
    in_chinese(advice("", InstalledModels(), machine(16)).why)
    in_chinese(advice("http://192.168.1.5", InstalledModels(), machine(16, of_server=False)).why)


def test_warnings_are_said_in_chinese(fake):
    own = (
        InstalledModel(name=CHAT, size=2_500_000_000, context=4096, abilities=("chat",)),
        InstalledModel(name="qwen3:4b", abilities=("chat",), thinking_only=True),
        InstalledModel(name=EMBED, abilities=("embedding",), size=1_200_000_000),
        InstalledModel(name="all-minilm:latest", abilities=("embedding",), english_only=True),
    )
    half = LoadedModel(name=CHAT, size=100, on_gpu=0.5, context=2048)
    other = LoadedModel(name=EMBED, context=8192)

    def kinds_of(chat, embedder, loaded=(), evicted=(), gib=16.0):
        has = InstalledModels(models=own)
        chosen = Chosen(fake.url, 8192, chat, embedder, has, loaded, machine(gib), frozenset(evicted))
        return [in_chinese(w.why) and w.kind for w in check(chosen)]

    assert kinds_of(EMBED, "all-minilm") == ["no_chat", "english_only"]
    assert kinds_of("qwen3:4b", "") == ["thinking_only"]
    assert kinds_of("qwen3:9b", "x:cloud") == ["missing", "missing"]
    assert kinds_of(CHAT, "", (half,)) == ["window", "window", "partly_gpu"]
    assert kinds_of(CHAT, EMBED, (other,), (CHAT,)) == ["window", "evict"]
    assert kinds_of(CHAT, EMBED, gib=4) == ["window", "memory"]


def test_states_of_the_server_are_said_in_chinese(fake):
    fake.version = "0.9.1"
    in_chinese(models(fake).server().why)
    fake.faults.add("html")
    in_chinese(models(fake).server().why)
    fake.stop()
    in_chinese(models(fake).server().why)


@pytest.mark.parametrize("fault", ["pull_drop", "pull_412", "pull_retries", ""])
def test_failures_of_a_pull_are_said_in_chinese(fake, fault):
    fake.faults |= {fault} - {""}
    with pytest.raises(AssistantError) as failed:
        models(fake).pull("new" if fault else "none")
    in_chinese(str(failed.value))


def test_rarer_failures_and_a_stall_are_said_in_chinese():
    from assistant.providers.ollama.pull import _failure

    for text in ("write /x: no space left on device", "digest mismatch, file must be downloaded again", "odd"):
        in_chinese(str(_failure(text, "http://127.0.0.1:11434", CHAT)))
    with pytest.raises(AssistantError) as unnamed:
        Models(Settings()).pull(" ")
    in_chinese(str(unnamed.value))
    in_chinese(Meter(CHAT, 60, now=0.0).at(75.0).why)
