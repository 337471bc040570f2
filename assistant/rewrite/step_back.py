"""step_back: a model asks a more general question, searched together with the one asked (Zheng et al., ICLR 2024).

One query holds both: as two, the general one would be a part of its own that the answer must cover, and the confidence,
which is that of the weakest part, would be its.
"""

from __future__ import annotations

from pydantic import BaseModel

from assistant.rewrite import checks
from assistant.rewrite.content import language_asked, same_search
from assistant.rewrite.prompt import Prompt, around, ask, asked, may_ask
from assistant.rewrite.situation import Proposal, Situation

PROMPTS = {
    "en": Prompt(
        rules="You find the more general question behind a search question: the rule, the topic or the process whose "
        "description would hold the answer. Write one short question. Do not answer.",
        asked='question: "May an intern in Oslo expense a taxi at 11 pm?"',
        reply='{"query": "What are the rules for taxi expenses?"}',
    ),
    "zh": Prompt(
        rules="你负责找出检索问题背后更一般的问题：答案会写在哪项规定、哪个主题或哪个流程里。写一个简短的问题。不要回答问题。",
        asked='question: "上海的实习生晚上十一点打车能报销吗？"',
        reply='{"query": "打车费用的报销规定是什么？"}',
    ),
}


class General(BaseModel):
    """The more general question."""

    query: str


def propose(situation: Situation) -> Proposal | None:
    """The question and a more general one as one query; None without a model or when it would not be tried anyway."""
    if situation.low or len(situation.question) > checks.MOST_CHARACTERS or not may_ask(situation, "step_back"):
        return None
    question, language, shown = situation.question, language_asked(situation.question), around(situation)

    def wrong(reply: General) -> str:
        problem = checks.of_query(reply.query, question, language, (), f"{question} {shown}")
        return problem or ("the same was searched already" if same_search(reply.query, situation.history) else "")

    task = "\n".join(filter(None, [asked(question), shown]))
    reply, call = ask(situation, "step_back", PROMPTS, task, General, wrong)
    if reply is None:
        return Proposal((), call.why, call=call)
    general = reply.query.strip()
    return Proposal((f"{question} {general}",), f"{call.model} adds a more general question: {general}", call=call)
