"""decline: saying that the documents do not hold the answer, what was searched, and what they do hold."""

from __future__ import annotations

from assistant.answer.brief import Brief
from assistant.trace import Answered, BaseInfo


def decline(brief: Brief, base: BaseInfo, queries: tuple[str, ...], titles: tuple[str, ...]) -> Answered:
    """The declining answer. `queries`: all that was searched for; `titles`: documents of the base, nearest first."""
    searched = "；".join(f"“{q}”" for q in queries) if brief.chinese else "; ".join(f"“{q}”" for q in queries)
    if brief.chinese:
        text = f"您的文档中没有找到答案。已在 {base.documents} 个文档（{base.chunks} 个片段）中查找：{searched}。"
        label = "没有足够的依据，所以不回答"
    else:
        text = (
            f"Not found in your documents. Searched {base.documents} documents ({base.chunks} chunks) for {searched}."
        )
        label = "declined: the evidence is not good enough to answer"
    text += _language_hint(brief)
    if base.chunks == 0:
        text = (
            "知识库还是空的：请先添加文档。" if brief.chinese else "The knowledge base is empty: add documents first."
        )
    return Answered(
        attempt=brief.decided.attempt,
        writer="decline",
        decision="decline",
        text=text,
        label=label,
        caveat=brief.limited_by,
        suggestions=titles,
    )


def _language_hint(brief: Brief) -> str:
    """A sentence when the nearest passages are in the other language: matching across languages is the weakest here."""
    languages = {passage.language for _, passage in brief.evidence[:1]}
    if brief.chinese and languages == {"en"}:
        return "最接近的文档是英文的：用英文提问可能找到更多。"
    if not brief.chinese and languages == {"zh"}:
        return " The nearest documents are in Chinese: asking in Chinese may find more."
    return ""
