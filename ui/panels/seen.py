"""What was last seen of the model server, as the models screen draws it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assistant.serving import Advice, InstalledModels, LoadedModel, Memory, ModelWarning, ServerState

if TYPE_CHECKING:
    from assistant.reembed import Index


@dataclass(frozen=True)
class Seen:
    """One look at the server, and at the `indexes` of the base. `server` None: not looked yet.

    `wished`: the embedding model that the settings ask for in vain, as "provider:name". `trouble`: the sentence of what
    could not be read.
    """

    server: ServerState | None = None
    memory: Memory | None = None
    installed: InstalledModels | None = None
    loaded: tuple[LoadedModel, ...] = ()
    warnings: tuple[ModelWarning, ...] = ()
    advice: Advice | None = None
    indexes: tuple[Index, ...] = ()
    wished: str = ""
    trouble: str = ""

    @property
    def embedder(self) -> str:
        """The model that this base has on the server, "" for none."""
        return next((i.model for i in self.indexes if i.current and i.provider == "ollama"), "")

    @property
    def reachable(self) -> bool:
        """Whether the server answered."""
        return self.server is not None and self.server.reachable

    @property
    def away(self) -> str:
        """The address when it is not this machine's, else ""."""
        return self.server.url if self.server is not None and self.server.leaves_machine else ""


@dataclass(frozen=True)
class Use:
    """What the models are used for now: the `chat` model of this page, "" for quotes; the `embedder` that this
    knowledge base has on the server, "" for none; those that are `loading`; the one `not_loaded`, and why."""

    chat: str = ""
    embedder: str = ""
    loading: tuple[str, ...] = ()
    not_loaded: str = ""
    why: str = ""


def same(one: str, other: str) -> bool:
    """Whether two names mean the same model: the tag "latest" may be left out."""
    return bool(one and other) and one.lower().removesuffix(":latest") == other.lower().removesuffix(":latest")
