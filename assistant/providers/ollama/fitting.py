"""Whether models fit into the server's memory, and which to use there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from assistant.providers.ollama.address import address
from assistant.providers.ollama.families import embedding_window, with_tag
from assistant.providers.ollama.memory import USUAL_PER_TOKEN, bytes_per_token, needs
from assistant.providers.ollama.models import details
from assistant.providers.ollama.recommended import EMBEDDERS, Known, advised_chats, advised_embedders, known, window_for
from assistant.serving import Advice, Fit, InstalledModel, InstalledModels, LoadedModel, Memory

# of all memory; the system itself needs the rest
USABLE = 0.9


def named(installed: InstalledModels, model: str) -> InstalledModel | None:
    """The installed model of this name, with or without ":latest"; None when there is none."""
    wanted = with_tag(model)
    return next((entry for entry in installed.models if with_tag(entry.name) == wanted), None)


def window_of(installed: InstalledModels, model: str, setting: int) -> int:
    """The num_ctx that requests to this model carry: its own limit where that is less than ours."""
    found = named(installed, model)
    if found is not None and "embedding" in found.abilities:
        return embedding_window(model)
    return min(setting, (found.context if found is not None else None) or setting)


def needs_of(url: str, model: InstalledModel, window: int) -> int:
    """Bytes of memory for this model with a window of so many tokens."""
    window = min(window, model.context or window)
    per_token = bytes_per_token(details(address(url), model.name, model.digest))
    return needs(model.size, window, USUAL_PER_TOKEN if per_token is None else per_token)


def fit(
    url: str, installed: InstalledModels, loaded: Sequence[LoadedModel], model: str, window: int, memory: Memory
) -> Fit:
    """Whether this model can be loaded now. Never raises for a model that is not there."""
    found, entry = named(installed, model), known(model)
    if found is not None:
        needed = needs_of(url, found, window)
    elif entry is not None:
        needed = needs(entry.size, window, entry.per_token)
    else:
        why = f"{model} is not installed, so what it needs is not known."
        return Fit(name=model, window=window, needs=0, state="unknown", why=why)
    now = next((m for m in loaded if with_tag(m.name) == with_tag(model) and (m.context or window) >= window), None)
    if now is not None:
        why = f"{model} is loaded and takes {gigabytes(now.size)}."
        return Fit(name=model, window=window, needs=now.size, state="fits", why=why)
    state, rest = _room(needed, memory, url)
    why = f"{model} needs about {gigabytes(needed)} of memory with a window of {window} tokens{rest}"
    return Fit(name=model, window=window, needs=needed, state=state, why=why)


def _room(needed: int, memory: Memory, url: str) -> tuple[Literal["fits", "tight", "too_large", "unknown"], str]:
    """The state, and the end of the sentence."""
    if not memory.of_server:
        return "unknown", f"; how much {address(url)} has is not known here."
    if needed > USABLE * memory.total:
        return "too_large", f", and this machine has {gigabytes(memory.total)}; choose a smaller model or window."
    free = f"{gigabytes(memory.available)} of {gigabytes(memory.total)} are free"
    if needed > memory.available:
        return "tight", f", and only {free}; close other programs, or choose a smaller model or window."
    return "fits", f"; {free}."


def advice(url: str, installed: InstalledModels, memory: Memory) -> Advice:
    """What to use, by the memory of the server's machine; of another machine, what is installed there."""
    total = memory.total if memory.of_server else 0
    why = (
        f"This machine has {gigabytes(total)} of memory, which chat and embedding model share."
        if total
        else f"Ollama runs on another machine ({address(url)}), whose memory is not known here."
    )
    wanted = window_for(memory.total)

    def need(model: InstalledModel | Known) -> tuple[int, int]:
        embeds = model in EMBEDDERS or (isinstance(model, InstalledModel) and "embedding" in model.abilities)
        window = embedding_window(model.name) if embeds else wanted
        if isinstance(model, Known):
            return needs(model.size, window, model.per_token), window
        window = min(window, model.context or window)
        return needs_of(url, model, window), window

    embedders = advised_embedders(installed.models, total, need)
    chats = advised_chats(installed.models, total, embedders[0].needs if embedders else 0, need)
    return Advice(memory=memory, chat=chats, embedding=embedders, why=why)


def gigabytes(size: float) -> str:
    """ "2.5 GB"; 1 GB = 10⁹ bytes, as Ollama and shops count."""
    return f"{size / 1e9:.1f} GB"
