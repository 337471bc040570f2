"""split: a question with two parts becomes two questions whose results are merged."""

from __future__ import annotations

import re

from assistant.rewrite.situation import Proposal, Situation

_ASPECT_ZH = "区别|不同|差异|差别|异同|相同点|关系|联系|对比|比较"
_PAIRS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?P<a>[^，,。？?；;]{{1,40}}?)(?:和|与|跟|同|以及)(?P<b>[^，,。？?；;]{{1,40}}?)"
        rf"(?:之间)?(?:的|有(?:什么|何|哪些)|在.{{1,20}}?上的?)+(?:主要)?(?P<aspect>{_ASPECT_ZH})",
        r"(?:对比|比较)(?:一下)?(?P<a>[^，,。？?；;]{1,40}?)(?:和|与|跟|同|以及)(?P<b>[^，,。？?；;]{1,40})",
        r"(?:difference|differences|distinction|relationship|relation|comparison)\s+between\s+(?P<a>.{1,80}?)\s+and\s+"
        r"(?P<b>[^,.?;]{1,80})",
        r"\bcompare\s+(?P<a>.{1,80}?)\s+(?:and|with|to|against)\s+(?P<b>[^,.?;]{1,80})",
        r"(?:how\s+(?:do|does|is|are)\s+)?(?P<a>[^,.?;]{1,60}?)\s+(?:differ(?:s|ent)?\s+from|versus|vs\.?)\s+(?P<b>[^,.?;]{1,60})",
    )
)
_LEAD_ZH = re.compile(r"^(?:请问|请|那么|说说|谈谈|解释一下|什么是|关于)+")
_QUESTION_END = re.compile(r"(?<=[？?；;])\s*")
_JOINED_EN = re.compile(
    r",?\s+and\s+(?=(?:what|who|when|where|why|how|which|is|are|does|do|did|was|were)\b)", re.IGNORECASE
)
_JOINED_ZH = re.compile(
    r"[，,]\s*(?=(?:并且|而且|另外|同时|以及|还有|又)?[^，,]{0,12}(?:什么|多少|哪|谁|何|怎么|如何|为什么|几))"
)


def propose(situation: Situation) -> Proposal | None:
    """Two or three sub-questions; None when the question has one part or was split already."""
    if len(situation.queries) > 1:
        return None
    parts = parts_of(situation.question)
    if len(parts) < 2:
        return None
    return Proposal(parts[:3], "the question has several parts: " + " | ".join(parts[:3]), targeted=True)


def parts_of(question: str) -> tuple[str, ...]:
    """The sub-questions: the two sides of a comparison, or questions joined in one sentence; () when there is one."""
    for pattern in _PAIRS:
        if match := pattern.search(question):
            sides = (_LEAD_ZH.sub("", match["a"]).strip(), match["b"].strip())
            if all(sides) and sides[0] != sides[1]:
                return sides
    return _joined(question)


def _joined(question: str) -> tuple[str, ...]:
    for pattern in (_QUESTION_END, _JOINED_EN, _JOINED_ZH):
        parts = tuple(p.strip(" ，,") for p in pattern.split(question) if len(p.strip(" ，,？?；;")) >= 4)
        if len(parts) > 1:
            return parts
    return ()
