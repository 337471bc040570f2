"""What a person should know of the chosen models: missing, unsuited, too large together, or with another window."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from assistant.providers.ollama.address import address
from assistant.providers.ollama.families import with_tag
from assistant.providers.ollama.fitting import USABLE, gigabytes, named, needs_of, window_of
from assistant.providers.ollama.models import cloud_model, named_for_the_cloud
from assistant.providers.ollama.server import missing_model, near_names
from assistant.serving import InstalledModel, InstalledModels, LoadedModel, Memory, ModelWarning


@dataclass(frozen=True)
class Chosen:
    """The two models ("" = none is used) on one server as it is now. `evicted`: out of memory before their time."""

    url: str
    window: int
    chat: str
    embedder: str
    installed: InstalledModels
    loaded: tuple[LoadedModel, ...]
    memory: Memory
    evicted: frozenset[str]

    def in_memory(self, model: str) -> LoadedModel | None:
        return next((entry for entry in self.loaded if with_tag(entry.name) == with_tag(model)), None)


def check(chosen: Chosen) -> tuple[ModelWarning, ...]:
    """All warnings, those about one model before those about both. Raises ModelUnavailable, BadReply."""
    return (*_chat(chosen), *_embedder(chosen), *_allocated(chosen), *_together(chosen))


def _chat(chosen: Chosen) -> Iterator[ModelWarning]:
    if not chosen.chat:
        return
    model = named(chosen.installed, chosen.chat)
    if model is None:
        yield _missing(chosen, chosen.chat, "chat")
    elif "chat" not in model.abilities:
        why = f"{chosen.chat} cannot write answers; choose a chat model."
        yield ModelWarning(kind="no_chat", model=chosen.chat, why=why, action="choose")
    elif model.thinking_only:
        why = (
            f"{chosen.chat} thinks at length before every answer and cannot be told not to; qwen3:4b-instruct does not."
        )
        yield ModelWarning(kind="thinking_only", model=chosen.chat, why=why, action="choose")


def _embedder(chosen: Chosen) -> Iterator[ModelWarning]:
    if not chosen.embedder:
        return
    model = named(chosen.installed, chosen.embedder)
    if model is None:
        yield _missing(chosen, chosen.embedder, "embedding")
    elif model.english_only:
        why = f"{chosen.embedder} reads English only; choose one for Chinese and English, such as bge-m3."
        yield ModelWarning(kind="english_only", model=chosen.embedder, why=why, action="choose")


def _missing(chosen: Chosen, model: str, ability: str) -> ModelWarning:
    if named_for_the_cloud(model):
        return ModelWarning(kind="missing", model=model, why=str(cloud_model(model)), action="choose")
    near = near_names(model, [entry.name for entry in chosen.installed.models if ability in entry.abilities])
    why = str(missing_model(address(chosen.url), model, near))
    return ModelWarning(kind="missing", model=model, why=why, action="pull")


def _allocated(chosen: Chosen) -> Iterator[ModelWarning]:
    """Whether the window is the one that is asked for: another one costs a reload at each change."""
    for model in (chosen.chat, chosen.embedder):
        found = named(chosen.installed, model) if model else None
        if found is None:
            continue
        wanted = window_of(chosen.installed, model, chosen.window)
        if model == chosen.chat and found.context and found.context < chosen.window:
            why = (
                f"{model} was made for {found.context} tokens and gets as many, not the {chosen.window} of the setting "
                "answering.window."
            )
            yield ModelWarning(kind="window", model=model, why=why)
        yield from _as_loaded(chosen, found, min(wanted, found.context or wanted))


def _as_loaded(chosen: Chosen, model: InstalledModel, wanted: int) -> Iterator[ModelWarning]:
    now = chosen.in_memory(model.name)
    if now is None:
        return
    if now.context is not None and now.context != wanted:
        why = (
            f"{model.name} is loaded with a window of {now.context} tokens, not the {wanted} asked for here; if "
            "another program uses it, it is loaded anew at each change."
        )
        yield ModelWarning(kind="window", model=model.name, why=why, action="unload")
    if 0 < now.on_gpu < 0.99:
        why = (
            f"Only {now.on_gpu:.0%} of {model.name} is on the graphics card, which makes it slow; choose a smaller "
            "model or window."
        )
        yield ModelWarning(kind="partly_gpu", model=model.name, why=why, action="smaller_window")


def _together(chosen: Chosen) -> Iterator[ModelWarning]:
    """Whether the two put each other out of memory, seen or foreseen."""
    chat, embedder = named(chosen.installed, chosen.chat), named(chosen.installed, chosen.embedder)
    if not chosen.chat or not chosen.embedder or chat is None or embedder is None:
        return
    if chosen.in_memory(chat.name) and chosen.in_memory(embedder.name):
        return
    for one, other in ((chat, embedder), (embedder, chat)):
        if with_tag(one.name) in chosen.evicted and chosen.in_memory(other.name):
            why = (
                f"{other.name} put {one.name} out of memory, so each question loads both anew; choose smaller models "
                "or a smaller window (setting answering.window)."
            )
            yield ModelWarning(kind="evict", model=one.name, why=why, action="smaller_window")
            return
    yield from _foreseen(chosen, chat, embedder)


def _foreseen(chosen: Chosen, chat: InstalledModel, embedder: InstalledModel) -> Iterator[ModelWarning]:
    on_gpu = any(entry.on_gpu > 0 for entry in chosen.loaded)
    if not chosen.memory.of_server or on_gpu:  # how much a graphics card has is not told
        return
    windows = [window_of(chosen.installed, model.name, chosen.window) for model in (chat, embedder)]
    needed = sum(needs_of(chosen.url, m, w) for m, w in zip((chat, embedder), windows, strict=True))
    if needed > USABLE * chosen.memory.total:
        why = (
            f"{chat.name} and {embedder.name} together need about {gigabytes(needed)} of memory and this machine has "
            f"{gigabytes(chosen.memory.total)}, so each puts the other out; choose smaller models or a smaller window "
            "(setting answering.window)."
        )
        yield ModelWarning(kind="memory", model=chat.name, why=why, action="smaller_window")
