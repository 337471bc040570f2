"""Where sentences begin and end, in Chinese and in English."""

from __future__ import annotations

import re
from collections.abc import Iterator

_CLOSERS = "”’」』）)】》〉\"'］\\]*_"
_MARKS = re.compile(rf"(?:[。！？；｡]+|…+|[.!?]+)[{_CLOSERS}]*|[^\S\r\n]*(?:\r\n|\r|\n)\s*")
_WORD_BEFORE = re.compile(r"[^\s(（\[\"“'‘,，、/]*$")
_ABBREVIATIONS = frozenset(
    re.findall(
        r"\S+",
        """mr mrs ms dr prof sr jr st rev gen col lt sgt capt gov sen rep pres hon messrs mt ft vs v etc approx ca cf al
        eg ie e.g i.e viz fig figs eq eqs ref refs sec ch chap vol vols no nos p pp par para art ed eds trans dept est
        inc ltd co corp univ assn bros ave blvd rd jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri
        sat sun a.m p.m u.s u.k u.n ph.d m.d b.a m.a d.c s.a n.v""",
    )
)
_MAY_END = frozenset(
    re.findall(
        r"\S+", "etc al inc ltd co corp jr sr a.m p.m u.s u.k u.n ph.d m.d b.a m.a d.c est sun sat wed art no ed"
    )
)
_LISTED = re.compile(
    r"[ \t\u3000]*(?:[-*+•·●○▪–—#>|]+\s|\|\s?\S|\(?\d{1,3}[.)、）]\s?"
    r"|（?[一二三四五六七八九十]{1,3}[、）]|[QA问答][:：])"
)
_INITIAL = re.compile(r"(?:[A-Z]\.)*[A-Z]")
_LOOK_BACK = 24  # characters: longer than every abbreviation


def sentences(text: str) -> tuple[tuple[int, int], ...]:
    """Spans (start, end) in order that together cover every character except white space between them.

    A sentence ends at 。！？；… and at . ! ? before white space or the end, its closing quotes and brackets included;
    not after an abbreviation, an initial, a list number, or inside a number. Blank lines end one too, and so do line
    ends before list items. Empty text gives ().
    """
    spans = []
    start = 0
    for end in [*_ends(text), len(text)]:
        first, last = trimmed(text, start, end)
        if first < last:
            spans.append((first, last))
        start = end
    return tuple(spans)


def _ends(text: str) -> Iterator[int]:
    for mark in _MARKS.finditer(text):
        if mark[0].isspace():
            if _line_ends_sentence(text, mark):
                yield mark.start()
        elif _ends_sentence(text, mark):
            yield mark.end()


def _line_ends_sentence(text: str, mark: re.Match[str]) -> bool:
    blank = len(re.findall(r"\r\n|\r|\n", mark[0])) > 1
    if blank or mark.end() == len(text) or _LISTED.match(text, mark.end()):
        return True
    return mark[0].endswith(("\u3000\u3000", "\n    ", "\n\t")) or text[max(0, mark.start() - 1)] in ":：|"


def _ends_sentence(text: str, mark: re.Match[str]) -> bool:
    if mark[0][0] in "。！？；｡":
        return True
    after = text[mark.end() : mark.end() + 1]
    if mark[0][0] == "…":
        return len(mark[0].rstrip(_CLOSERS.replace("\\", ""))) > 1 or not after.strip()
    if after.strip() and not _is_han(after):
        return False
    if mark[0][0] in "!?":
        return True
    return _full_stop(text, mark, after)


def _full_stop(text: str, mark: re.Match[str], after: str) -> bool:
    before = text[max(0, mark.start() - _LOOK_BACK) : mark.start()]
    found = _WORD_BEFORE.search(before)
    word = found[0] if found else ""
    if not after.strip() and mark.end() + 1 >= len(text):
        return True
    if mark[0].startswith("..") or not word:
        return True
    if word.isdigit() and len(word) <= 3 and before[: -len(word)].rstrip(" \t")[-1:] in "\r\n":
        return False  # "1. First": the number of a list item; "" is in every string, so also at the start of the text
    return not _abbreviated(word, text[mark.end() :][:4].lstrip())


def _abbreviated(word: str, following: str) -> bool:
    if _INITIAL.fullmatch(word) and word != "I":
        return not (len(word) > 1 and following[:1].isupper())
    known = word.lower().lstrip("*_")
    if known not in _ABBREVIATIONS:
        return False
    return not (known in _MAY_END and following[:1].isupper())


def _is_han(character: str) -> bool:
    return "\u2e80" <= character <= "\u9fff" or "\uff00" <= character <= "\uffef" or character in "“‘"


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """(start, end) without the white space at both sides; start = end when there is nothing else."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
