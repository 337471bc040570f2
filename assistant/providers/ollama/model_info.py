"""What an Ollama server tells of one model, as far as a chat depends on it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import httpx

from assistant.providers.ollama.families import with_tag
from assistant.providers.ollama.models import cloud_model, named_for_the_cloud
from assistant.providers.ollama.server import refused

# a model that was pulled anew may have another window; asking takes some ms
_KEPT_SECONDS = 300.0
_LOOK_SECONDS = 10.0


@dataclass(frozen=True)
class ModelInfo:
    """`context`: tokens that it was trained for, None when the server does not tell. `levels`: thinking takes a level
    instead of on and off. `remote`: it runs on ollama.com."""

    context: int | None = None
    levels: bool = False
    remote: bool = False

    def thinking(self) -> bool | str:
        """The `think` of a request: off, or as little as the model knows."""
        return "low" if self.levels else False


_known: dict[tuple[str, str], tuple[float, ModelInfo]] = {}


async def model_info(client: httpx.AsyncClient, url: str, model: str) -> ModelInfo:
    """From /api/show, kept for five minutes. Raises ModelUnavailable for one that runs elsewhere, `Refused`."""
    key = (url, with_tag(model))
    asked, info = _known.get(key, (0.0, None))
    if info is None or time.monotonic() - asked > _KEPT_SECONDS:
        # newer servers pass a name of the cloud on although no such model is installed
        if named_for_the_cloud(model):
            raise cloud_model(model)
        reply = await client.post(f"{url}/api/show", json={"model": model}, timeout=httpx.Timeout(_LOOK_SECONDS))
        if reply.status_code != 200:
            raise refused(reply.status_code, reply.text)
        info = _read(reply.json())
        if info.remote:
            raise cloud_model(model)
        _known[key] = (time.monotonic(), info)
    return info


def _read(shown: dict[str, Any]) -> ModelInfo:
    info = shown.get("model_info") or {}
    context = next((v for k, v in info.items() if k.endswith(".context_length") and isinstance(v, int)), None)
    architecture = str(info.get("general.architecture") or (shown.get("details") or {}).get("family") or "")
    return ModelInfo(
        context=context or None,
        levels=architecture.replace("-", "").startswith("gptoss"),
        remote=bool(shown.get("remote_host") or shown.get("remote_model")),
    )
