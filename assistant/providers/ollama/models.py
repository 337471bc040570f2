"""Which chat models an Ollama server offers."""

from __future__ import annotations

from typing import Any

import httpx
from pydantic import Field

from assistant.errors import AssistantError
from assistant.providers.ollama.address import address
from assistant.providers.ollama.families import FAMILIES, bare_name
from assistant.providers.ollama.server import connection, explained
from assistant.trace import Record

_LOOK_SECONDS = 0.8
_ENCODERS = ("bert", "nomic-bert", "xlm-roberta", "gemma-embedding")


class ChatModel(Record):
    """A model that can write answers. `size` is its file in bytes; `parameters` and `quantisation` as Ollama says."""

    name: str
    size: int = Field(default=0, ge=0)
    parameters: str = ""
    quantisation: str = ""


def reachable(url: str = "") -> bool:
    """Whether an Ollama answers at this address, within about a second; never raises."""
    try:
        place = address(url)
        options = connection(place) | {"timeout": httpx.Timeout(2 * _LOOK_SECONDS, connect=_LOOK_SECONDS)}
        reply = httpx.get(f"{place}/api/version", **options)
        return reply.status_code == 200 and bool(reply.json().get("version"))
    except (AssistantError, httpx.HTTPError, httpx.InvalidURL, OSError, ValueError, AttributeError, ImportError):
        return False


def installed_models(url: str = "") -> tuple[ChatModel, ...]:
    """The local models that can chat, the most recently changed first as Ollama lists them; () when it has none.

    Models that run on ollama.com are left out, since questions and sources would leave the machine; so are those that
    only embed. Raises ModelUnavailable, BadReply.
    """
    place = address(url)
    listed = list_models(place)
    return tuple(_chat_model(m) for m in listed if not _in_the_cloud(m) and "completion" in _abilities(place, m))


def list_models(place: str) -> list[dict[str, Any]]:
    """The raw entries of /api/tags at this normalised address: the client's own records leave fields out."""
    return list(_asked(place, "GET", "/api/tags").get("models") or [])


def show_model(place: str, model: str) -> dict[str, Any]:
    """The raw reply of /api/show. Raises ModelUnavailable when there is no such model."""
    return _asked(place, "POST", "/api/show", model)


def _asked(place: str, method: str, path: str, model: str = "") -> dict[str, Any]:
    body = {"model": model} if model else None
    with explained(place, model or "any model"):
        reply = httpx.request(method, place + path, json=body, **connection(place, read_seconds=30))
        if reply.status_code != 200:
            from ollama import ResponseError

            raise ResponseError(reply.text, reply.status_code)
        content: dict[str, Any] = dict(reply.json())
        return content


def _in_the_cloud(entry: dict[str, Any]) -> bool:
    tag = entry.get("name", "").rsplit(":", 1)[-1]
    return bool(entry.get("remote_host") or entry.get("remote_model")) or tag == "cloud" or tag.endswith("-cloud")


def _abilities(place: str, entry: dict[str, Any]) -> list[str]:
    """What the model can do: listed since 0.30, shown since 0.6.4, before that told from its family."""
    listed = entry.get("capabilities")
    if listed is None:
        listed = show_model(place, entry["name"]).get("capabilities")
    if listed is None:
        return ["embedding"] if _looks_like_embedder(entry) else ["completion"]
    return list(listed)


def _looks_like_embedder(entry: dict[str, Any]) -> bool:
    bare = bare_name(entry["name"])
    architecture = (entry.get("details") or {}).get("family", "")
    return architecture in _ENCODERS or "embed" in bare or any(f.name in bare for f in FAMILIES)


def _chat_model(entry: dict[str, Any]) -> ChatModel:
    details = entry.get("details") or {}
    return ChatModel(
        name=entry["name"],
        size=entry.get("size") or 0,
        parameters=details.get("parameter_size") or "",
        quantisation=details.get("quantization_level") or "",
    )
