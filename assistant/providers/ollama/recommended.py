"""Which models to use on which machine, for Chinese and English; what is installed comes first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assistant.providers.ollama.families import bare_name, with_tag
from assistant.providers.ollama.memory import needs
from assistant.serving import Advised, InstalledModel

Needs = Callable[[InstalledModel, int], int]

_GIB = 1024**3
# of the machine's memory for both models; the rest is for the system, the browser and this program
_SHARE = 0.8
# a smaller file is a model too weak to cite; it is named after those that are worth a download
_CAPABLE_BYTES = 2_000_000_000


@dataclass(frozen=True)
class Known:
    """A model of Ollama's library. `size`: bytes to download; `per_token`: bytes of keys and values for each token.

    `from_gib`: the machine it is for, by its memory in GiB.
    """

    name: str
    size: int
    per_token: int
    from_gib: float
    why: str


# a machine of 8, 16 or 32 GB reports somewhat less. The best first
CHATS = (
    Known("qwen3:14b", 9_300_000_000, 163_840, 28, "the best answers of those that leave room for an embedding model"),
    Known("qwen3:8b", 5_200_000_000, 147_456, 14, "good Chinese and English, and its thinking can be left off"),
    Known("qwen3:4b-instruct", 2_500_000_000, 147_456, 7, "good Chinese and English for its size, without thinking"),
    Known("qwen3:1.7b", 1_400_000_000, 114_688, 0, "the smallest that still cites, though weakly"),
)
EMBEDDERS = (
    Known("qwen3-embedding:4b", 2_500_000_000, 147_456, 28, "finds best, and takes the longest to index"),
    Known("bge-m3", 1_200_000_000, 0, 14, "strong in Chinese and English, and reads long passages"),
    Known("embeddinggemma", 622_000_000, 0, 0, "light, for more than 100 languages"),
)


def window_for(total: int) -> int:
    """The window (num_ctx) for a machine with so many bytes of memory."""
    return 8192 if total >= 14 * _GIB else 4096


def known(model: str) -> Known | None:
    """The entry that this model is a build of: qwen3:8b for "qwen3:8b-q8_0"."""
    return next((entry for entry in (*CHATS, *EMBEDDERS) if _is_build_of(model, entry)), None)


def advised_chats(installed: Sequence[InstalledModel], total: int, window: int, needs_of: Needs) -> tuple[Advised, ...]:
    """Chat models for a machine with `total` bytes of memory, best first."""
    own = [m for m in installed if "chat" in m.abilities and not m.thinking_only]
    return _advised(own, CHATS, total, window, needs_of, _CAPABLE_BYTES)


def advised_embedders(
    installed: Sequence[InstalledModel], total: int, window: int, needs_of: Needs
) -> tuple[Advised, ...]:
    """Embedding models for Chinese and English, best first."""
    own = [m for m in installed if "embedding" in m.abilities and not m.english_only]
    return _advised(own, EMBEDDERS, total, window, needs_of, 0)


def _advised(
    own: Sequence[InstalledModel], table: Sequence[Known], total: int, window: int, needs_of: Needs, capable: int
) -> tuple[Advised, ...]:
    ranked = sorted(own, key=lambda model: (_rank(model.name, table), -model.size))
    fitting = [_installed(m, table, window, needs_of) for m in ranked if needs_of(m, window) <= _SHARE * total]
    good = [a for a in fitting if a.size >= capable]
    new = [_new(entry, window) for entry in _suited(table, total) if not any(_is_build_of(m.name, entry) for m in own)]
    return (*good, *new[:1], *(a for a in fitting if a.size < capable))


def _suited(table: Sequence[Known], total: int) -> list[Known]:
    return [entry for entry in table if entry.from_gib * _GIB <= total]


def _installed(model: InstalledModel, table: Sequence[Known], window: int, needs_of: Needs) -> Advised:
    entry = next((e for e in table if _is_build_of(model.name, e)), None)
    reason = entry.why if entry is not None else "it fits into this machine's memory"
    return Advised(
        name=model.name,
        installed=True,
        size=model.size,
        needs=needs_of(model, window),
        window=window,
        why=f"Installed: {reason}.",
    )


def _new(entry: Known, window: int) -> Advised:
    return Advised(
        name=entry.name,
        installed=False,
        size=entry.size,
        needs=needs(entry.size, window, entry.per_token),
        window=window,
        why=f"To download: {entry.why}.",
    )


def _rank(model: str, table: Sequence[Known]) -> int:
    return next((n for n, entry in enumerate(table) if _is_build_of(model, entry)), len(table))


def _is_build_of(model: str, entry: Known) -> bool:
    if ":" not in entry.name:
        return bare_name(model) == entry.name
    name = with_tag(model).rsplit("/", 1)[-1]
    return name == entry.name or name.startswith(f"{entry.name}-")
