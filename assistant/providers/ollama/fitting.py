"""Whether models fit into the server's memory, and which to use there."""

from __future__ import annotations

from assistant.providers.ollama.address import address
from assistant.providers.ollama.families import embedding_window, with_tag
from assistant.providers.ollama.memory import USUAL_PER_TOKEN, bytes_per_token, needs
from assistant.providers.ollama.models import details
from assistant.providers.ollama.recommended import advised_chats, advised_embedders, known, window_for
from assistant.serving import Advice, Fit, InstalledModel, InstalledModels, Memory

# of all memory; the system itself needs the rest
_USABLE = 0.9


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


def fit(installed: InstalledModels, model: str, window: int, memory: Memory, url: str) -> Fit:
    """Whether this model can be loaded now. Never raises for a model that is not there."""
    found, entry = named(installed, model), known(model)
    if found is not None:
        needed = needs_of(url, found, window)
    elif entry is not None:
        needed = needs(entry.size, window, entry.per_token)
    else:
        why = f"{model} is not installed, so what it needs is not known."
        return Fit(name=model, window=window, needs=0, state="unknown", why=why)
    said = f"{model} needs about {gigabytes(needed)} of memory with a window of {window} tokens"
    if not memory.of_server:
        why = f"{said}; how much {address(url)} has is not known here."
        return Fit(name=model, window=window, needs=needed, state="unknown", why=why)
    if needed > _USABLE * memory.total:
        why = f"{said}, and this machine has {gigabytes(memory.total)}; choose a smaller model or window."
        return Fit(name=model, window=window, needs=needed, state="too_large", why=why)
    free = f"{gigabytes(memory.available)} of {gigabytes(memory.total)} are free"
    if needed > memory.available:
        why = f"{said}, and only {free}; close other programs, or choose a smaller model or window."
        return Fit(name=model, window=window, needs=needed, state="tight", why=why)
    return Fit(name=model, window=window, needs=needed, state="fits", why=f"{said}; {free}.")


def advice(installed: InstalledModels, memory: Memory, url: str) -> Advice:
    """What to use, by the memory of the server's machine; of another machine nothing is known."""
    if not memory.of_server:
        why = f"Ollama runs on another machine ({address(url)}), whose memory is not known here."
        return Advice(memory=memory, why=why)
    window = window_for(memory.total)

    def need(model: InstalledModel, tokens: int) -> int:
        embeds = "embedding" in model.abilities
        return needs_of(url, model, min(embedding_window(model.name), tokens) if embeds else tokens)

    return Advice(
        memory=memory,
        chat=advised_chats(installed.models, memory.total, window, need),
        embedding=advised_embedders(installed.models, memory.total, window, need),
        why=f"This machine has {gigabytes(memory.total)} of memory, which chat and embedding model share.",
    )


def gigabytes(size: float) -> str:
    """ "2.5 GB"; 1 GB = 10⁹ bytes, as Ollama and shops count."""
    return f"{size / 1e9:.1f} GB"
