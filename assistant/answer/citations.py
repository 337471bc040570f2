"""Citations: which source each sentence names, however the model writes it; numbers that name none are taken out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assistant.chunking.sentences import sentences
from assistant.trace import Sentence

_WORD = r"(?:sources?|refs?\.?|来源|出处|资料|文档)"
_NUMBERS = rf"{_WORD}?\s*#?\s*\d{{1,3}}(?:\s*(?:[,，、;；–~-]|and|和|及)\s*{_WORD}?\s*#?\s*\d{{1,3}})*"
_FORMS = re.compile(
    rf"[\[【［〔]\s*\^?(?P<a>{_NUMBERS})\s*[\]】］〕]"
    rf"|[(（]\s*(?:see\s+|见)?(?={_WORD})(?P<b>{_NUMBERS})\s*[)）]"
    r"|(?<=[^\s\d])\^(?P<c>\d{1,3})(?![\w.])",
    re.IGNORECASE,
)
_PART = re.compile(r"(\d{1,3})(?:\s*[–~-]\s*(\d{1,3}))?")
_MARK = re.compile(r"\s*\[(\d{1,3})\]")
_LEADING = re.compile(r"(?:\s*\[\d{1,3}\])+[ \t]*[.。!！?？]?")
_LONGEST_RANGE = 10


@dataclass(frozen=True)
class Cited:
    """A written text taken apart: its sentences, the white space before each, and the numbers that name no source."""

    sentences: tuple[Sentence, ...]
    gaps: tuple[str, ...]
    removed: tuple[int, ...]

    def text(self, sentences: tuple[Sentence, ...]) -> str:
        """The whole again, each sentence with the citations that it has now."""
        pairs = zip(self.gaps, sentences, strict=True)
        return "".join(gap + s.text + "".join(f" [{n}]" for n in s.citations) for gap, s in pairs).strip()


def cited(text: str, sources: int) -> Cited:
    """The sentences of this text; sources are numbered 1 to `sources`. Empty text has none.

    Understood are [1], [1, 2], [1-3], 【1】, ［1］, [来源 1], (source 1), [^1] and word^1.
    """
    said: list[Sentence] = []
    gaps: list[str] = []
    removed: list[int] = []
    gap = ""
    for before, part in _parts(_FORMS.sub(_plain, text.strip())):
        numbers = tuple(dict.fromkeys(int(n) for n in _MARK.findall(part)))
        named = tuple(n for n in numbers if 1 <= n <= sources)
        removed += [n for n in numbers if n not in named]
        words = _MARK.sub("", part).strip()
        gap += before
        if words and any(c.isalnum() for c in words):
            said.append(Sentence(text=words, citations=named, named=named))
            gaps.append(gap)
            gap = ""
    return Cited(tuple(said), tuple(gaps), tuple(removed))


def _plain(match: re.Match[str]) -> str:
    """The marks as [n][m]."""
    numbers: list[int] = []
    for first, last in _PART.findall(next(g for g in match.groups() if g)):
        low, high = int(first), int(last or first)
        numbers += range(low, high + 1) if low <= high <= low + _LONGEST_RANGE else (low, high)
    return "".join(f"[{n}]" for n in numbers)


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """(white space before, sentence with the marks that follow its full stop)."""
    ready: list[tuple[str, str]] = []
    at = 0
    for start, end in sentences(text):
        gap, part = text[at:start], text[start:end]
        at = end
        lead = _LEADING.match(part)
        if lead and ready:
            before, previous = ready[-1]
            ready[-1] = (before, previous + lead.group())
            rest = part[lead.end() :]
            gap, part = rest[: len(rest) - len(rest.lstrip())], rest.strip()
        if part:
            ready.append((gap, part))
    yield from ready
