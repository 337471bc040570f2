"""Whether a model is still being loaded or already reads the prompt."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Literal

import httpx

from assistant.providers.ollama.families import with_tag

_POLL_SECONDS = 1.0
_LOOK = httpx.Timeout(5.0)


async def follow_loading(
    client: httpx.AsyncClient, url: str, body: dict[str, Any], say: Callable[[Literal["loading", "reading"]], None]
) -> None:
    """Says "loading" while the model of this chat request is, then "reading"; nothing when the server cannot tell.

    /api/ps lists a model from the moment its loading begins (routes.go, PsHandler), so its listing alone does not say
    that it is loaded. A request for nothing but loading it returns when it is, and waits for no other answer.
    """
    try:
        listed = await _listed(client, url, body["model"])
        loaded = asyncio.create_task(_until_loaded(client, url, body))
        try:
            if listed:
                await asyncio.wait([loaded], timeout=_POLL_SECONDS)
            if not loaded.done():
                say("loading")
            await loaded
            say("reading")
        finally:
            loaded.cancel()
            await asyncio.wait([loaded])
    except (httpx.HTTPError, ValueError, TypeError, AttributeError):
        return  # the answer itself tells what is wrong with the server


async def _until_loaded(client: httpx.AsyncClient, url: str, body: dict[str, Any]) -> None:
    # another window would make the server load the model a second time; keep_alive is left as the chat sets it
    asked = {"model": body["model"], "options": {"num_ctx": body["options"]["num_ctx"]}, "stream": False}
    reply = await client.post(f"{url}/api/generate", json=asked)
    while reply.status_code != 200 and not await _listed(client, url, body["model"]):
        await asyncio.sleep(_POLL_SECONDS)


async def _listed(client: httpx.AsyncClient, url: str, model: str) -> bool:
    reply = await client.get(f"{url}/api/ps", timeout=_LOOK)
    if reply.status_code != 200:
        raise ValueError(f"status {reply.status_code}")
    wanted = with_tag(model)
    return any(with_tag(str(m.get("name", ""))) == wanted for m in reply.json().get("models") or [])
