"""Token estimates without a tokenizer, and which sources fit into a model's window."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.trace import Passage

SAFETY = 1.1  # errors of single texts average out over a whole prompt


def estimate_tokens(text: str) -> int:
    """About how many tokens a chat model makes of this text, rounded up; Chinese costs far more per character."""
    weights = (sum(_weight(c) for c in text)) * SAFETY
    return int(weights) + 1 if text else 0


def _weight(c: str) -> float:
    if "\u2e80" <= c <= "\u9fff" or "\uac00" <= c <= "\ud7af" or "\uf900" <= c <= "\uffef":
        return 0.85
    if c.isdigit():
        return 1.0
    if c.isalpha():
        return 0.22 if c.isascii() else 0.4
    return 0.05 if c.isspace() else 0.65


def fit(passages: Sequence[Passage], room: int) -> tuple[tuple[Passage, ...], tuple[Passage, ...]]:
    """(those that fit into `room` tokens, best first; those left out). At least one is kept."""
    kept: list[Passage] = []
    used = 0
    for passage in passages:
        cost = estimate_tokens(passage.text) + 20
        if kept and used + cost > room:
            break
        kept.append(passage)
        used += cost
    return tuple(kept), tuple(passages[len(kept) :])
