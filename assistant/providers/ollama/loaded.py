"""What an Ollama server has in memory; loading a model before it is asked, and unloading it."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import httpx

from assistant.providers.ollama.address import address
from assistant.providers.ollama.loop import received
from assistant.providers.ollama.models import asked
from assistant.providers.ollama.server import KEEP_ALIVE, explained, explaining, open_async, refused
from assistant.serving import LoadedModel


def loaded(url: str = "") -> tuple[LoadedModel, ...]:
    """The models in memory, as /api/ps lists them; a model that is still loading is among them.

    Raises ModelUnavailable, BadReply.
    """
    place = address(url)
    with explained(place, "any model"):
        return tuple(_loaded(entry) for entry in asked(place, "GET", "/api/ps").get("models") or [])


def preload(
    url: str,
    model: str,
    window: int,
    embeds: bool = False,
    keep_alive: str = KEEP_ALIVE,
    cancel: threading.Event | None = None,
    seconds: float = 600.0,
) -> bool:
    """Whether the model is in memory now; False after `cancel`, which ends the loading.

    `window`: the num_ctx of the requests that follow, since another one would load the model again.
    Raises ModelUnavailable, BadReply.
    """
    body: dict[str, Any] = {"model": model, "keep_alive": keep_alive, "options": {"num_ctx": window}}
    path, empty = ("/api/embed", {"input": []}) if embeds else ("/api/chat", {"messages": [], "stream": False})

    async def work(tell: Callable[[bool], None]) -> None:
        place = address(url)
        async with open_async(place) as client, explaining(client, place, model):
            reply = await client.post(place + path, json=body | empty, timeout=httpx.Timeout(seconds, connect=5.0))
            if reply.status_code != 200:
                raise refused(reply.status_code, reply.text)
            tell(True)

    return any(received(work, cancel))


def unload(url: str, model: str, embeds: bool = False) -> None:
    """Puts the model out of memory. Raises ModelUnavailable, BadReply."""
    path, empty = ("/api/embed", {"input": []}) if embeds else ("/api/chat", {"messages": [], "stream": False})
    asked(address(url), "POST", path, {"model": model, "keep_alive": 0} | empty)


def _loaded(entry: dict[str, Any]) -> LoadedModel:
    size = entry.get("size") or 0
    return LoadedModel(
        name=entry["name"],
        size=size,
        on_gpu=min(1.0, (entry.get("size_vram") or 0) / size) if size else 0.0,
        context=entry.get("context_length") or None,
        until=_time(str(entry.get("expires_at") or "")),
    )


def _time(text: str) -> datetime | None:
    """A time of the server; None where it means never. Go writes nine digits of a second, Python reads six."""
    try:
        read = datetime.fromisoformat(re.sub(r"(\.\d{6})\d+", r"\1", text))
    except ValueError:
        return None
    read = read if read.tzinfo else read.replace(tzinfo=UTC)
    return None if read.year > 2200 or read.year < 1970 else read
