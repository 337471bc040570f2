"""The words that a sentence is compared by: without function words, endings and values."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from assistant.answer.values import values_of
from assistant.language import ASKING_WORDS
from assistant.tokens import tokens

_FUNCTION_WORDS = """
summary short get gets answer question overall not no nor only also both each every any some all such if then
else while because so but up out over under per via within during before after until unless upon between more
most less least further other another same own very just who according source sources document documents text
states stated says said mentions mentioned note yes means namely however therefore thus additionally moreover
furthermore finally first there here etc one allow allows allowed permit permits permitted forbid forbids
forbidden prohibit prohibits prohibited banned 允许 准许 禁止 严禁 不准 不予 仍予 予以 予 不是 不能 不会 不可
不应 不要 也 都 就 还 又 而 且 及 以及 并 并且 但 但是 不过 而且 则 若 如 如果 因为 所以 以 之 等 中 上 下 里 内
后 前 时 每 该 此 其中 各 个 将 将会 会 已 已经 可 可以 须 需 需要 应 应当 必须 不 没有 没 未 无 不得 非 很 更
最 来 去 他 她 他们 您 一 进行 通过 根据 按照 来源 文档 资料 说明 规定 指出 表示 提到 显示 此时 仍 才 只 只有 者
所 因此 此外 同时 另外 至 于 即 共 均 向 给 让 使 由于 回答 问题 获得
"""
_FUNCTION = ASKING_WORDS | frozenset(_FUNCTION_WORDS.split())
_ENDINGS = re.compile(
    r"(?:ational|ations?|ments?|ness|ingly|edly|ing|ied|ies|ed|es|s|ly|ion|ions|ive|able|ible|ance|ence|al|er|ers|or|ors|e|y)$"
)
_INFLECTED = frozenset(("s", "es", "ed", "ing", "e", "y", "ies", "ied"))
_SHORTEST = 3
_IRREGULAR = {
    "paid": "pay", "bought": "buy", "sent": "send", "kept": "keep", "held": "hold", "made": "make", "gave": "give",
    "given": "give", "took": "take", "taken": "take", "wrote": "write", "written": "write", "began": "begin",
    "begun": "begin", "built": "build", "found": "find", "lost": "lose", "met": "meet", "ran": "run", "sold": "sell",
    "sale": "sell", "won": "win", "chosen": "choose", "chose": "choose", "grew": "grow", "grown": "grow", "led": "lead",
    "rose": "rise", "risen": "rise", "fell": "fall", "fallen": "fall", "became": "become", "left": "leave",
    "people": "person", "children": "child", "women": "woman", "men": "man", "shown": "show", "spent": "spend",
}  # fmt: skip
_DOUBLED = re.compile(r"([bdgklmnprt])\1$")
SHORT_WORD = 0.4  # what a Chinese word of one character weighs, beside 1 of others
_HAN = re.compile(r"[㐀-鿿]")


@dataclass(frozen=True)
class Wording:
    """The terms of a text: stems of Latin words, Chinese words; `han`: its Han characters."""

    terms: frozenset[str]
    han: frozenset[str]


@lru_cache(maxsize=8192)
def wording(text: str) -> Wording:
    """What the text says beside its values (numbers, dates, identifiers): those are compared by what they mean."""
    plain = without_values(text)
    found = frozenset(t for t in map(_term, tokens(plain)) if t)
    return Wording(found, frozenset(_HAN.findall(plain)))


def joined(parts: Iterable[Wording]) -> Wording:
    """The wording of texts that stand together."""
    listed = list(parts)
    terms = frozenset[str]().union(*(p.terms for p in listed))
    return Wording(terms, frozenset[str]().union(*(p.han for p in listed)))


def without_values(text: str) -> str:
    """The text with blanks in place of its values."""
    pieces, at = [], 0
    for value in values_of(text):
        if value.start < at:
            continue
        pieces += [text[at : value.start], " "]
        at = value.end
    return "".join(pieces) + text[at:]


def is_han(term: str) -> bool:
    """Whether a term is a Chinese word."""
    return bool(_HAN.match(term))


def _term(token: str) -> str:
    if _HAN.match(token):
        return "" if token in _FUNCTION else token
    if token in _FUNCTION or token.isdigit() or (len(token) < 2 and token.isascii()):
        return ""
    return stem(token)


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The word without its endings: submitted, submitting, submits → submit.

    Cut more boldly than for search, since whole sentences are compared: two words that fall together by mistake weigh
    little among ten.
    """
    if not word.isalpha() or not word.isascii():
        return word
    word = _IRREGULAR.get(word, word)
    for _ in range(2):
        found = _ENDINGS.search(word)
        if found is None or found.start() < (_SHORTEST if found[0] in _INFLECTED else _SHORTEST + 1):
            break
        word = word[: found.start()]
    return _DOUBLED.sub(r"\1", word)
