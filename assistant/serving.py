"""The records of a model server: whether it answers, what it has, what is loaded, what fits, and how a pull goes on."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from assistant.trace import Record

Ability = Literal["chat", "embedding", "tools", "thinking", "vision"]


class ServerState(Record):
    """Whether the server answers. `why`: one sentence when it does not, "" when it does.

    `action`: what helps: start it, correct the address (or proxy), update it. `leaves_machine`: what is sent to this
    address leaves this machine.
    """

    reachable: bool
    url: str
    version: str = ""
    leaves_machine: bool = False
    why: str = ""
    action: Literal["", "start", "correct_address", "update"] = ""


class InstalledModel(Record):
    """A model on the server. `size`: its file in bytes; `context`: tokens it was made for, None = unknown.

    `dimension`: numbers in a vector, for those that embed. `digest`: its first 12 digits. `parameters` and
    `quantisation` as the server writes them ("4B", "Q4_K_M").
    """

    name: str
    size: int = Field(default=0, ge=0)
    context: int | None = None
    dimension: int | None = None
    abilities: tuple[Ability, ...] = ()
    parameters: str = ""
    quantisation: str = ""
    family: str = ""
    english_only: bool = False
    thinking_only: bool = False
    digest: str = ""


class InstalledModels(Record):
    """The models that run on the server itself, as it lists them; `cloud`: how many others run elsewhere, not shown."""

    models: tuple[InstalledModel, ...] = ()
    cloud: int = Field(default=0, ge=0)

    def that_can(self, ability: Ability) -> tuple[InstalledModel, ...]:
        """Those with this ability."""
        return tuple(model for model in self.models if ability in model.abilities)


class LoadedModel(Record):
    """A model in memory. `size` in bytes; `on_gpu`: its share on the graphics card, 0–1; `context`: tokens really
    allocated; `until`: when it is unloaded unless it is used, None = never."""

    name: str
    size: int = Field(default=0, ge=0)
    on_gpu: float = Field(default=0.0, ge=0, le=1)
    context: int | None = None
    until: datetime | None = None


class Memory(Record):
    """This machine's memory in bytes. `of_server`: the server runs here, so that this is the memory it has."""

    total: int = Field(ge=0)
    available: int = Field(ge=0)
    of_server: bool = True


class Fit(Record):
    """Whether a model can be loaded. `needs`: bytes of memory with this window; `why`: one sentence.

    `state`: fits; tight = only after other programs give memory back; too_large; unknown = the server is elsewhere or
    does not say enough.
    """

    name: str
    window: int
    needs: int = Field(ge=0)
    state: Literal["fits", "tight", "too_large", "unknown"]
    why: str


class Advised(Record):
    """A model to use on this machine. `size`: bytes to download, `needs`: bytes of memory with `window`."""

    name: str
    installed: bool
    size: int = Field(ge=0)
    needs: int = Field(ge=0)
    window: int
    why: str


class Advice(Record):
    """What to use, best first. `why`: what the choice stands on."""

    memory: Memory
    chat: tuple[Advised, ...] = ()
    embedding: tuple[Advised, ...] = ()
    why: str = ""


class ModelWarning(Record):
    """Something about the chosen models that the person should know, in one sentence.

    `kind`: missing, no_chat (it cannot write answers), english_only, thinking_only, memory (chat and embedding model do
    not fit together), evict (seen to put each other out), window (another one is allocated than asked for, or the model
    has less), partly_gpu, unreachable. `action`: what would help.
    """

    kind: Literal[
        "missing",
        "no_chat",
        "english_only",
        "thinking_only",
        "memory",
        "evict",
        "window",
        "partly_gpu",
        "unreachable",
    ]
    model: str
    why: str
    action: Literal["", "pull", "choose", "smaller_window", "unload", "start"] = ""


class PullProgress(Record):
    """How far a pull is, over all its files. `done`, `total` in bytes: `total` grows while files become known.

    `rate`: bytes per second of late, None = not known yet; `seconds_left`: None when it cannot be told.
    `stalled`: nothing has come for a while, as `why` says; it still waits. `state`: failed ones are raised instead.
    """

    name: str
    state: Literal["pulling", "done", "stopped"] = "pulling"
    status: str = ""
    done: int = Field(default=0, ge=0)
    total: int = Field(default=0, ge=0)
    rate: float | None = None
    seconds_left: float | None = None
    stalled: bool = False
    why: str = ""
