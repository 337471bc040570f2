"""Which models to use on which machine, for Chinese and English; what is installed comes first."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assistant.providers.ollama.families import bare_name, with_tag
from assistant.serving import Advised, InstalledModel

_GIB = 1024**3
# of the machine's memory: for both models, and for the one that embeds; the rest is for the system and other programs
_SHARE, _EMBEDDER_SHARE = 0.8, 0.3
# a smaller file is a model too weak to cite well
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


# the bytes of memory that a model needs, and the window (num_ctx) meant
Needs = Callable[[InstalledModel | Known], tuple[int, int]]

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


def advised_embedders(installed: Sequence[InstalledModel], total: int, needs_of: Needs) -> tuple[Advised, ...]:
    """Embedding models for Chinese and English on a machine with `total` bytes of memory (0: not known), best first."""
    own = [m for m in installed if "embedding" in m.abilities and not m.english_only]
    room = _EMBEDDER_SHARE * total if total else math.inf
    return _advised(own, _suited(EMBEDDERS, total), room, EMBEDDERS, needs_of, 0)


def advised_chats(installed: Sequence[InstalledModel], total: int, beside: int, needs_of: Needs) -> tuple[Advised, ...]:
    """Chat models, best first, that leave room for `beside`: the bytes of the embedding model."""
    own = [m for m in installed if "chat" in m.abilities and not m.thinking_only]
    room = _SHARE * total - beside if total else math.inf
    return _advised(own, _suited(CHATS, total), room, CHATS, needs_of, _CAPABLE_BYTES)


def _advised(
    own: Sequence[InstalledModel],
    suited: Sequence[Known],
    room: float,
    table: Sequence[Known],
    needs_of: Needs,
    capable: int,
) -> tuple[Advised, ...]:
    """Those installed, a better one to download, and last the installed ones that are too weak."""
    fitting = [m for m in sorted(own, key=lambda m: (_rank(m.name, table), -m.size)) if needs_of(m)[0] <= room]
    good = [m for m in fitting if m.size >= capable]
    best = _rank(good[0].name, table) if good else len(table) + 1
    better = [entry for entry in suited[:1] if table.index(entry) < best]
    return (
        *(_installed(m, table, needs_of) for m in good),
        *(_new(entry, needs_of) for entry in better),
        *(_installed(m, table, needs_of) for m in fitting if m not in good),
    )


def _suited(table: Sequence[Known], total: int) -> list[Known]:
    """The entries for a machine with so much memory; none when it is not known."""
    return [entry for entry in table if total and entry.from_gib * _GIB <= total]


def _installed(model: InstalledModel, table: Sequence[Known], needs_of: Needs) -> Advised:
    entry = next((e for e in table if _is_build_of(model.name, e)), None)
    reason = entry.why if entry is not None else "not among those known here; try it on your own questions"
    needed, window = needs_of(model)
    why = f"Installed: {reason}."
    return Advised(name=model.name, installed=True, size=model.size, needs=needed, window=window, why=why)


def _new(entry: Known, needs_of: Needs) -> Advised:
    needed, window = needs_of(entry)
    why = f"To download: {entry.why}."
    return Advised(name=entry.name, installed=False, size=entry.size, needs=needed, window=window, why=why)


def _rank(model: str, table: Sequence[Known]) -> int:
    return next((n for n, entry in enumerate(table) if _is_build_of(model, entry)), len(table))


def _is_build_of(model: str, entry: Known) -> bool:
    if ":" not in entry.name:
        return bare_name(model) == entry.name
    name = with_tag(model).rsplit("/", 1)[-1]
    return name == entry.name or name.startswith(f"{entry.name}-")
