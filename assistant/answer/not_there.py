"""Whether a model says that the sources do not hold the answer: with the marker it was given, or in its own words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assistant.answer.prompt import NOT_THERE
from assistant.tokens import tokens
from assistant.trace import Sentence

_MARKER = re.compile(
    rf"\W*(?:answer\W+|回答\W+|答案?\W+)?{NOT_THERE.replace('_', '[_ ]?')}(?:[\W_]|\d{{1,3}}(?=[\]】]))*", re.IGNORECASE
)
_SOURCES = (
    r"(?:(?:provided|given|available|supplied|retrieved|these|those|the|your|any of the|any) )*"
    r"(?:sources?|documents?|documentation|passages?|texts?|excerpts?|context|materials?|knowledge base"
    r"|information (?:provided|given|available)|(?:provided|given|available) information)"
)
_SAY = (
    r"(?:contain|mention|state|specify|include|provide|say|give|hold|cover|address|indicate|discuss|describe|answer"
    r"|list|reveal|have|disclose|offer|explain|tell|define|name|refer|talk)"
)
_SAID = (
    r"(?:contained|mentioned|stated|specified|included|provided|found|given|available|addressed|covered|listed"
    r"|present|described|answered|disclosed|discussed|indicated|explained)"
)
_THING = r"(?:\w+ ){0,3}(?:information|mention|answer|details?|data|references?|statement|indication|evidence)\b"
_EN = [
    r"\bnot[_ ]in[_ ](?:the[_ ])?documents?\b",
    rf"\b{_SOURCES}(?: \[?\d*\]?)?(?: alone| themselves)? (?:simply )?(?:do|does|did)(?: not|n['’]t) (?:\w+ )?{_SAY}",
    rf"\b{_SOURCES}(?:,? [\w' ]{{0,40}},?)? (?:contains?|provides?|gives?|has|have|makes?|offers?|includes?) no "
    rf"{_THING}",
    rf"\b(?:is|are|was|were)(?: not|n['’]t) (?:\w+ )?{_SAID}(?: anywhere)? "
    rf"(?:in|by|within|from|on the basis of) (?:any of )?{_SOURCES}",
    rf"\b(?:is|are|was|were) (?:not|n['’]t) in (?:any of )?{_SOURCES}",
    rf"\b(?:there is|there's|there are|i (?:found|find|see|have)|i could find|contains?) no {_THING}",
    rf"(?<!if )\bno {_THING}.{{0,60}}\b(?:(?:in|by|from|within) {_SOURCES}|(?:is|are|was|were) (?:available|provided))",
    r"\b(?:cannot|can['’]t|can not|could not|couldn['’]t|unable to|not able to|not possible to)(?: be)? (?:\w+ )?"
    rf"(?:answer\w*|find|found|determine\w*|tell|say|provide|locate\w*)\b.{{0,80}}\b"
    rf"(?:{_SOURCES}|question|information|answer)",
    rf"\bn(?:one|either) of {_SOURCES} {_SAY}",
    r"\bi (?:do not|don['’]t) (?:know|have (?:enough|any|sufficient|the))\b",
    r"\b(?:insufficient|not enough) (?:information|context|data|evidence)\b",
    r"\b(?:is|are|was|were)(?: not|n['’]t) (?:explicitly |further |clearly )?"
    r"(?:stated|mentioned|specified|disclosed|indicated)\W*$",
]
_ZH_SOURCES = (
    r"(?:来源|文档|资料|材料|文件|文献|上下文|片段|段落|文中|原文|文本|知识库|信息源"
    r"|(?:提供|给出|已有|现有|所给)的?(?:信息|内容))"
)
_ZH_SAY = (
    r"(?:提及|提到|包含|包括|说明|给出|涉及|记载|提供|显示|指出|列出|写明|明确|答案|相关|关于|有关|信息|回答|描述|讨论"
    r"|说|介绍|透露|解释|足够)"
)
_ZH_THING = r"(?:信息|答案|内容|资料|记载|说明|规定|描述)"
_ZH = [
    rf"{_ZH_SOURCES}.{{0,20}}?(?:没有|并未|均未|未能|未|都没|没|不曾|不|无).{{0,6}}?{_ZH_SAY}",
    rf"(?:无法|不能|难以|不足以)(?:从|根据|依据|基于|在|仅凭|凭).{{0,12}}{_ZH_SOURCES}",
    rf"(?:根据|依据|基于|从|在).{{0,12}}{_ZH_SOURCES}.{{0,12}}(?:无法|不能|未能|难以|找不到|没有找到)",
    rf"{_ZH_SOURCES}.{{0,20}}(?:无法|不足以|不能)(?:回答|确定|得知|判断|得出|获知|支持)",
    rf"(?:未|没有|没能|未能)(?:在.{{1,12}})?(?:找到|查到|检索到|发现).{{0,20}}{_ZH_THING}",
    rf"找不到.{{0,20}}{_ZH_THING}",
    r"^\W*(?:很?抱歉|对不起|不好意思)?[，,]?我?(?:无法|不能|没办法)(?:回答|确定|得知|判断|提供)",
    r"^\W*(?:很?抱歉|对不起)?[，,]?我(?:并?不知道|不清楚|没有(?:相关|足够|这方面))",
    rf"(?:没有|暂无|并无|无)(?:任何|足够的?)?(?:相关|有关|关于[^，。]{{1,30}}|与[^，。]{{1,30}}相关)的?{_ZH_THING}",
    r"(?:没有|未|并未)(?:被)?(?:提及|提到|说明|写明|记载|给出答案)[。.！!]?$",
]
_LACKS = re.compile("|".join(f"(?:{p})" for p in (*_EN, *_ZH)), re.IGNORECASE)
_OFFER = re.compile(
    r"^\W*(?:please\b|if you\b|let me know|you (?:may|might|could|can)\b|i(?:'m| am)? (?:sorry|apologi[sz]e)|sorry"
    r"|unfortunately\W*$|would you|feel free|for more|consider\b|more information|additional|therefore|thus|hence"
    r"|请|如果您?|若|如需|建议|您可以|欢迎|很?抱歉|对不起|因此|所以)",
    re.IGNORECASE,
)
_TURN = re.compile(
    r"[,;，；]\s*(?:but|however|though|although|yet|while|only|they|it|nevertheless|still|instead)\b|\bbut\b|\bhowever\b"
    r"|(?:但是?|不过|然而|只是|仅|只(?=[提说有介]))|[;；]",
    re.IGNORECASE,
)
_THOUGH = re.compile(r"\W*(?:although|while|though|虽然|尽管)", re.IGNORECASE)
_HINT = 3  # words after a "but" that say something


def says_not_there(sentence: str) -> bool:
    """Whether one sentence says that the sources do not hold something, and nothing else."""
    found = _LACKS.search(sentence)
    return found is not None and not _half(sentence, found)


def lacks_something(sentence: str) -> bool:
    """Whether it says so among other things: "… is not stated, but …"."""
    return _LACKS.search(sentence) is not None


def without_answer(text: str, said: Sequence[Sentence]) -> bool:
    """Whether the whole reply comes down to that: every sentence says so or is an offer of help; False for no text.

    A half answer ("… is not stated, but …") is an answer. Remarks beside the marker count as one when they name a
    source or a number.
    """
    if _MARKER.fullmatch(text.strip()):
        return True
    if _marked(text):
        return not any(s.named or re.search(r"\d", s.text) for s in said)
    denials = [says_not_there(s.text) for s in said]
    return any(denials) and all(denied or _OFFER.match(s.text) for denied, s in zip(denials, said, strict=True))


def may_be_marker(text: str) -> bool:
    """Whether what has been written so far begins as the marker does; it is no word for people."""
    begun = text.strip()
    return NOT_THERE.startswith(begun) or begun.startswith(NOT_THERE)


def without_marker(text: str) -> str:
    """The reply without the marker, where something else stands beside it."""
    if _MARKER.fullmatch(text.strip()) or not _marked(text):
        return text
    return re.sub(rf"\**{NOT_THERE}\**[.。]?\s*", "", text).strip()


def _marked(text: str) -> bool:
    """Whether the marker itself stands there; "not in documents" in a sentence is none."""
    return NOT_THERE in text


def _half(sentence: str, found: re.Match[str]) -> bool:
    """Whether the sentence says something besides: behind a "but", or a number after "although"."""
    rest = sentence[found.end() :]
    turn = _TURN.search(rest)
    after = rest[turn.end() :] if turn else ""
    before = sentence[: found.start()]
    if _THOUGH.match(before) and re.search(r"\d", before):
        return True
    return len(tokens(after)) >= _HINT and not _LACKS.search(after) and not _OFFER.match(after)
