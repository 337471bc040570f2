"""How much memory a model needs: its file and a tenth, its keys and values for each token, and half a gigabyte."""

from __future__ import annotations

from typing import Any

from assistant.providers.ollama.models import number_of

_SPARE = 500_000_000
# of a model that does not tell: 144 KiB, as the models of 4 and 8 billion parameters have
USUAL_PER_TOKEN = 147_456
# encoders read a text at once and keep nothing
_ENCODERS = ("bert", "xlm-roberta", "gemma-embedding", "gemma3-embedding")


def needs(size: int, window: int, per_token: int) -> int:
    """Bytes of memory for a model whose file has `size` bytes; an estimate, on the safe side."""
    return int(size * 1.1) + window * per_token + _SPARE


def bytes_per_token(shown: dict[str, Any]) -> int | None:
    """Bytes of keys and values (f16) for each token of the window, from /api/show; None when it does not tell."""
    info = shown.get("model_info") or {}
    architecture = str(info.get("general.architecture") or "")
    if any(name in architecture for name in _ENCODERS):
        return 0
    layers, heads = number_of(info, "block_count"), _heads(info)
    lengths = _lengths(info)
    if not layers or heads is None or lengths is None:
        return None
    # hybrid models have keys and values in some layers only, and tell so layer by layer
    over_layers = sum(heads) if isinstance(heads, list) else heads * layers
    return 2 * over_layers * lengths


def _heads(info: dict[str, Any]) -> int | list[int] | None:
    found = next((v for k, v in info.items() if k.endswith(".attention.head_count_kv")), None)
    if isinstance(found, list) and found and all(isinstance(n, int) for n in found):
        return found
    return found if isinstance(found, int) and found > 0 else number_of(info, "attention.head_count")


def _lengths(info: dict[str, Any]) -> int | None:
    """The numbers in a key and a value of one head."""
    width, heads = number_of(info, "embedding_length"), number_of(info, "attention.head_count")
    usual = width // heads if width and heads else None
    key = number_of(info, "attention.key_length") or usual
    value = number_of(info, "attention.value_length") or usual
    return key + value if key and value else None
