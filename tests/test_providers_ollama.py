"""Ollama over real HTTP, answered by the stand-in server of tests/ollama_server.py."""

import re
import socket

import pytest
from ollama_server import Model, running

from assistant.errors import ModelUnavailable, SettingsError
from assistant.providers.ollama import address, installed_models, leaves_machine, reachable
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
