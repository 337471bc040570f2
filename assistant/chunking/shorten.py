"""Texts within so many tokens, in whole sentences."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from assistant.chunking.sentences import sentences
from assistant.tokens import tokens

GAP = " … "


def shorten(text: str, most: int, count: Callable[[str], int], about: Collection[str] = ()) -> str:
    """The text in at most `most` tokens as `count` counts them; "" when there is room for none.

    Sentences that hold most of the terms `about` stay, of equal ones the first; they keep their order, and a gap is
    shown. When not even one fits, the best is cut at its end.
    """
    if count(text) <= most:
        return text
    parts = [text[a:b] for a, b in sentences(text)]
    wanted = frozenset(about)
    held = [len(wanted.intersection(tokens(part))) if wanted else 0 for part in parts]
    ranked = sorted(range(len(parts)), key=lambda i: (-held[i], i))
    kept, room = set[int](), most - count(GAP)
    for i in ranked:
        cost = count(parts[i] + GAP)
        if cost <= room:
            kept.add(i)
            room -= cost
    if not kept:
        return _cut(parts[ranked[0]], most, count) if ranked else ""
    return _joined(parts, sorted(kept))


def _joined(parts: list[str], kept: list[int]) -> str:
    text = "" if kept[0] == 0 else GAP.lstrip()
    for i, following in zip(kept, [*kept[1:], -1], strict=True):
        text += parts[i] + (" " if following == i + 1 else GAP if following > 0 else "")
    return text if kept[-1] == len(parts) - 1 else text + GAP.rstrip()


def _cut(sentence: str, most: int, count: Callable[[str], int]) -> str:
    """The longest beginning of the sentence that fits."""
    low, high = 0, len(sentence)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count(sentence[:middle]) <= most else (low, middle - 1)
    return sentence[:low].rstrip()


def fitted(texts: Sequence[str], room: int, count: Callable[[str], int], about: Collection[str] = ()) -> list[str]:
    """The texts, in their order, in `room` tokens together: the long ones share evenly what the short ones leave."""
    fits = dict[int, str]()
    for left, i in zip(range(len(texts), 0, -1), sorted(range(len(texts)), key=lambda i: count(texts[i])), strict=True):
        fits[i] = shorten(texts[i], room // left, count, about)
        room -= count(fits[i])
    return [fits[i] for i in range(len(texts))]
