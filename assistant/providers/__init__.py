"""The models: embedders turn text into vectors, chat models write.

Importing this package loads no model and none of their libraries; each provider is imported when it is chosen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assistant.providers.identity import EmbedderIdentity
from assistant.registry import Registry

if TYPE_CHECKING:
    from assistant.providers.chat import Chat
    from assistant.providers.embedder import Embedder

EMBEDDERS: Registry[Embedder] = Registry(
    "embedding provider",
    {
        "embedded": "assistant.providers.embedded:build",
        "ollama": "assistant.providers.ollama.embedding:build",
    },
)

CHATS: Registry[Chat] = Registry("chat provider", {"ollama": "assistant.providers.ollama.chat:build"})

__all__ = ["CHATS", "EMBEDDERS", "Embedder", "EmbedderIdentity"]


def __getattr__(name: str) -> Any:
    # Embedder subclasses LlamaIndex's BaseEmbedding, whose import takes a second
    if name == "Embedder":
        from assistant.providers.embedder import Embedder

        return Embedder
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
