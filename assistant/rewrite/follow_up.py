"""follow_up: whether a question can stand alone, by its words."""

from __future__ import annotations

import re

from assistant.language import ASKING_WORDS
from assistant.tokens import query_terms

FEW_TERMS = 3  # a question with more of its own words stands alone even if it says "it" somewhere
_FOLLOWS = re.compile(
    r"^(?:那么?(?!里|曲|不勒斯|坡)|还有|另外|然后|而(?!且))|呢[？?]?\s*$"
    r"|^(?:and|or|but|also|then|what about|how about|so)\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"(?:它们?|他们?|她们?|这个|那个|这些|那些|此|上述|前者|后者|其中|其)(?!他|中国|实|余|次)"
    r"|(?:那里|那边|同样|一样|上面|前面|刚才|刚刚|两者|二者|也(?!门|许))"
    r"|\b(?:it|its|they|them|their|theirs|he|him|his|she|her|hers|this|these|those|former|latter|ones?|same|such)\b"
    r"|\b(?:that|there|then|else|instead)\b(?=\s*[?.!]*$)"
    r"|\b(?:is|was|does|did|can|about|for|of|after|before|on) that\b",
    re.IGNORECASE,
)
# words that ask for an aspect of something: of what, the turn before says
_ASPECTS = """
until since often many responsible start starts calculated give submit submitted why reason reasons example examples
exception exceptions detail details more cost costs price prices deadline deadlines limit limits step steps material
materials document documents requirement requirements condition conditions approve approves approved approval sign
signs allowed required needed need take takes long apply applies applied else exactly mean means happen happens
elaborate explain continue go further next other others short summary summarise summarize again not so sure source
sources page
原因 理由 例子 举例 举个 例外 细节 详细 具体 说明 说说 展开 继续 费用 价格 钱 期限 时限 截止 限额 上限 标准 步骤 流程
手续 材料 要求 条件 批准 审批 审核 负责 签字 需要 要 允许 适用 区别 意思 含义 更 多 再 讲 讲讲 谈谈 总结 简单 确定
出处 来源 页 第几 第几页 久 多久 长 多长 时间 多长时间 多长时 长时间 个 下 一下 还 都 也 又 不 没 没有 呀 啊 嘛 说
谁来 来 提交 行 不行 开始 结束 依据 计算 解释 解释一下 真 真的 天 周 月 年 办 怎么办 该
"""
ASPECTS = frozenset(_ASPECTS.split())
_VERB = re.compile(
    r"\b(?:is|are|was|were|do|does|did|can|could|will|would|shall|should|may|might|must|has|have|had|what|which|who|whom"
    r"|whose|when|where|why|how|list|show|give|tell|explain|describe|compare|find|define)\b",
    re.IGNORECASE,
)
_ASKS_ZH = re.compile(r"什么|多少|怎么|怎样|如何|为何|何时|哪|谁|几|吗|是否|有没有|多久|多长|多大|多远|[是有能可应要]")
_CLAUSE = re.compile(r"[,，;；、]|\band\b|\bor\b")
_FRAGMENT_WORDS, _FRAGMENT_CHARACTERS = 4, 7


def points_back(question: str) -> bool:
    """Whether the question needs the turn before it: it says so, asks for an aspect only, or is no whole sentence."""
    if _FOLLOWS.search(question):
        return True
    own = own_terms(question)
    if not own - ASPECTS:
        return True
    pronoun = _PRONOUN.search(question)
    if pronoun and len(own) <= FEW_TERMS and not _named_before(question[: pronoun.start()]):
        return True
    return _is_fragment(question)


def _named_before(start: str) -> bool:
    """Whether the clause before the pronoun's names something that it may stand for."""
    clause, joined, _ = _CLAUSE.sub("\n", start).rpartition("\n")
    return bool(joined) and bool(own_terms(clause) - ASPECTS)


def own_terms(question: str) -> frozenset[str]:
    """Terms that neither ask nor stand for something said before."""
    terms = (t.text for t in query_terms(question))
    return frozenset(t for t in terms if t not in ASKING_WORDS and not _PRONOUN.fullmatch(t))


def _is_fragment(question: str) -> bool:
    """A few words with a question mark and nothing that makes a sentence of them: "In London?", "2023年？"."""
    text = question.strip()
    if not text.endswith(("?", "？")):
        return False
    words = text.rstrip("?？ ")
    if words.isascii():
        return len(words.split()) <= _FRAGMENT_WORDS and not _VERB.search(words)
    return len(words) <= _FRAGMENT_CHARACTERS and not _ASKS_ZH.search(words)
