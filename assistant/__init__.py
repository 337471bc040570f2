"""Glassbox: ask your own files; every answer shows how it was found.

Files → documents (readers) → chunks (chunking) → store → routes → fusion → rerank → confidence → decision
→ (rewrite → routes …) → answer → trace → panels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assistant.errors import AssistantError
from assistant.settings import Settings
from assistant.trace import Trace, Turn

if TYPE_CHECKING:
    from assistant.assistant import Assistant
    from assistant.query_engine import AssistantQueryEngine

__all__ = ["Assistant", "AssistantError", "AssistantQueryEngine", "Settings", "Trace", "Turn"]

_LATER = {"Assistant": "assistant.assistant", "AssistantQueryEngine": "assistant.query_engine"}


def __getattr__(name: str) -> Any:
    # LlamaIndex takes seconds to import: a saved trace must open without it
    if name not in _LATER:
        raise AttributeError(f"module 'assistant' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LATER[name]), name)
