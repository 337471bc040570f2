"""Texts into vectors so that one bad text costs nobody else theirs: found by halving, split where too long."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assistant.errors import AssistantError, BadReply, TextTooLong

Vectors = NDArray[np.float32]
Embed = Callable[[Sequence[str]], Vectors]

_LEAST = 16  # characters; what is refused at this length is not refused for its length
_BREAKS = (re.compile(r"\n\s*"), re.compile(r"[。！？；][」』”’）]*|[.!?;]\s+"), re.compile(r"[，、,]|\s+"))


@dataclass(frozen=True)
class Made:
    """What became of a text: its vector, of length 1 and the mean of those of `parts` pieces; or why there is none."""

    vector: Vectors | None
    parts: int = 1
    reason: str = ""


def make(texts: Sequence[str], embed: Embed, too_long: Callable[[str], bool]) -> list[Made]:
    """One for each text, in order. `too_long`: known before the model is asked; those go in parts at once.

    `embed` raises TextTooLong or BadReply for a batch with a text that it cannot take. Other errors pass through: they
    are the model's, not a text's.
    """
    long = [too_long(text) for text in texts]
    whole = iter(halved([text for text, is_long in zip(texts, long, strict=True) if not is_long], embed))
    return [
        _finished(text, None if is_long else next(whole), embed, too_long)
        for text, is_long in zip(texts, long, strict=True)
    ]


def halved(texts: Sequence[str], embed: Embed) -> list[Vectors | AssistantError]:
    """The vector of each text or what is wrong with it. A batch that fails is tried again in halves."""
    if not texts:
        return []
    try:
        return list(embed(texts))
    except (BadReply, TextTooLong) as err:
        if len(texts) == 1:
            return [err]
    middle = len(texts) // 2
    return [*halved(texts[:middle], embed), *halved(texts[middle:], embed)]


def _finished(text: str, found: Vectors | AssistantError | None, embed: Embed, too_long: Callable[[str], bool]) -> Made:
    if found is None or isinstance(found, TextTooLong):
        return _in_parts(text, embed, too_long)
    if isinstance(found, AssistantError):
        return Made(None, reason=str(found))
    return Made(found)


def _in_parts(text: str, embed: Embed, too_long: Callable[[str], bool]) -> Made:
    """The mean of the vectors of its pieces, at length 1."""
    try:
        pieces = [piece for half in halves(text) for piece in _vectors(half, embed, too_long)]
    except (BadReply, TextTooLong) as err:
        return Made(None, reason=str(err))
    total = np.sum(pieces, axis=0)
    length = float(np.linalg.norm(total))
    if not length:
        return Made(None, len(pieces), "The vectors of its parts cancel each other out.")
    return Made(np.asarray(total / length, np.float32), len(pieces))


def _vectors(text: str, embed: Embed, too_long: Callable[[str], bool]) -> list[Vectors]:
    if len(text) < _LEAST:
        return [embed([text])[0]]
    if not too_long(text):
        try:
            return [embed([text])[0]]
        except TextTooLong:
            pass
    return [vector for half in halves(text) for vector in _vectors(half, embed, too_long)]


def halves(text: str) -> tuple[str, str]:
    """The text in two, about in the middle: at the end of a line or sentence, else between words, else anywhere.

    Every character is in one of them, and neither is empty when the text has two characters.
    """
    low, high, middle = len(text) // 4, len(text) - len(text) // 4, len(text) // 2
    for breaks in _BREAKS:
        ends = [match.end() for match in breaks.finditer(text, low, high) if match.end() < len(text)]
        if ends:
            middle = min(ends, key=lambda end: abs(end - len(text) // 2))
            break
    return text[:middle], text[middle:]


def without_vector(ordinal: int, text: str, reason: str) -> str:
    """What is said of a chunk that the model gave no vector for; chunks are counted from 1."""
    start = " ".join(text[:60].split())
    return f"chunk {ordinal + 1} ({start!r}) could not be embedded: {reason}"
