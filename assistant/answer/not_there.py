"""Whether a model says that the sources do not hold the answer: with the marker it was given, or in its own words."""

from __future__ import annotations

import re

from assistant.answer.prompt import NOT_THERE
from assistant.trace import Sentence

MARKER = re.compile(rf"\W*{NOT_THERE.replace('_', '[_ ]?')}\W*", re.IGNORECASE)
_HOLDERS_EN = r"(?:sources?|documents?|passages?|texts?|files?|context|information|excerpts?|answer)"
_VERBS_EN = r"(?:mention|contain|provide|state|specif|hold|include|say|describe|address|give|answer|cover|found|find)"
_EN = re.compile(
    rf"\b{_HOLDERS_EN}\b[^.]{{0,60}}\b(?:do(?:es)?|did|is|are|was|were|can|could)(?:\s+not|n['’]t)\b[^.]{{0,40}}{_VERBS_EN}"
    rf"|\b(?:no|not any)\s+(?:information|mention|answer)\b[^.]{{0,60}}"
    rf"|\bnot\s+(?:\w+\s+)?(?:in|found in|mentioned in|stated in|part of)\s+(?:the|these|those|your)\s+{_HOLDERS_EN}"
    rf"|\b(?:cannot|can['’]t|could not|unable to)\s+(?:be\s+)?(?:answer|find|determin|found)",
    re.IGNORECASE,
)
_ZH = re.compile(
    r"(?:来源|文档|文件|资料|片段|文中|原文|上述|信息|内容|答案)[^。！？]{0,15}(?:没有|未|并未|无法|不包含|不含|找不到|查不到)"
    r"|(?:没有|未能|未|无法|找不到)[^。！？]{0,12}(?:提及|提到|说明|给出|记载|包含|找到|相关信息|相关内容|答案|回答|确定)"
)


def says_not_there(text: str) -> bool:
    """Whether one sentence says that the sources do not hold something."""
    return bool(MARKER.search(text) and NOT_THERE[:3] in text.upper()) or bool(_EN.search(text) or _ZH.search(text))


def without_answer(text: str, said: tuple[Sentence, ...]) -> bool:
    """Whether the whole reply comes down to that: every sentence says so, or names no source beside one that does.

    A half answer ("… is not stated, but … [2]") is an answer: something in it names a source and says what it holds.
    """
    if MARKER.fullmatch(text.strip()):
        return True
    denials = [says_not_there(s.text) for s in said]
    return any(denials) and all(denied or not s.named for denied, s in zip(denials, said, strict=True))


def without_marker(text: str) -> str:
    """The reply without the marker, where something else stands beside it."""
    return text if MARKER.fullmatch(text.strip()) else MARKER.sub(" ", text).strip() if NOT_THERE in text else text
