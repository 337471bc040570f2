"""reword: a model words the question as the documents might, from what the best chunk lacks."""

from __future__ import annotations

from pydantic import BaseModel

from assistant.language import ASKING_WORDS
from assistant.rewrite import checks
from assistant.rewrite.content import language_asked
from assistant.rewrite.prompt import Prompt, around, ask, asked, may_ask
from assistant.rewrite.situation import Proposal, Situation

PROMPTS = {
    "en": Prompt(
        rules="You word search questions anew. The documents did not answer the question as it was worded. Write one "
        "question with the same meaning in words that the documents are likely to use. Keep every number, code and "
        "name. Do not repeat what was searched already. Do not answer.",
        asked='question: "How long may I stay away when my child is born?"\n'
        'missing: ["stay", "away", "born"]\n<data>\ntitles: ["Working hours", "Leave of absence"]\n</data>',
        reply='{"query": "How many weeks of parental leave after the birth of a child?"}',
    ),
    "zh": Prompt(
        rules="你负责改写检索问题。按原来的说法没有在文档中找到答案。请写出一个意思相同的问题，"
        "换用文档中可能使用的词语。保留所有数字、编号和名称。不要重复已检索过的说法。不要回答问题。",
        asked='question: "孩子出生我能歇多久？"\nmissing: ["歇", "出生"]\n'
        '<data>\ntitles: ["考勤制度", "休假管理办法"]\n</data>',
        reply='{"query": "员工生育后可以休多少天产假或陪产假？"}',
    ),
}


class Reworded(BaseModel):
    """The question in other words."""

    query: str


def propose(situation: Situation) -> Proposal | None:
    """One question in other words; None without a model, without queries when its reply cannot be used."""
    if not may_ask(situation, "reword"):
        return None
    missing = [word for word in situation.missing if word not in ASKING_WORDS]
    shown = around(situation)
    task = "\n".join(filter(None, [asked(situation.question, missing=missing, searched=situation.history[1:]), shown]))
    language = language_asked(situation.question)

    def wrong(reply: Reworded) -> str:
        return checks.of_rewording(reply.query, situation.question, language, situation.history, shown)

    reply, call = ask(situation, "reword", PROMPTS, task, Reworded, wrong)
    if reply is None:
        return Proposal((), call.why, call=call)
    why = f"the best chunk lacks {', '.join(missing[:4])}: " if missing else ""
    return Proposal((reply.query.strip(),), f"{why}{call.model} words the question anew", targeted=True, call=call)
