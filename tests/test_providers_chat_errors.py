"""How a chat with Ollama fails: what the person reads, word for word, and that the next question works."""

from __future__ import annotations

import json
import re
import socket

import pytest
from ollama_server import OUT_OF_MEMORY, Model, Reply, running
from ollama_state import Refused

from assistant.errors import BadReply, ModelUnavailable, TextTooLong
from assistant.providers.ollama import OllamaChat
from assistant.providers.ollama.exchange import Patience
from assistant.providers.ollama.server import explain
from ui.panels.reasons import reason

ASKED = (("system", "Be brief."), ("user", "What is 一?"))
# all that may stay in Latin letters on a Chinese screen
NAMES = {"Ollama", "ollama", "pull", "http", "https", "HTTP", "PROXY", "NO", "OLLAMA", "HOST"}


@pytest.fixture
def server():
    with running(models={"qwen3:4b": Model(), "bge-m3:latest": Model(("embedding",), family="bert")}) as fake:
        yield fake


def ask(url, model="qwen3:4b", **options):
    return list(OllamaChat(url, model, **options).stream(ASKED))


def failing(url, model="qwen3:4b", **options):
    """What is raised, with the address written as URL."""
    with pytest.raises((ModelUnavailable, BadReply, TextTooLong)) as caught:
        ask(url, model, **options)
    assert not re.search(r"\bkeys?\b|api.?key", str(caught.value), re.IGNORECASE)
    assert "\n" not in str(caught.value)
    return type(caught.value), str(caught.value).replace(url, "URL")


def goes_on(server):
    server.faults.clear()
    server.replies.clear()
    server.raw.clear()
    return "".join(piece.text for piece in ask(server.url)) == "No reply."


def refusing(status, error):
    def pieces(body):
        raise Refused(status, error)

    return Reply(".*", pieces)


def in_chinese(sentence, *values):
    """The sentence of a Chinese screen, which has no English word but values and names."""
    chinese = reason(sentence, "zh")
    rest = chinese
    for value in ("URL", "qwen3:4b", *values):
        rest = rest.replace(value, "")
    assert set(re.findall(r"[A-Za-z]{2,}", rest)) <= NAMES, chinese
    return chinese


def unused_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


# not reached


@pytest.mark.accept("E6")
def test_nothing_at_the_address_says_start_ollama():
    error, sentence = failing(f"http://127.0.0.1:{unused_port()}")
    assert error is ModelUnavailable
    assert sentence == "Nothing answers at URL; start Ollama, or correct its address (setting ollama.url)."
    in_chinese(sentence, "ollama.url")


@pytest.mark.accept("E6")
def test_unknown_host_name_is_told_from_a_silent_one(monkeypatch):
    def unknown(*args, **kwargs):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    error, sentence = failing("http://ollama-box.lan:11434")
    assert error is ModelUnavailable
    assert sentence == "The host name in URL is not known here; correct the Ollama address."


def test_dead_proxy_to_another_machine_is_named(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{unused_port()}")
    error, sentence = failing("http://ollama.example.com:11434")
    assert error is ModelUnavailable
    assert sentence == (
        "Nothing answers at URL through the proxy of this environment; correct HTTP_PROXY, or name the host in "
        "NO_PROXY."
    )
    in_chinese(sentence)


def test_silent_host_that_no_proxy_stands_before_is_not_blamed_on_one(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{unused_port()}")
    for name in ("NO_PROXY", "no_proxy"):  # the small one goes first, and Gradio sets it when it serves a page
        monkeypatch.setenv(name, "example.com")
    err = ConnectionRefusedError("refused")
    sentence = str(explain(err, "http://ollama.example.com:11434", "m"))
    assert sentence.startswith("Nothing answers at http://ollama.example.com:11434; start Ollama")


def test_proxy_that_cannot_be_spoken_with_is_named(monkeypatch):
    monkeypatch.setenv("ALL_PROXY", "nonsense://127.0.0.1:9")
    error, sentence = failing("http://ollama.example.com:11434")
    assert error is ModelUnavailable
    assert sentence.startswith("The Ollama client cannot start (Unknown scheme for proxy URL")
    assert sentence.endswith("correct OLLAMA_HOST and the proxy variables of this environment.")


@pytest.mark.accept("E6")
def test_server_that_starts_later_is_found(server):
    server.stop()
    assert failing(server.url)[1].startswith("Nothing answers at URL; start Ollama")
    server.start()
    assert goes_on(server)


# the model


@pytest.mark.accept("E7")
@pytest.mark.accept("E9")
def test_missing_model_names_the_command(server):
    error, sentence = failing(server.url, "llama3")
    assert error is ModelUnavailable
    assert sentence == "Ollama at URL has no model 'llama3'. Run: ollama pull llama3"
    in_chinese(sentence, "llama3")


@pytest.mark.accept("E9")
@pytest.mark.parametrize("wanted", ["qwen3", "qwen3:8b", "someone/Qwen3:4b", "qwem3:4b"])
def test_missing_model_names_those_that_may_be_meant(server, wanted):
    _, sentence = failing(server.url, wanted)
    assert sentence == (
        f"Ollama at URL has no model '{wanted}' (similar ones there: qwen3:4b); choose one of those, "
        f"or run: ollama pull {wanted}"
    )
    in_chinese(sentence, wanted)


@pytest.mark.accept("E9")
def test_latest_is_the_tag_of_a_name_without_one():
    with running(models={"qwen3:latest": Model()}) as fake:
        assert ask(fake.url, "qwen3")[-1].done
        assert ask(fake.url, "QWEN3:latest")[-1].done


def test_model_deleted_since_the_last_question_is_missing(server):
    ask(server.url)
    model = server.models.pop("qwen3:4b")
    assert "has no model 'qwen3:4b'" in failing(server.url)[1]
    server.models["qwen3:4b"] = model
    assert goes_on(server)


def test_model_that_only_embeds_cannot_chat(server):
    error, sentence = failing(server.url, "bge-m3")
    assert error is ModelUnavailable
    assert sentence == (
        "The model 'bge-m3' cannot be used for this (status 400: \"bge-m3\" does not support chat); choose another."
    )


@pytest.mark.parametrize(("name", "host"), [("big:latest", "https://ollama.com:443"), ("big:120b-cloud", "")])
def test_model_that_runs_elsewhere_is_not_asked(name, host):
    with running(models={name: Model(remote_host=host)}) as fake:
        error, sentence = failing(fake.url, name)
        assert error is ModelUnavailable
        assert sentence == (
            f"The model '{name}' runs on ollama.com, so your documents would leave this machine; choose a local model."
        )
        assert fake.bodies("/api/chat") == []
        in_chinese(sentence, name, "ollama.com")


# refusals before the first byte

REFUSALS = [
    (500, OUT_OF_MEMORY, ModelUnavailable, "does not fit into the memory of URL (status 500: model requires more "),
    (
        500,
        "llama-server reported out-of-memory during startup: cudaMalloc failed",
        ModelUnavailable,
        "does not fit into the memory of URL (status 500: llama-server reported out-of-memory",
    ),
    (
        500,
        "llama-server process has terminated: signal: killed",
        ModelUnavailable,
        "does not fit into the memory of URL",
    ),
    (
        500,
        "llama-server process has terminated: exit status 2: error loading model: unknown architecture",
        ModelUnavailable,
        "could not be loaded at URL (status 500: llama-server process has terminated: exit status 2",
    ),
    (
        500,
        "timed out waiting for llama-server to start - progress 0.20",
        ModelUnavailable,
        "could not be loaded at URL (status 500: timed out waiting",
    ),
    (
        500,
        "model runner has unexpectedly stopped, this may be due to resource limitations or an internal error",
        BadReply,
        "qwen3:4b at URL broke down at work (status 500: model runner has unexpectedly stopped",
    ),
    (500, 'option "num_ctx" must be of type integer', BadReply, "Ollama at URL could not answer with qwen3:4b (status"),
    (500, "invalid format: 7", BadReply, "could not answer with qwen3:4b (status 500: invalid format: 7); try again."),
    (
        503,
        "server busy, please try again.  maximum pending requests exceeded",
        ModelUnavailable,
        "Ollama at URL is busy (status 503: server busy, please try again. maximum pending requests exceeded); try",
    ),
    (
        400,
        "the prompt is longer than the context length currently available to the model; shorten the prompt",
        TextTooLong,
        "The text is longer than qwen3:4b at URL reads (the prompt is longer than",
    ),
    (401, "unauthorized", ModelUnavailable, "URL refuses the request (status 401); check address, proxy and sign-in."),
    (
        404,
        'model "qwen3:4b" not found, try pulling it first',
        ModelUnavailable,
        "Ollama at URL has no model 'qwen3:4b'",
    ),
]


@pytest.mark.accept("E6")
@pytest.mark.parametrize(("status", "words", "error", "sentence"), REFUSALS)
def test_refusal_becomes_one_sentence_and_the_next_question_works(server, status, words, error, sentence):
    server.replies.append(refusing(status, words))
    raised, told = failing(server.url)
    assert raised is error
    assert sentence in told
    in_chinese(told, " ".join(words.split()), words[:30], "answering.window", f"status {status}")
    assert goes_on(server)


def test_too_long_prompt_comes_with_the_servers_numbers(server):
    inner = {
        "code": 400,
        "message": "request (10031 tokens) exceeds the available context size (4096 tokens), try increasing it",
        "type": "exceed_context_size_error",
    }
    server.replies.append(refusing(400, json.dumps({"error": inner})))
    with pytest.raises(TextTooLong) as caught:
        ask(server.url)
    assert (caught.value.tokens, caught.value.limit) == (10031, 4096)
    assert str(caught.value) == (
        f"The text is longer than qwen3:4b at {server.url} reads (request (10031 tokens) exceeds the available "
        "context size (4096 tokens), try increasing it); shorten it."
    )


@pytest.mark.accept("E1")
def test_prompt_beyond_the_window_is_refused_instead_of_cut(server):
    long = (("user", "记录" * 5000),)
    with pytest.raises(TextTooLong):
        list(OllamaChat(server.url, "qwen3:4b", window=2048).stream(long))
    assert goes_on(server)


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("text_404", "What answers at URL is not Ollama, or an old one; update Ollama or correct the address."),
        ("html", "A web page answers at URL (status 502), not Ollama; check address and proxy."),
        ("forbidden", "URL refuses the request (status 403); check address, proxy and sign-in."),
    ],
)
@pytest.mark.parametrize("path", ["/api/show", "/api/chat"])
def test_other_server_at_the_address_is_recognised(server, fault, sentence, path):
    server.fail_next(1, fault, path=path)
    assert failing(server.url) == (ModelUnavailable, sentence)
    in_chinese(sentence)
    assert goes_on(server)


# while it answers


@pytest.mark.parametrize(
    ("raw", "error", "sentence"),
    [
        (
            b"<html>Sign in to the network</html>",
            ModelUnavailable,
            "A web page answers at URL (status 200), not Ollama",
        ),
        (b"this is no JSON\n", BadReply, "What answers at URL does not speak as Ollama does (Expecting value"),
        (b'["a"]\n', BadReply, "What answers at URL does not speak as Ollama does"),
        (b'{"message":null,"done":true}\n', BadReply, "What answers at URL does not speak as Ollama does"),
        (b'{"message":{"content":7}}\n', BadReply, "What answers at URL does not speak as Ollama does"),
        (b'{"error":"unexpected EOF"}\n', BadReply, "Ollama at URL could not answer with qwen3:4b (unexpected EOF)"),
        (b'{"error":"model runner has unexpectedly stopped"}\n', BadReply, "qwen3:4b at URL broke down at work (model"),
        (b'{"done":true,"done_reason":"load"}\n', BadReply, "qwen3:4b at URL was loaded instead of answering; ask"),
        (b'{"done":true,"done_reason":"unload"}\n', BadReply, "qwen3:4b at URL was unloaded instead of answering; ask"),
        (b"", BadReply, "qwen3:4b at URL stopped before its answer was finished; ask again."),
        (b'{"message":{"content":"<think>hm"}}\n', BadReply, "qwen3:4b at URL stopped before its answer was finished"),
    ],
)
def test_stream_that_goes_wrong_before_the_first_word_is_an_error(server, raw, error, sentence):
    server.raw = [raw] if raw else [b"\n"]
    raised, told = failing(server.url)
    assert raised is error
    assert sentence in told
    reason(told, "zh")
    assert goes_on(server)


def test_connection_dropped_before_the_first_word_is_an_error(server):
    server.faults.add("drop_first")
    error, sentence = failing(server.url)
    assert error is BadReply
    assert sentence.startswith("Ollama at URL ended the connection in the middle of its answer (")
    assert goes_on(server)


@pytest.mark.parametrize(
    ("fault", "text", "why"),
    [
        ("no_done", "No reply.", "qwen3:4b at URL stopped before its answer was finished; ask again."),
        ("drop", "No reply.", "Ollama at URL ended the connection in the middle of its answer (peer closed"),
        ("drop_mid", "No ", "Ollama at URL ended the connection in the middle of its answer (peer closed"),
        ("error_line", "No reply.", "qwen3:4b at URL broke down at work (an error was encountered while running"),
        ("garbage", "No reply.", "What answers at URL does not speak as Ollama does (Expecting value"),
    ],
)
def test_answer_that_breaks_off_keeps_its_text_and_says_why(server, fault, text, why):
    server.faults.add(fault)
    pieces = ask(server.url)
    assert "".join(piece.text for piece in pieces) == text
    assert [piece.done for piece in pieces] == [False] * len(pieces)
    assert pieces[-1].done_reason == "incomplete"
    assert pieces[-1].why.replace(server.url, "URL").startswith(why)
    assert reason(pieces[-1].why, "zh") != pieces[-1].why
    assert goes_on(server)


def test_server_restarted_during_an_answer_leaves_its_text_and_answers_again(server):
    server.faults.add("stall_mid")
    stream = OllamaChat(server.url, "qwen3:4b").stream(ASKED)
    assert next(stream).text == "No "
    server.restart()
    (last,) = stream
    assert (last.done, last.done_reason) == (False, "incomplete")
    assert goes_on(server)


@pytest.mark.accept("E4")
def test_silence_before_the_first_word_says_what_to_do(server):
    server.faults.add("stall")
    error, sentence = failing(server.url, patience=Patience(first=0.1))
    assert error is ModelUnavailable
    assert sentence == (
        "qwen3:4b at URL wrote nothing within 0.1 seconds; ask again, choose a smaller model, or raise "
        "ollama.first_token_seconds."
    )
    in_chinese(sentence, "ollama.first_token_seconds")
    server.gate.set()
    assert goes_on(server)


def test_silence_between_words_ends_the_answer_with_its_text(server):
    server.faults.add("stall_mid")
    pieces = ask(server.url, patience=Patience(first=30, idle=0.1))
    assert [piece.text for piece in pieces] == ["No ", ""]
    assert pieces[-1].done_reason == "incomplete"
    assert pieces[-1].why.replace(server.url, "URL") == (
        "qwen3:4b at URL paused for more than 0.1 seconds; ask again, or raise ollama.idle_seconds."
    )
    in_chinese(pieces[-1].why.replace(server.url, "URL"), "ollama.idle_seconds")
    server.gate.set()
    assert goes_on(server)


def test_time_for_the_first_word_does_not_end_a_long_answer(server):
    server.pause = 0.12
    server.replies.append((".*", ["word "] * 10))
    pieces = ask(server.url, patience=Patience(first=1, idle=30))
    assert pieces[-1].done
