"""The connection to an Ollama server, and what its failures mean for the person."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
from pydantic import ValidationError

from assistant.errors import AssistantError, BadReply, ModelUnavailable, TextTooLong
from assistant.providers.ollama.address import is_near

CONNECT_SECONDS = 5.0
# a model of 30 GB loads from disk for minutes without a byte sent, and giving up would end the loading
READ_SECONDS = 300.0
# as long as an interface is likely to stay open; the server's 5 minutes would reload the model between questions
KEEP_ALIVE = "30m"

_MEMORY = ("system memory", "out of memory", "out-of-memory", "llama-server process has terminated", "resource limit")
_LENGTH = ("context length", "context size", "exceed_context_size")


def connection(url: str, read_seconds: float = READ_SECONDS) -> dict[str, Any]:
    """The httpx options for this address: time limits, and no proxy for a server nearby."""
    return {"trust_env": not is_near(url), "timeout": httpx.Timeout(read_seconds, connect=CONNECT_SECONDS)}


def open_client(url: str, read_seconds: float = READ_SECONDS) -> Any:
    """An ollama.Client for this normalised address. Raises ModelUnavailable when the package cannot start."""
    try:
        import ollama

        return ollama.Client(host=url, **connection(url, read_seconds))
    except (ImportError, ValueError) as err:
        # the package opens a client of its own while it is imported, from OLLAMA_HOST and the proxy variables
        raise ModelUnavailable(
            f"The Ollama client cannot start ({err}); correct OLLAMA_HOST and the proxy variables of this environment."
        ) from err


@contextmanager
def explained(url: str, model: str) -> Iterator[None]:
    """Turns what the client raises inside into ModelUnavailable, BadReply or TextTooLong with one sentence."""
    try:
        yield
    except AssistantError:
        raise
    except Exception as err:
        raise explain(err, url, model) from err


def explain(err: Exception, url: str, model: str) -> AssistantError:
    """The sentence for this exception of the client."""
    status = getattr(err, "status_code", None)
    if status is not None:
        return _refusal(int(status), str(getattr(err, "error", err)), url, model)
    if isinstance(err, httpx.ReadTimeout):
        return ModelUnavailable(
            f"{model} at {url} has sent nothing for too long; it may still be loading: try again, "
            "or choose a smaller model."
        )
    if isinstance(err, (ConnectionError, httpx.ConnectError, httpx.ConnectTimeout)):
        return _unreached(err, url)
    if isinstance(err, httpx.HTTPError):
        return BadReply(f"Ollama at {url} ended the connection in the middle of its answer ({err}); try again.")
    if isinstance(err, (json.JSONDecodeError, ValidationError, TypeError, AttributeError, UnicodeDecodeError)):
        return BadReply(f"What answers at {url} does not speak as Ollama does ({_short(err)}); check the address.")
    return BadReply(f"Asking {model} at {url} failed ({_short(err)}); try again.")


def _unreached(err: Exception, url: str) -> ModelUnavailable:
    said = str(err).lower()
    if isinstance(err, httpx.ConnectTimeout):
        return ModelUnavailable(f"No answer from {url} within {CONNECT_SECONDS:g} seconds; check the Ollama address.")
    if "getaddrinfo" in said or "name or service" in said or "resolution" in said:
        return ModelUnavailable(f"The host name in {url} is not known here; correct the Ollama address.")
    return ModelUnavailable(f"Nothing answers at {url}; start Ollama, or correct its address (setting ollama.url).")


def _refusal(status: int, text: str, url: str, model: str) -> AssistantError:
    said = text.lower()
    if said.lstrip().startswith("<"):
        return ModelUnavailable(f"A web page answers at {url} (status {status}), not Ollama; check address and proxy.")
    if status == 404 and "page not found" in said:
        return ModelUnavailable(
            f"What answers at {url} is not Ollama, or an old one; update Ollama or correct the address."
        )
    if status == 404:
        return ModelUnavailable(f"Ollama at {url} has no model {model!r}. Run: ollama pull {model}")
    if any(sign in said for sign in _LENGTH):
        return TextTooLong(f"The text is longer than {model} at {url} reads ({_short(text)}); shorten it.")
    if any(sign in said for sign in _MEMORY):
        return ModelUnavailable(
            f"{model} does not fit into the memory of {url} ({_short(text)}); choose a smaller model "
            "or a smaller window (setting answering.window)."
        )
    if status == 503:
        return ModelUnavailable(f"Ollama at {url} is busy ({_short(text)}); try again in a moment.")
    if "does not support" in said:
        return ModelUnavailable(f"The model {model!r} cannot be used for this ({_short(text)}); choose another.")
    if status in (401, 403):
        return ModelUnavailable(f"{url} refuses the request (status {status}); check address, proxy and sign-in.")
    return BadReply(f"Ollama at {url} could not answer with {model} ({_short(text)}); try again.")


def _short(said: object) -> str:
    return " ".join(str(said).split())[:160] or type(said).__name__
