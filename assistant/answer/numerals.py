"""Numbers written in words: 一千二百, 三万五, 二〇二三, one thousand two hundred, twenty-five."""

from __future__ import annotations

import re

HAN_DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_HAN_TENS = {"十": 10, "百": 100, "千": 1000}
HAN_SCALES = {"万": 10_000, "亿": 100_000_000}
_LONGEST = 24  # characters: more are no number
HAN = "".join((*HAN_DIGITS, *_HAN_TENS, *HAN_SCALES))

_WORD = re.compile(r"\S+")
_ONES = _WORD.findall(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = _WORD.findall("twenty thirty forty fifty sixty seventy eighty ninety")
_LARGE = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000}
_ORDINALS = {"third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10}
_NAMED = {w: n for n, w in enumerate(_ONES)} | {w: 10 * n for n, w in enumerate(_TENS, 2)} | _ORDINALS
_ANY = "|".join(sorted((*_NAMED, *_LARGE), key=len, reverse=True))
ENGLISH = re.compile(rf"\b(?:{_ANY})(?:(?:\s+and\s+|[\s-]+)(?:{_ANY}))*\b", re.IGNORECASE)


def han_number(text: str) -> int | None:
    """The value of a Chinese numeral, read digit by digit when it has no 十百千万亿; None when it is none.

    After 万, 千 or 百 a last digit counts a tenth of that, as in 三万五.
    """
    if not text or len(text) > _LONGEST or any(c not in HAN for c in text):
        return None
    if all(c in HAN_DIGITS for c in text):
        return int("".join(str(HAN_DIGITS[c]) for c in text))
    total = section = 0
    digit, last = 0, 1
    for c in text:
        if c in HAN_DIGITS:
            digit = HAN_DIGITS[c]
            last = 1 if digit == 0 else last
        elif c in _HAN_TENS:
            section += (digit or 1) * _HAN_TENS[c]
            digit, last = 0, _HAN_TENS[c]
        else:
            total = (total + section + digit) * HAN_SCALES[c] if c == "亿" else total + (section + digit) * 10_000
            section, digit, last = 0, 0, HAN_SCALES[c]
    return total + section + digit * (last // 10 if last > 10 else 1)


def english_number(text: str) -> int | None:
    """The value of an English number in words; None when it is none."""
    words = [w for w in re.split(r"[\s-]+", text.lower()) if w != "and"]
    total = section = 0
    for word in words:
        if word in _NAMED:
            section += _NAMED[word]
        elif word == "hundred":
            section = (section or 1) * 100
        elif word in _LARGE:
            total += (section or 1) * _LARGE[word]
            section = 0
        else:
            return None
    return total + section if words else None
