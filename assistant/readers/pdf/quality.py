"""Whether a text layer says what the page shows: fonts without a right character map give plausible rubbish."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

from assistant.readers.encoding import COMMON_HAN

_UNUSABLE = re.compile(r"[\ue000-\uf8ff\ufffd\x00-\x08\x0e-\x1f\U000f0000-\U0010ffff]")
_VOWELS = re.compile(r"[aeiouyAEIOUY]")
_ASCII_LETTERS = re.compile(r"[A-Za-z]")
_LOWER = re.compile(r"[a-z]")
_USUAL = frozenset(["LATIN", "GREEK", "CYRILLIC", "ARABIC", "HEBREW", "DEVANAGARI", "THAI", "HANGUL"])
_LEAST_COMMON = 0.3


def garbled(text: str, recognised: bool = False) -> bool:
    """True when the text cannot be what a person reads on the page.

    Three signs: over a tenth unusable characters (private use, U+FFFD, controls); letters of three or more rare
    scripts; a long run of ASCII letters nearly without vowels or lower case (every code shifted). For `recognised`
    text (left by an OCR program) also Chinese that is made of uncommon characters: in real text they are a minority.
    """
    visible = [c for c in text if not c.isspace()]
    if not visible:
        return False
    if len(_UNUSABLE.findall(text)) > 0.1 * len(visible):
        return True
    if recognised and _uncommon_han(visible):
        return True
    return _rare_scripts(visible) or _shifted(text, len(visible))


def _uncommon_han(visible: list[str]) -> bool:
    han = [c for c in visible if "\u4e00" <= c <= "\u9fff"]
    return len(han) >= 40 and sum(c in COMMON_HAN for c in han) < _LEAST_COMMON * len(han)


def _rare_scripts(visible: list[str]) -> bool:
    found = Counter(_script(c) for c in visible if "\u0530" <= c <= "\u1fff" or "\ua000" <= c <= "\uabff")
    rare = {script: n for script, n in found.items() if script not in _USUAL}
    several = len(rare) >= 3 or (len(rare) == 2 and len(visible) < 40)
    return several and sum(rare.values()) > 0.15 * len(visible)


def _script(character: str) -> str:
    """The first word of its Unicode name; conjoining Hangul, which Korean text does not use, is apart."""
    words = unicodedata.name(character, "UNASSIGNED").split()
    return "JAMO" if words[0] == "HANGUL" and "SYLLABLE" not in words else words[0]


def _shifted(text: str, visible: int) -> bool:
    letters = _ASCII_LETTERS.findall(text)
    if len(letters) < 80 or len(letters) < 0.4 * visible:
        return False
    vowels = len(_VOWELS.findall(text)) / len(letters)
    return vowels < 0.16 or (vowels < 0.22 and len(_LOWER.findall(text)) < 0.1 * len(letters))
