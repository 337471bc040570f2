"""The models screen's facade against the stand-in server: what is there, what is loaded, what ails the choice."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading

import httpx
import pytest
from ollama_server import Model, running

from assistant.errors import ModelUnavailable
from assistant.models import InstalledModel, Models
from assistant.providers.ollama.embedding import OllamaEmbedder
from assistant.settings import Settings

CHAT, EMBED = "qwen3:4b-instruct", "bge-m3:latest"
EMBEDDER = Model(("embedding",), family="bert", dimension=1024, context=8192, size=1_200_000_000, parameters="567M")


@pytest.fixture(autouse=True)
def _no_address_in_the_environment(monkeypatch):
    monkeypatch.delenv("OLLAMA_HOST", raising=False)


@pytest.fixture
def fake():
    with running(models={CHAT: Model(("completion", "tools")), EMBED: EMBEDDER}) as server:
        yield server


def models(fake, **changes):
    chosen = {"answering.writer": "ollama", "answering.model": CHAT, "embedding.provider": "ollama"}
    changes = {name.replace("__", "."): value for name, value in changes.items()}
    return Models(Settings().changed({"ollama.url": fake.url} | chosen | changes))


def at(url):
    return Models(Settings().changed({"ollama.url": url}))


def unused_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def kinds(warnings):
    return [warning.kind for warning in warnings]


# the server


def test_importing_the_facade_loads_no_http_client_and_no_model_library():
    probe = (
        "import sys, assistant.models; sys.exit(bool({'httpx', 'ollama', 'llama_index', 'psutil'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", probe]).returncode == 0


def test_a_server_that_answers_tells_its_version_and_stays_on_this_machine(fake):
    state = models(fake).server()
    assert (state.reachable, state.version, state.url, state.why) == (True, "0.33.0", fake.url, "")
    assert not state.leaves_machine


def test_a_server_that_is_not_there_is_started_and_one_elsewhere_is_looked_for():
    state = at(f"127.0.0.1:{unused_port()}").server()
    assert (state.reachable, state.action) == (False, "start")
    assert "start Ollama" in state.why


def test_an_address_that_cannot_be_used_is_corrected():
    state = at("ftp://box").server()
    assert (state.reachable, state.action) == (False, "correct_address")
    assert "ftp://box" in state.why
    assert at("ftp://box").advice().chat
    assert at("ftp://box").fits("qwen3:8b").needs


@pytest.mark.parametrize(
    ("fault", "action", "said"),
    [("text_404", "update", "an old one"), ("html", "correct_address", "A web page answers")],
)
def test_what_is_no_ollama_is_told_apart(fake, fault, action, said):
    fake.faults.add(fault)
    state = models(fake).server()
    assert (state.reachable, state.action) == (False, action)
    assert said in state.why


@pytest.mark.parametrize(
    ("version", "old"), [("0.12.5", True), ("0.12.6", False), ("0.0.0", False), ("1.0.0-rc1", False)]
)
def test_a_version_that_cuts_prompts_in_silence_is_to_be_updated(fake, version, old):
    fake.version = version
    state = models(fake).server()
    assert state.reachable
    assert (state.action == "update", version in state.why) == (old, old)


def test_a_server_that_starts_later_dies_and_starts_again_is_met_as_it_is(fake):
    there = models(fake)
    fake.stop()
    assert not there.server().reachable
    with pytest.raises(ModelUnavailable, match="start Ollama"):
        there.installed()
    fake.start()
    assert there.server().reachable
    assert there.preload(CHAT)
    fake.restart()
    assert there.loaded() == ()


# what is installed


def test_installed_models_tell_what_they_are_and_can(fake):
    fake.models["minilm:latest"] = Model(("embedding",))
    fake.models["all-minilm:latest"] = Model(("embedding",), context=512, dimension=384)
    chat, embedder, *_, english = models(fake).installed().models
    assert chat == InstalledModel(
        name=CHAT,
        size=2_500_000_000,
        context=40960,
        abilities=("chat", "tools"),
        parameters="4B",
        quantisation="Q4_K_M",
        family="qwen3",
        digest=chat.digest,
    )
    assert len(chat.digest) == 12
    assert (embedder.dimension, embedder.context, embedder.english_only) == (1024, 8192, False)
    assert english.english_only


def test_models_in_the_cloud_are_counted_and_not_shown(fake):
    fake.models["gpt-oss:120b-cloud"] = Model()
    fake.models["big:latest"] = Model(remote_host="https://ollama.com")
    installed = models(fake).installed()
    assert [model.name for model in installed.models] == [CHAT, EMBED]
    assert installed.cloud == 2


@pytest.mark.accept("E13")
def test_an_older_server_is_asked_for_each_context_once(fake):
    fake.models = {
        CHAT: Model(listed=False, context=32768),
        "nomic-embed-text:latest": Model(None, family="nomic-bert"),
    }
    there = models(fake)
    there.installed()
    chat, old = there.installed().models
    assert (chat.context, chat.abilities) == (32768, ("chat",))
    assert old.abilities == ("embedding",)
    assert len(fake.bodies("/api/show")) == 2


def test_a_broken_model_hides_no_others(fake):
    fake.models[CHAT] = Model(listed=False)
    fake.faults.add("show_500")
    installed = models(fake).installed().models
    assert [(model.name, model.context) for model in installed] == [(CHAT, None), (EMBED, 8192)]


def test_models_that_cannot_stop_thinking_are_marked(fake):
    names = [
        "qwen3:4b",
        "qwen3:8b",
        "deepseek-r1:8b",
        "gpt-oss:20b",
        "qwen3:30b-a3b-thinking-2507-q4_K_M",
        "me/qwq:latest",
    ]
    fake.models = {name: Model(("completion", "thinking")) for name in names}
    marked = [model.name for model in models(fake).installed().models if model.thinking_only]
    assert marked == [
        "qwen3:4b",
        "deepseek-r1:8b",
        "gpt-oss:20b",
        "qwen3:30b-a3b-thinking-2507-q4_K_M",
        "me/qwq:latest",
    ]


# what is loaded


def test_preloading_uses_the_window_of_the_requests_that_follow(fake):
    there = models(fake)
    assert there.preload(CHAT)
    assert there.preload("bge-m3")
    OllamaEmbedder(fake.url, "bge-m3").embed_query("一")
    httpx.post(fake.url + "/api/chat", json={"model": CHAT, "messages": [], "options": {"num_ctx": 8192}})
    assert fake.loads == [(CHAT, 8192), (EMBED, 8192)]
    embedder, chat = there.loaded()
    assert (chat.name, chat.context, chat.on_gpu) == (CHAT, 8192, 0.0)
    assert embedder.until is not None


def test_a_window_above_the_models_own_is_not_asked_for(fake):
    fake.models[CHAT] = Model(context=2048)
    models(fake).preload(CHAT)
    assert fake.bodies("/api/chat")[0]["options"]["num_ctx"] == 2048


def test_unloading_frees_the_memory_and_a_missing_model_is_named(fake):
    there = models(fake)
    there.preload(CHAT)
    there.preload(EMBED)
    there.unload("bge-m3")
    assert [model.name for model in there.loaded()] == [CHAT]
    with pytest.raises(ModelUnavailable, match="ollama pull qwen3:9b"):
        there.preload("qwen3:9b")


def test_a_model_kept_for_ever_has_no_end_and_one_on_the_graphics_card_its_share(fake):
    fake.vram = 10**12
    httpx.post(fake.url + "/api/chat", json={"model": CHAT, "messages": [], "keep_alive": -1})
    (loaded,) = models(fake).loaded()
    assert (loaded.until, loaded.on_gpu) == (None, 1.0)


def test_loading_can_be_stopped_and_the_server_notices_within_a_second(fake):
    fake.faults.add("stall")
    cancel, answered = threading.Event(), []
    loading = threading.Thread(target=lambda: answered.append(models(fake).preload(CHAT, cancel)))
    loading.start()
    assert fake.waiting.wait(10)
    cancel.set()
    loading.join(10)
    assert answered == [False]
    assert fake.gone.wait(1)
    assert fake.loads == []


def test_too_little_memory_for_loading_is_said_in_one_sentence(fake):
    fake.oom_above = 4096
    with pytest.raises(ModelUnavailable, match=r"does not fit into the memory .* smaller window"):
        models(fake).preload(CHAT)


def test_deleting_takes_the_model_off_the_list(fake):
    there = models(fake)
    there.delete("bge-m3")
    assert [model.name for model in there.installed().models] == [CHAT]
    with pytest.raises(ModelUnavailable, match="no model 'bge-m3'"):
        there.delete("bge-m3")


# warnings about the chosen ones


@pytest.mark.accept("E9")
def test_models_that_are_there_with_or_without_latest_are_no_matter_for_a_warning(fake):
    assert models(fake, embedding__model="BGE-M3").warnings() == ()
    assert models(fake, embedding__model=EMBED).warnings() == ()


@pytest.mark.accept("E9")
def test_a_chosen_model_that_is_missing_is_named_with_its_neighbours_before_the_run(fake):
    (chat, embedder) = models(fake, answering__model="qwen3:8b", embedding__model="embeddinggemma").warnings()
    assert (chat.kind, chat.model, chat.action) == ("missing", "qwen3:8b", "pull")
    assert CHAT in chat.why
    assert "ollama pull qwen3:8b" in chat.why
    assert (embedder.kind, embedder.model) == ("missing", "embeddinggemma")


def test_without_a_chosen_model_there_is_nothing_to_warn_of_and_nothing_is_asked():
    assert at(f"127.0.0.1:{unused_port()}").warnings() == ()


def test_a_server_that_is_not_there_is_one_warning(fake):
    fake.stop()
    (warning,) = models(fake).warnings()
    assert (warning.kind, warning.action) == ("unreachable", "start")


@pytest.mark.parametrize(
    ("chat", "embedder", "kind"),
    [("bge-m3", "", "no_chat"), ("qwen3:4b", "", "thinking_only"), ("", "all-minilm", "english_only")],
)
def test_models_that_do_not_suit_their_task_are_said(fake, chat, embedder, kind):
    fake.models |= {"qwen3:4b": Model(), "all-minilm:latest": Model(("embedding",))}
    assert kinds(models(fake).warnings(chat, embedder)) == [kind]


def test_a_chosen_model_in_the_cloud_is_refused(fake):
    (warning,) = models(fake).warnings("qwen3:480b-cloud", "")
    assert "your documents would leave this machine" in warning.why


@pytest.mark.accept("E13")
def test_a_window_that_the_model_does_not_have_is_said(fake):
    fake.models[CHAT] = Model(context=2048)
    (warning,) = models(fake).warnings(embedder="")
    assert warning.kind == "window"
    assert "2048" in warning.why
    assert "8192" in warning.why


@pytest.mark.accept("E13")
def test_a_window_really_allocated_that_is_another_is_read_from_the_server(fake):
    there = models(fake)
    httpx.post(fake.url + "/api/chat", json={"model": CHAT, "messages": [], "options": {"num_ctx": 4096}})
    (warning,) = there.warnings(embedder="")
    assert (warning.kind, warning.model) == ("window", CHAT)
    assert "4096 tokens, not the 8192" in warning.why
    there.preload(CHAT)
    assert there.warnings(embedder="") == ()


def test_a_model_that_is_partly_on_the_graphics_card_is_slow(fake):
    there = models(fake)
    there.preload(CHAT)
    (loaded,) = there.loaded()
    fake.vram = loaded.size // 2
    assert kinds(there.warnings(embedder="")) == ["partly_gpu"]
    assert "50%" in there.warnings(embedder="")[0].why


@pytest.mark.accept("E10")
def test_models_that_put_each_other_out_of_memory_are_noticed(fake):
    fake.memory = 5_000_000_000
    there = models(fake)
    there.preload(CHAT)
    assert there.warnings() == ()
    there.preload(EMBED)
    assert [model.name for model in there.loaded()] == [EMBED]
    (warning,) = there.warnings()
    assert (warning.kind, warning.model, warning.action) == ("evict", CHAT, "smaller_window")


def test_a_server_that_was_started_anew_put_nothing_out(fake):
    there = models(fake)
    there.preload(CHAT)
    assert there.warnings() == ()
    fake.restart()
    assert there.warnings() == ()
    there.preload(EMBED)
    assert there.warnings() == ()


def test_a_model_unloaded_on_purpose_was_not_put_out(fake):
    there = models(fake)
    there.preload(CHAT)
    there.preload(EMBED)
    there.warnings()
    there.unload(CHAT)
    assert there.warnings() == ()
