"""The budget: what of rules, question, sources and earlier turns fits into a model's window, counted by us."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from assistant.chunking.shorten import GAP, shorten
from assistant.errors import TextTooLong
from assistant.trace import Passage, Turn

PER_MESSAGE, PER_PROMPT = 8, 20  # what a chat template adds, about
QUESTION_SHARE = HISTORY_SHARE = 0.25
LEAST_OF_A_SOURCE = 80  # tokens: less of a passage is a scrap that misleads

Count = Callable[[str], int]


@dataclass(frozen=True)
class Spent:
    """What is sent, and what is not. `sources`: passages with their text as sent, best first."""

    question: str
    sources: tuple[tuple[Passage, str], ...]
    history: tuple[Turn, ...]
    left_out: tuple[str, ...]
    shortened: tuple[str, ...]
    tokens: dict[str, int]


def answer_reserve(window: int, most: int) -> int:
    """Tokens kept free for the answer: a quarter of the window, never more than the longest answer wanted."""
    return min(most, max(256, window // 4))


def margin(window: int) -> int:
    """Tokens left alone because an estimate may be wrong: 3 % of the window, at least 64."""
    return max(64, window * 3 // 100)


def spend(
    window: int,
    most: int,
    count: Count,
    rules: str,
    question: str,
    passages: Sequence[Passage],
    shown: Callable[[int, Passage, str], str],
    history: Sequence[Turn] = (),
    about: Collection[str] = (),
) -> Spent:
    """How a window of so many tokens is spent: rules, question, sources from the best down, then the newest turns.

    `most`: tokens of the longest answer; `shown`: a source as it is sent (number, passage, its text). The question gets
    at most a quarter, earlier turns too; the best source is always there, cut if need be. Raises TextTooLong when not
    even that fits.
    """
    reserve, spare = answer_reserve(window, most), margin(window)
    template = PER_PROMPT + 2 * PER_MESSAGE
    whole = window - reserve - spare - template
    asked = _cut(question, int(whole * QUESTION_SHARE), count)
    room = whole - count(rules) - count(asked)
    if room < LEAST_OF_A_SOURCE:
        raise TextTooLong(
            f"A window of {window} tokens has no room for a source beside rules and answer; "
            "choose a larger one (setting answering.window).",
            tokens=window - room + LEAST_OF_A_SOURCE,
            limit=window,
        )
    sources, shortened, used = _sources(passages, shown, room, count, about)
    turns = _turns(history, min(room - used, int(whole * HISTORY_SHARE)), count)
    return Spent(
        question=asked,
        sources=sources,
        history=turns,
        left_out=tuple(p.chunk_id for p in passages[len(sources) :]),
        shortened=shortened,
        tokens={
            "rules": count(rules) + template,
            "history": sum(_turn(t, count) for t in turns),
            "evidence": used,
            "question": count(asked),
            "reserve": reserve,
            "margin": spare,
        },
    )


def _cut(question: str, most: int, count: Count) -> str:
    """The question; of one too long its beginning and its end, where what is wanted mostly stands."""
    low, high = 0, len(question)
    while low < high:
        kept = (low + high + 1) // 2
        low, high = (kept, high) if count(_ends(question, kept)) <= most else (low, kept - 1)
    return _ends(question, low)


def _ends(question: str, kept: int) -> str:
    if kept >= len(question):
        return question
    half = kept // 2
    return question[:half].rstrip() + GAP + question[len(question) - half :].lstrip()


def _sources(
    passages: Sequence[Passage],
    shown: Callable[[int, Passage, str], str],
    room: int,
    count: Count,
    about: Collection[str],
) -> tuple[tuple[tuple[Passage, str], ...], tuple[str, ...], int]:
    """(those that fit, the one that was shortened to fit, tokens used)."""
    kept: list[tuple[Passage, str]] = []
    used = 0
    for number, passage in enumerate(passages, 1):
        whole = shown(number, passage, passage.text)
        if used + count(whole) <= room:
            kept.append((passage, passage.text))
            used += count(whole)
            continue
        left = room - used - count(shown(number, passage, "")) - 2
        if kept and left < LEAST_OF_A_SOURCE:
            break
        text = shorten(passage.text, max(0, left), count, about)
        if not text:
            break
        kept.append((passage, text))
        return tuple(kept), (passage.chunk_id,), used + count(shown(number, passage, text))
    return tuple(kept), (), used


def _turns(history: Sequence[Turn], room: int, count: Count) -> tuple[Turn, ...]:
    """The newest turns that fit, oldest first."""
    kept: list[Turn] = []
    for turn in reversed(history):
        room -= _turn(turn, count)
        if room < 0:
            break
        kept.append(turn)
    return tuple(reversed(kept))


def _turn(turn: Turn, count: Count) -> int:
    return count(turn.question) + count(turn.answer) + 2 * PER_MESSAGE
