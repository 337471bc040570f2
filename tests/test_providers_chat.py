"""A chat model of Ollama over real HTTP: what it is sent, what comes back piece by piece, and how it is stopped."""

from __future__ import annotations

import subprocess
import sys
from typing import Literal

import pytest
from ollama_server import Model, running
from pydantic import BaseModel

from assistant.errors import ModelUnavailable, SettingsError
from assistant.providers import CHATS
from assistant.providers.chat import ChatPiece
from assistant.providers.counting import counter_for, estimate_tokens
from assistant.providers.ollama import OllamaChat, loading
from assistant.providers.ollama.exchange import Patience
from assistant.providers.ollama.thinking import ThinkingFilter
from assistant.providers.structured import ask_for
from assistant.settings import Settings

ASKED = (("system", "Be brief."), ("user", "What is 一?"))


class YesOrNo(BaseModel):
    answer: Literal["yes", "no"]


@pytest.fixture
def server():
    with running(models={"qwen3:4b": Model()}) as fake:
        yield fake


def said(fake, asked=ASKED, cancel=None, max_tokens=None, schema=None, on_state=None, **options):
    return list(OllamaChat(fake.url, "qwen3:4b", **options).stream(asked, cancel, max_tokens, schema, on_state))


def text_of(pieces):
    return "".join(piece.text for piece in pieces)


def sent(fake):
    return fake.bodies("/api/chat")[-1]


# what is sent


def test_answer_comes_in_pieces_and_the_last_tells_how_it_ended(server):
    server.replies.append(("一", ["One", " [1]", "。"]))
    server.prompt_tokens = 31
    assert said(server) == [
        ChatPiece("One"),
        ChatPiece(" [1]"),
        ChatPiece("。"),
        ChatPiece("", True, "stop", prompt_tokens=31, answer_tokens=7),
    ]


def test_answer_cut_by_its_length_says_so(server):
    server.faults.add("length")
    last = said(server)[-1]
    assert (last.done, last.done_reason) == (True, "length")


def test_request_is_steady_without_thinking_and_has_an_end(server):
    said(server)
    assert sent(server) == {
        "model": "qwen3:4b",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "What is 一?"}],
        "stream": True,
        "think": False,
        "options": {"num_ctx": 8192, "num_predict": 1024, "temperature": 0.0, "seed": 1},
        "keep_alive": "30m",
        "truncate": False,
        "shift": False,
    }


def test_settings_name_the_model_and_its_limits(server):
    changes = {
        "ollama.url": server.url,
        "ollama.keep_alive": "5m",
        "answering.model": "qwen3:4b",
        "answering.window": 4096,
        "answering.max_tokens": 200,
    }
    chat = CHATS.build("ollama", Settings().changed(changes))
    list(chat.stream(ASKED))
    assert (chat.model, chat.window) == ("qwen3:4b", 4096)
    assert (sent(server)["options"]["num_ctx"], sent(server)["options"]["num_predict"]) == (4096, 200)
    assert sent(server)["keep_alive"] == "5m"


def test_settings_say_how_long_to_wait(server):
    server.faults.add("stall")
    settings = Settings().changed(
        {"ollama.url": server.url, "answering.model": "qwen3:4b", "ollama.first_token_seconds": 0.1}
    )
    with pytest.raises(ModelUnavailable, match=r"nothing within 0\.1 seconds"):
        list(CHATS.build("ollama", settings).stream(ASKED))


def test_chat_without_a_model_names_the_setting():
    with pytest.raises(SettingsError, match=r"answering\.model"):
        CHATS.build("ollama", Settings())


def test_each_call_may_have_its_own_end_and_form_but_not_its_own_window(server):
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    assert text_of(said(server, max_tokens=64, schema=schema)) == '{"a": 0}'
    assert sent(server)["format"] == schema
    assert sent(server)["options"]["num_predict"] == 64
    said(server)
    assert "format" not in sent(server)
    assert server.loads == [("qwen3:4b", 8192)]


# the window


@pytest.mark.accept("E13")
def test_window_is_never_more_than_the_model_has():
    with running(models={"small:latest": Model(context=2048), "large:latest": Model(context=131_072)}) as fake:
        small, large = OllamaChat(fake.url, "small", window=8192), OllamaChat(fake.url, "large", window=8192)
        assert (small.window, large.window) == (2048, 8192)
        list(small.stream(ASKED))
        assert sent(fake)["options"]["num_ctx"] == 2048


def test_window_is_the_setting_where_the_server_does_not_tell():
    with running(models={"old:latest": Model(context=0)}) as fake:
        assert OllamaChat(fake.url, "old", window=6000).window == 6000


def test_server_is_asked_about_a_model_once(server):
    chat = OllamaChat(server.url, "qwen3:4b")
    assert chat.window == 8192
    said(server)
    assert OllamaChat(server.url, "qwen3:4b", window=1024).window == 1024
    assert len(server.bodies("/api/show")) == 1


def test_window_of_a_server_that_is_not_there_is_an_error_and_then_found(server):
    chat = OllamaChat(server.url, "qwen3:4b")
    server.stop()
    with pytest.raises(ModelUnavailable, match="start Ollama"):
        _ = chat.window
    server.start()
    assert chat.window == 8192


def test_counter_is_the_models_own(server):
    plain, tagged = OllamaChat(server.url, "m"), OllamaChat(server.url, "m:latest")
    assert plain.counter is tagged.counter is counter_for(server.url, "m:latest")


# thinking


@pytest.mark.parametrize(
    ("pieces", "shown"),
    [
        (["<think>hm", "m</think>\n\nYes."], "Yes."),
        (["<th", "ink>a < b", "</thi", "nk>Yes", "."], "Yes."),
        (["<think>never closed"], ""),
        (["Yes.<think>and then"], "Yes."),
        (["1 < 2 and <b>", " bold"], "1 < 2 and <b> bold"),
        (["ends with <thi"], "ends with <thi"),
        (["</think>", "Yes"], "Yes"),
    ],
)
def test_thinking_is_taken_out_of_the_answer(server, pieces, shown):
    server.replies.append(("一", pieces))
    assert text_of(said(server)) == shown
    for size in (1, 2, 5):
        whole, thinking = "".join(pieces), ThinkingFilter()
        parts = [thinking.feed(whole[at : at + size]) for at in range(0, len(whole), size)]
        assert "".join(parts) + thinking.finish() == shown


@pytest.mark.parametrize("fault", ["thinking", "think_tags"])
def test_model_that_thinks_all_the_same_is_not_heard_thinking(server, fault):
    server.faults.add(fault)
    assert text_of(said(server)) == "No reply."


def test_thinking_only_is_an_empty_answer(server):
    server.faults.add("thinking_only")
    (last,) = said(server)
    assert (last.text, last.done, last.done_reason) == ("", True, "length")


def test_old_server_that_refuses_to_hear_of_thinking_is_asked_without(server):
    server.faults.add("think_unsupported")
    assert text_of(said(server)) == "No reply."
    assert [body.get("think") for body in server.bodies("/api/chat")] == [False, None]


def test_model_that_only_knows_levels_thinks_as_little_as_it_can():
    with running(models={"gpt-oss:20b": Model(("completion", "thinking"), family="gptoss")}) as fake:
        list(OllamaChat(fake.url, "gpt-oss:20b").stream(ASKED))
        assert sent(fake)["think"] == "low"


def test_text_may_hold_what_python_takes_for_the_end_of_a_line(server):
    odd = "a\u2028b\u0085c\x0bd"
    server.replies.append(("一", [odd]))
    assert text_of(said(server)) == odd


def test_lines_are_put_together_from_any_chunks(server):
    line = '{"message":{"role":"assistant","content":"油温 85 °C"},"done":false}\n'.encode()
    end = b'{"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop"}'
    server.raw = [bytes([byte]) for byte in line] + [line + line + end]
    pieces = said(server)
    assert text_of(pieces) == "油温 85 °C" * 3
    assert pieces[-1].done


# what it is doing


def open_gates(server, states):
    """Notes each state, and lets the server load and then read once these have been told."""
    server.faults |= {"slow_load", "slow_first"}

    def seen(state):
        states.append(state)
        if state == "loading":
            server.load_gate.set()
        if state == "reading":
            server.gate.set()

    return seen


@pytest.mark.accept("E4")
def test_loading_then_reading_then_writing_is_told(server):
    states = []
    assert text_of(said(server, on_state=open_gates(server, states))) == "No reply."
    assert states == ["loading", "reading", "writing"]
    assert server.loads == [("qwen3:4b", 8192)]


def test_model_in_memory_is_not_loading(server):
    said(server)
    server.faults.add("slow_first")
    states = []

    def seen(state):
        states.append(state)
        server.gate.set()

    said(server, on_state=seen)
    assert states == ["reading", "writing"]


def test_server_that_cannot_only_load_is_watched_by_its_list(server, monkeypatch):
    monkeypatch.setattr(loading, "_POLL_SECONDS", 0.01)
    server.fail_next(1, "text_404", path="/api/generate")
    states = []
    said(server, on_state=open_gates(server, states))
    assert states == ["loading", "reading", "writing"]


def test_server_without_a_list_of_loaded_models_answers_all_the_same(server):
    server.fail_next(1, "text_404", path="/api/ps")
    states = []
    assert text_of(said(server, on_state=states.append)) == "No reply."
    assert states[-1] == "writing"
    assert "loading" not in states


def test_nobody_who_listens_means_no_questions_about_loading(server):
    said(server)
    assert [path for path, _ in server.received] == ["/api/show", "/api/chat"]


# the environment


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "ALL_PROXY", "http_proxy"])
@pytest.mark.parametrize("proxy", ["http://127.0.0.1:9", "socks5h://127.0.0.1:9", "nonsense://x"])
def test_proxy_of_the_environment_is_not_used_for_this_machine(server, monkeypatch, variable, proxy):
    monkeypatch.setenv(variable, proxy)
    assert text_of(said(server)) == "No reply."


def test_chat_needs_neither_the_ollama_package_nor_llama_index():
    code = (
        "import sys; sys.modules['ollama'] = None; import assistant.providers.ollama.chat; "
        "print([name for name in sys.modules if name.startswith(('llama_index', 'duckdb', 'gradio'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_waiting_in_seconds_is_ten_minutes_for_the_first_word_and_one_between_words():
    assert Patience() == Patience(first=Settings().ollama.first_token_seconds, idle=Settings().ollama.idle_seconds)


# a real model behind the wire


@pytest.fixture(scope="module")
def smollm2():
    with running(models={"smollm2:135m": Model(context=8192)}, real_chat=True) as fake:
        yield fake


def test_real_model_says_the_same_twice_and_its_counts_are_learnt(smollm2):
    chat = OllamaChat(smollm2.url, "smollm2:135m", window=2048, max_tokens=16)
    asked = (("user", "The pump moves the coolant through the loop. " * 24 + "What does the pump move?"),)
    first, second = list(chat.stream(asked)), list(chat.stream(asked))
    assert text_of(first) == text_of(second) != ""
    assert (first[-1].done_reason, first[-1].answer_tokens) == ("length", 16)
    assert not chat.counter.learn(estimate_tokens(asked[0][1]), first[-1].prompt_tokens, chat.window)
    assert 0.9 < chat.counter.scale < 1.2


def test_real_model_keeps_to_a_schema(smollm2):
    chat = OllamaChat(smollm2.url, "smollm2:135m", window=2048)
    record, call = ask_for(chat, "test", (("user", "Is water wet? Answer yes or no."),), YesOrNo)
    assert record is not None
    assert (record.answer in ("yes", "no"), call.state) == (True, "done")
