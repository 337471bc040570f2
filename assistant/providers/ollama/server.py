"""The connection to an Ollama server, and what its failures mean for the person."""

from __future__ import annotations

import json
import re
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from difflib import get_close_matches
from functools import cache
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx
from pydantic import ValidationError

from assistant.errors import AssistantError, BadReply, ModelUnavailable, TextTooLong
from assistant.providers.ollama.address import is_near
from assistant.providers.ollama.families import bare_name

CONNECT_SECONDS = 5.0
# a model of 30 GB loads from disk for minutes without a byte sent, and giving up would end the loading
READ_SECONDS = 300.0
# as long as an interface is likely to stay open; the server's 5 minutes would reload the model between questions
KEEP_ALIVE = "30m"

_MEMORY = ("system memory", "out of memory", "out-of-memory", "unable to allocate", "signal: killed")
_UNLOADED = ("timed out waiting for", "process has terminated", "error loading model", "failed to load")
_DIED = ("unexpectedly stopped", "encountered while running")
_LENGTH = ("context length", "context size", "exceed_context_size")


class Refused(Exception):
    """The server's refusal: its status (-1 for an error line within an answer) and its words."""

    def __init__(self, status: int, error: str) -> None:
        super().__init__(error)
        self.status_code = status
        self.error = error

    @property
    def lacks_model(self) -> bool:
        """Whether it is an Ollama that has no such model, and no other server that has no such page."""
        return self.status_code == 404 and _no_such_model(self.error)


def refused(status: int, body: str) -> Refused:
    """The refusal in this reply, whose body is JSON, JSON within JSON, a web page, or nothing."""
    return Refused(status, _said(body))


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
        raise _no_client(err) from err


@asynccontextmanager
async def open_async(url: str) -> AsyncIterator[httpx.AsyncClient]:
    """A client whose requests wait as long as it takes once they are connected; at the end its connections close.

    One per answer: it costs 0.1 ms, and no connection is ever one that the server has dropped since.
    """
    options = connection(url) | {"timeout": httpx.Timeout(None, connect=CONNECT_SECONDS)}
    try:
        client = httpx.AsyncClient(verify=_certificates(), **options)
    except (ImportError, ValueError) as err:
        raise _no_client(err) from err
    async with client:
        yield client


@cache
def _certificates() -> ssl.SSLContext:
    return httpx.create_ssl_context()  # 15 ms


def _no_client(err: Exception) -> ModelUnavailable:
    return ModelUnavailable(
        f"The Ollama client cannot start ({err}); correct OLLAMA_HOST and the proxy variables of this environment."
    )


@contextmanager
def explained(url: str, model: str) -> Iterator[None]:
    """Turns what the client raises inside into ModelUnavailable, BadReply or TextTooLong with one sentence."""
    try:
        yield
    except AssistantError:
        raise
    except Exception as err:
        raise explain(err, url, model) from err


@asynccontextmanager
async def explaining(client: httpx.AsyncClient, url: str, model: str) -> AsyncIterator[None]:
    """As `explained`; a missing model is answered with those that are there and have a similar name."""
    try:
        yield
    except AssistantError:
        raise
    except Refused as err:
        near = await _near_names(client, url, model) if err.lacks_model else []
        raise (missing_model(url, model, near) if err.lacks_model else explain(err, url, model)) from err
    except Exception as err:
        raise explain(err, url, model) from err


async def _near_names(client: httpx.AsyncClient, url: str, model: str) -> list[str]:
    """Up to three installed models that may be meant; [] when the server does not list any."""
    try:
        reply = await client.get(f"{url}/api/tags", timeout=httpx.Timeout(CONNECT_SECONDS))
        listed = [m for m in reply.json()["models"] if not m.get("remote_host")]
        return near_names(model, [m["name"] for m in listed if "completion" in m.get("capabilities", ["completion"])])
    except (httpx.HTTPError, ValueError, KeyError, TypeError, AttributeError):
        return []


def near_names(model: str, installed: list[str]) -> list[str]:
    """Up to three of the installed models, the likeliest first: same name with another tag or owner, then similar."""
    bare = bare_name(model)
    similar = get_close_matches(bare, {bare_name(name) for name in installed}, n=3, cutoff=0.6)
    return [name for wanted in similar for name in installed if bare_name(name) == wanted][:3]


def missing_model(url: str, model: str, near: list[str]) -> ModelUnavailable:
    """What to do when a model is not installed."""
    if near:
        return ModelUnavailable(
            f"Ollama at {url} has no model {model!r} (similar ones there: {', '.join(near)}); choose one of those, "
            f"or run: ollama pull {model}"
        )
    return ModelUnavailable(f"Ollama at {url} has no model {model!r}. Run: ollama pull {model}")


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
    if isinstance(err, (ConnectionError, httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError)):
        return _unreached(err, url)
    if isinstance(err, httpx.HTTPError):
        return BadReply(f"Ollama at {url} ended the connection in the middle of its answer ({_short(err)}); try again.")
    if isinstance(err, (json.JSONDecodeError, ValidationError, TypeError, AttributeError, UnicodeDecodeError)):
        return BadReply(f"What answers at {url} does not speak as Ollama does ({_short(err)}); check the address.")
    return BadReply(f"Asking {model} at {url} failed ({_short(err)}); try again.")


def _unreached(err: Exception, url: str) -> ModelUnavailable:
    said = str(err).lower()
    if proxies := _proxies(url):
        return ModelUnavailable(
            f"Nothing answers at {url} through the proxy of this environment; correct {', '.join(proxies)}, "
            "or name the host in NO_PROXY."
        )
    if isinstance(err, httpx.ConnectTimeout):
        return ModelUnavailable(f"No answer from {url} within {CONNECT_SECONDS:g} seconds; check the Ollama address.")
    if any(sign in said for sign in ("getaddrinfo", "name or service", "resolution", "nodename", "no address")):
        return ModelUnavailable(f"The host name in {url} is not known here; correct the Ollama address.")
    return ModelUnavailable(f"Nothing answers at {url}; start Ollama, or correct its address (setting ollama.url).")


def _proxies(url: str) -> list[str]:
    """The variables that put a proxy in front of this address."""
    parts = urlsplit(url)
    if is_near(url) or proxy_bypass(parts.netloc):
        return []
    return [f"{name.upper()}_PROXY" for name in (parts.scheme, "all") if name in getproxies()]


def _refusal(status: int, text: str, url: str, model: str) -> AssistantError:
    said = text.lower()
    if said.lstrip().startswith("<") or 300 <= status < 400:
        return ModelUnavailable(f"A web page answers at {url} (status {status}), not Ollama; check address and proxy.")
    if status == 404 and not _no_such_model(said):
        return ModelUnavailable(
            f"What answers at {url} is not Ollama, or an old one; update Ollama or correct the address."
        )
    if status == 404:
        return missing_model(url, model, [])
    if any(sign in said for sign in _LENGTH):
        return _too_long(text, url, model)
    why = _short(f"status {status}: {text}" if status > 0 else text)
    if any(sign in said for sign in _MEMORY):
        return ModelUnavailable(
            f"{model} does not fit into the memory of {url} ({why}); choose a smaller model "
            "or a smaller window (setting answering.window)."
        )
    if any(sign in said for sign in _UNLOADED):
        return ModelUnavailable(f"{model} could not be loaded at {url} ({why}); try again, or choose a smaller model.")
    if any(sign in said for sign in _DIED):
        return BadReply(f"{model} at {url} broke down at work ({why}); ask again, or choose a smaller model.")
    if status == 503:
        return ModelUnavailable(f"Ollama at {url} is busy ({why}); try again in a moment.")
    if "does not support" in said:
        return ModelUnavailable(f"The model {model!r} cannot be used for this ({why}); choose another.")
    if status in (401, 403):
        return ModelUnavailable(f"{url} refuses the request (status {status}); check address, proxy and sign-in.")
    return BadReply(f"Ollama at {url} could not answer with {model} ({why}); try again.")


def _no_such_model(said: str) -> bool:
    return "model" in said and "not found" in said


def _too_long(text: str, url: str, model: str) -> TextTooLong:
    """With the server's numbers where it gives them: "request (10031 tokens) exceeds … (4096 tokens)"."""
    counts = [int(n) for n in re.findall(r"\((\d+) tokens\)", text)]
    tokens, limit = counts if len(counts) == 2 else (0, 0)
    return TextTooLong(
        f"The text is longer than {model} at {url} reads ({_short(text)}); shorten it.", tokens=tokens, limit=limit
    )


def _said(body: str) -> str:
    """The error's words. Some are JSON inside a string of JSON."""
    try:
        content = json.loads(body)
    except ValueError:
        return body
    if isinstance(content, dict) and content.keys() & {"error", "message"}:
        inner = content.get("error") or content.get("message")
        return _said(inner if isinstance(inner, str) else json.dumps(inner))
    return body


def _short(said: object) -> str:
    # half a character, which JSON can hold, can be neither shown nor saved
    whole = str(said).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return " ".join(whole.split())[:160] or type(said).__name__
