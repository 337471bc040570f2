"""Which language a text is in, told from its letters."""

from __future__ import annotations

import re

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002fa1f]")
_LATIN = re.compile(r"[A-Za-zÀ-ÖØ-öø-ɏ]")
_LETTER = re.compile(r"[^\W\d_]")
_SAMPLE = 20_000  # letters at the start, in the middle and at the end say enough; a book need not be counted


def language_of(text: str) -> str:
    """zh, en, mixed or other, by the shares of Han and Latin letters.

    zh: Han at least half of the letters; en: Latin at least 9 of 10; mixed: Han and Latin together at least 9 of 10;
    other: other scripts (kana, hangul, Arabic, …) or no letters at all. Any Latin script counts as en.
    """
    sample = _sample(text)
    letters = len(_LETTER.findall(sample))
    if not letters:
        return "other"
    han, latin = len(_HAN.findall(sample)) / letters, len(_LATIN.findall(sample)) / letters
    if han + latin < 0.9:
        return "other"
    if han >= 0.5:
        return "zh"
    return "en" if latin >= 0.9 else "mixed"


def _sample(text: str) -> str:
    if len(text) <= 3 * _SAMPLE:
        return text
    middle = len(text) // 2
    return text[:_SAMPLE] + text[middle : middle + _SAMPLE] + text[-_SAMPLE:]
