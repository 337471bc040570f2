"""What the stand-in server has: models as Ollama lists, shows, loads and pulls them."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

FOREVER = datetime(2318, 3, 1, tzinfo=UTC)
_UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600}


@dataclass(frozen=True)
class Model:
    """An installed model; `capabilities` None = a server older than 0.6.4. Layers and heads as in qwen3:4b."""

    capabilities: tuple[str, ...] | None = ("completion",)
    listed: bool = True  # capabilities and lengths in /api/tags, since 0.30
    family: str = "qwen3"
    context: int = 40960
    dimension: int = 8
    remote_host: str = ""
    size: int = 2_500_000_000
    parameters: str = "4B"
    quantisation: str = "Q4_K_M"
    layers: int = 36
    kv_heads: int = 8
    head_length: int = 128
    digest: str = ""  # "" = follows from the name; another one = the model was pulled anew

    def can(self, ability: str) -> bool:
        """Whether it has this capability; a server too old to know says yes."""
        return self.capabilities is None or ability in self.capabilities

    def memory(self, num_ctx: int) -> int:
        """Bytes when loaded: the file and a tenth, and two halves of f16 for each token, layer and head."""
        per_token = 2 * 2 * self.layers * self.kv_heads * self.head_length
        return int(self.size * 1.1) + num_ctx * (per_token if self.can("completion") else 0)


@dataclass
class Loaded:
    """A model in memory, with the window really allocated."""

    name: str
    model: Model
    num_ctx: int
    until: datetime

    @property
    def size(self) -> int:
        return self.model.memory(self.num_ctx)


@dataclass(frozen=True)
class Pullable:
    """A model of the library: its layers as (what it is called, bytes). The digest follows from the name."""

    model: Model = Model()
    layers: tuple[tuple[str, int], ...] = (("weights", 1_000_000), ("license", 1_200), ("params", 80))

    def digests(self) -> list[tuple[str, int]]:
        return [("sha256:" + hashlib.sha256(name.encode()).hexdigest(), total) for name, total in self.layers]


def tagged(name: str) -> str:
    """The name as it is listed."""
    name = name.lower()
    return name if ":" in name.rsplit("/", 1)[-1] else f"{name}:latest"


def digest_of(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


def details(model: Model) -> dict[str, Any]:
    return {
        "parent_model": "",
        "format": "gguf",
        "family": model.family,
        "families": [model.family],
        "parameter_size": model.parameters,
        "quantization_level": model.quantisation,
    }


def listed(name: str, model: Model) -> dict[str, Any]:
    """The entry of /api/tags."""
    entry: dict[str, Any] = {
        "name": name,
        "model": name,
        "modified_at": "2026-08-21T10:00:00Z",
        "size": model.size,
        "digest": model.digest or digest_of(name),
        "details": details(model),
    }
    if model.listed and model.capabilities is not None:
        entry["capabilities"] = list(model.capabilities)
        entry["details"] |= {"context_length": model.context, "embedding_length": model.dimension}
    if model.remote_host:
        entry["remote_host"] = model.remote_host
    return entry


def shown(model: Model) -> dict[str, Any]:
    """The reply of /api/show."""
    info = {
        "general.architecture": model.family,
        f"{model.family}.context_length": model.context,
        f"{model.family}.embedding_length": model.dimension,
        f"{model.family}.block_count": model.layers,
        f"{model.family}.attention.head_count": 4 * model.kv_heads,
        f"{model.family}.attention.head_count_kv": model.kv_heads,
        f"{model.family}.attention.key_length": model.head_length,
        f"{model.family}.attention.value_length": model.head_length,
    }
    reply: dict[str, Any] = {
        "details": details(model),
        "model_info": info,
        "parameters": "",
        "template": "{{ .Prompt }}",
    }
    if model.capabilities is not None:
        reply["capabilities"] = list(model.capabilities)
    if model.remote_host:
        reply["remote_host"] = model.remote_host
    return reply


def in_memory(loaded: Loaded, vram: int) -> dict[str, Any]:
    """The entry of /api/ps; with `vram` bytes of graphics memory."""
    return {
        "name": loaded.name,
        "model": loaded.name,
        "size": loaded.size,
        "digest": digest_of(loaded.name),
        "details": details(loaded.model),
        "expires_at": loaded.until.isoformat(),
        "size_vram": min(loaded.size, vram),
        "context_length": loaded.num_ctx,
    }


def kept_until(keep_alive: Any) -> datetime:
    """When a model with this keep_alive is unloaded. Raises ValueError with Go's own words."""
    if keep_alive is None:
        keep_alive = "5m"
    if isinstance(keep_alive, str):
        parts = re.fullmatch(r"(-?\d+)(ms|s|m|h)", keep_alive)
        if parts is None:
            raise ValueError(f'time: missing unit in duration "{keep_alive}"')
        keep_alive = int(parts[1]) * _UNITS[parts[2]]
    return FOREVER if keep_alive < 0 else datetime.now(UTC) + timedelta(seconds=keep_alive)
