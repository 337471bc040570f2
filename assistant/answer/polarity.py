"""Whether a sentence says the contrary of its source, as far as single words tell.

Found: a negation on one side only, and the other one of two opposites (before and after, 至少 and 最多). Not found: who
does what to whom, opposites in other words, and negations where the clauses do not share most of their words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.answer.wording import SHORT_WORD, Wording, is_han, wording

ALIKE = 0.75  # of a clause's words that a clause of the source must hold before a lone negation tells anything
_CLAUSES = re.compile(
    r"[;；。！？!?:：，]|,(?!\d)|\.(?=\s|$)|\n"
    r"|\s(?=(?:but|while|whereas|although|though|except|unless|if|because|when|as long as|so that)\s)"
    r"|(?=但|而且|虽然|如果|除非)",
    re.IGNORECASE,
)
# "not" in these does not say that something is not so; the bounds are compared as opposites
_NO_NEGATION = re.compile(
    r"\b(?:not only|no(?:t)? (?:be )?(?:later|more|less|fewer|earlier|higher|lower|longer) than|not exceed\w*|no matter"
    r"|without (?:delay|exception)|no\.\s*\d+|whether or not|not necessarily)\b"
    r"|不仅|不但|不(?:得|能|可|应)?(?:超过|少于|低于|高于|晚于|迟于|早于|多于|大于|小于|满|足)|不论|不管|无论|不同|不断|不久"
    r"|不锈钢|不动产|不良|不过|不妨|不慎|不可抗力|不得不|差不多|非常|未来|未必|是否|与否|除非",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:not|never|no|none|neither|nor|cannot|without|unless|forbid\w*|forbade|prohibit\w*|banned|refus\w+|unable"
    r"|\w+n['’]t|exclud\w+)\b"
    r"|不|没有|没|未|无(?:需|须|法|权|人(?!机)|任何|其他|他)|并非|禁止|严禁|勿|拒绝|谢绝|免于|除外",
    re.IGNORECASE,
)
_NO_BOUND = r"(?<!不)(?<!不得)(?<!不能)(?<!不应)"
_OPPOSITES = tuple(
    (re.compile(a, re.IGNORECASE), re.compile(b, re.IGNORECASE))
    for a, b in (
        (r"\b(?:before|prior to)\b|之前|以前", r"\bafter\b|之后|以后"),
        (
            r"\b(?:at least|minimum|no(?:t)? (?:be )?(?:less|fewer|earlier|lower) than)\b"
            r"|至少|最少|不(?:得|能|应)?(?:少于|低于)|最低",
            r"\b(?:at most|maximum|up to|no(?:t)? (?:be )?(?:more|higher|longer) than|not exceed\w*)\b"
            r"|至多|最多|不(?:得|能|应)?(?:超过|多于|高于)|最高",
        ),
        (
            rf"\b(?:above|more than|over|exceed\w*|higher than)\b|以上|{_NO_BOUND}(?:超过|高于|大于|多于)",
            rf"\b(?:below|less than|under|fewer than|lower than)\b|以下|{_NO_BOUND}(?:低于|少于|小于)|不足|不满",
        ),
        (
            r"\b(?:increas\w+|rises?|rising|rose|grew|grow\w*|raised?)\b|增加|上升|上涨|提高|增长|上调|升高",
            r"\b(?:decreas\w+|falls?|falling|fell|reduc\w+|drop(?:s|ped)?|lowered|declin\w+|shr[aiu]nk)\b|减少|下降|下跌|降低|下调",
        ),
        (r"\bopen(?:s|ed)?\b|开放|开启", r"\bclose[sd]?\b|关闭|闭馆"),
        (r"\bearl(?:y|ier)\b|提前", r"\blate(?:r)?\b|推迟|延后|延期"),
        (r"\b(?:mandatory|required|obligatory)\b|必须|强制", r"\b(?:optional|voluntary)\b|自愿|可选"),
        (r"\binternal\w*|内部", r"\bexternal\w*|外部"),
        (r"\b(?:accept\w*|approv\w+)\b|批准|通过|接受", r"\b(?:reject\w*|declin\w+)\b|否决|驳回"),
        (r"\benabl\w+|启用", r"\bdisabl\w+|停用|禁用"),
        (r"\bfirst\b|首次", r"\blast\b|末次"),
        (r"\bleft\b|左", r"\bright\b|右"),
        (r"\bbought|buys?\b|买入|收购", r"\bsold\b|\bsells?\b|卖出|出售"),
    )
)
_POLAR = re.compile(
    "|".join(
        (_NEGATION.pattern, *(side.pattern for pair in _OPPOSITES for side in pair), r"\b(?:un|non-?)(?=[a-z]{4})")
    ),
    re.IGNORECASE,
)
# "is not 450 yuan": however few words the clauses share, the number itself is what is denied
_DENIED = re.compile(r"(?P<no>\b(?:not|never)|不是|并非|不为)\s*(?P<value>\d[\d,.]*\d|\d)", re.IGNORECASE)
_PARTICLE = re.compile(r"(?:not|no|never|without|cannot|\w+n['’]t|不|没有|没|未|无\w?|勿)", re.IGNORECASE)
_UN = re.compile(r"\b(?:un|non-?)([a-z]{4,})\b", re.IGNORECASE)


def contrary(sentence: str, source: str) -> tuple[str, str] | None:
    """(the sentence's word, the source's) that say the contrary, "" where a negation is missing; None when none do."""
    if denied := _denied(sentence, source):
        return denied, ""
    theirs = list(_clauses(source))
    for clause, mine in _clauses(sentence):
        alike, nearest = max(((_alike(mine, other), text) for text, other in theirs), default=(0.0, ""))
        found = _contrary(clause, nearest) if alike >= ALIKE else None
        if found:
            return found
    return None


def _denied(sentence: str, source: str) -> str:
    """The negation in front of a number that the source states without any, "" when there is none."""
    for match in _DENIED.finditer(_NO_NEGATION.sub(" ", sentence)):
        holds = re.compile(rf"(?<![\d.,]){re.escape(match['value'])}(?![\d]|[.,]\d)")
        stated = (_NO_NEGATION.sub(" ", clause) for clause in _CLAUSES.split(source) if holds.search(clause))
        if any(not _NEGATION.search(clause) for clause in stated):
            return match["no"]
    return ""


def _clauses(text: str) -> Iterator[tuple[str, Wording]]:
    """The clauses, and their words without negations and opposites: these are what is compared."""
    for clause in _CLAUSES.split(text):
        words = wording(_POLAR.sub("", clause))
        if words.terms:
            yield clause, words


def _alike(mine: Wording, other: Wording) -> float:
    """Share of the words that the other clause holds; a Chinese word counts half when only its characters are there."""
    weights = {t: SHORT_WORD if len(t) == 1 and is_han(t) else 1.0 for t in mine.terms}
    held = sum(w * (1.0 if t in other.terms else 0.5 * (set(t) <= other.han)) for t, w in weights.items())
    return held / sum(weights.values())


def _contrary(mine: str, other: str) -> tuple[str, str] | None:
    for pair in _OPPOSITES:
        for a, b in (pair, pair[::-1]):
            said, held = a.search(mine), b.search(other)
            if said and held and not a.search(other) and not b.search(mine):
                return said[0], held[0]
    here, there = _negations(mine), _negations(other)
    if len(here) % 2 != len(there) % 2:
        more, less = (here, other) if len(here) > len(there) else (there, mine)
        if any(_concerns(found, less) for found in more):
            return (here[0][0] if here else ""), (there[0][0] if there else "")
    return _prefixed(mine, other) or _swapped(_prefixed(other, mine))


def _negations(clause: str) -> list[tuple[str, str]]:
    """(the negation, what follows it) for each of them."""
    plain = _NO_NEGATION.sub(" ", clause)
    return [(m[0], plain[m.end() :]) for m in _NEGATION.finditer(plain)]


def _concerns(negation: tuple[str, str], other: str) -> bool:
    """Whether the other clause says what is negated here: "needs no oil" does not concern a clause without oil."""
    word, following = negation
    if not _PARTICLE.fullmatch(word):
        return True
    words = re.findall(r"[A-Za-z]+(?:-[A-Za-z]+)*|[㐀-鿿]+", following)
    nearest = next((terms for w in words if (terms := wording(_POLAR.sub("", w)).terms)), frozenset())
    return not nearest or bool(nearest & wording(_POLAR.sub("", other)).terms)


def _prefixed(one: str, other: str) -> tuple[str, str] | None:
    """(untrained, trained) when the one says the first and the other the second."""
    for match in _UN.finditer(one):
        plain = re.search(rf"\b{match[1]}\b", other, re.IGNORECASE)
        if plain and not re.search(rf"\b{match[0]}\b", other, re.IGNORECASE):
            return match[0], plain[0]
    return None


def _swapped(pair: tuple[str, str] | None) -> tuple[str, str] | None:
    return pair and pair[::-1]
