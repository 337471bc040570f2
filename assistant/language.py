"""Which language a text is in, and the words of both that ask rather than name something."""

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


_ASKING = """
什么 是什么 多少 怎么 怎样 怎么样 如何 为什么 为何 何时 何地 何 何种 哪 哪里 哪儿 哪些 哪个 哪种 哪位 哪年 哪一年
哪一个 谁 是谁 几 几个 几年 几月 几天 几次 吗 呢 么 吧 请问 请 介绍 一下 是否 有没有 有什么 有哪些 的 了 是 在 有
和 与 被 把 对 从 到 为 于 由 这 那 这个 那个 其 它 我 我们 你 会 能 可以 应该 时候 什么样 what which who whom
whose when where why how is are was were be been being am do does did has have had having the a an of in on at to
for from by with as and or about into than that this these those it its there i we you me my our your us they them
their he she his her much many can could will would should shall may might must please tell explain describe
"""

ASKING_WORDS = frozenset(_ASKING.split())
"""Question and function words: they say what kind of answer is wanted, not what it is about."""


def is_chinese(text: str) -> bool:
    """Whether the text holds a Han character."""
    return _HAN.search(text) is not None
