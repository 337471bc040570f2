"""decompose: a model takes a question apart into questions whose results are merged."""

from __future__ import annotations

from pydantic import BaseModel, Field

from assistant.rewrite import checks
from assistant.rewrite.content import content, holds, language_asked, names_in, same_search
from assistant.rewrite.prompt import Prompt, ask, asked, may_ask
from assistant.rewrite.situation import Proposal, Situation

MOST_PARTS = 4

PROMPTS = {
    "en": Prompt(
        rules="You take a search question apart. Write one short question for each thing that it asks, at most 4; each "
        "must be understood without the others. Use the words of the question and keep every number, code and name. "
        "Ask nothing new. Do not answer.",
        asked='question: "Who signs a travel request to Oslo and how many days before the trip must it be filed?"',
        reply='{"parts": ["Who signs a travel request to Oslo?", '
        '"How many days before a trip to Oslo must a travel request be filed?"]}',
    ),
    "zh": Prompt(
        rules="你负责拆分检索问题。问题问到几件事，就写几个简短的问题，最多 4 个；每个都要能单独看懂。"
        "使用原问题中的词语，保留所有数字、编号和名称。不要增加新内容。不要回答问题。",
        asked='question: "去上海出差由谁审批，需要提前几天提交申请？"',
        reply='{"parts": ["去上海出差由谁审批？", "去上海出差需要提前几天提交申请？"]}',
    ),
}


class Parts(BaseModel):
    """Questions that each stand alone."""

    parts: list[str] = Field(min_length=1, max_length=MOST_PARTS)


def propose(situation: Situation) -> Proposal | None:
    """Two to four questions; None without a model or when the question was divided already."""
    if not may_ask(situation, "decompose") or len(situation.queries) > 1:
        return None
    question = situation.question

    def wrong(reply: Parts) -> str:
        return _wrong(reply.parts, question)

    reply, call = ask(situation, "decompose", PROMPTS, asked(question), Parts, wrong)
    if reply is None:
        return Proposal((), call.why, call=call)
    parts = tuple(part.strip() for part in reply.parts)
    if len(parts) < 2:
        return Proposal((), "the question has one part", call=call)
    return Proposal(parts, f"{call.model} divides the question: {' | '.join(parts)}", targeted=True, call=call)


def _wrong(parts: list[str], question: str) -> str:
    language, words = language_asked(question), content(question)
    for place, part in enumerate(parts):
        if wrong := checks.of_query(part, question, language, (), question):
            return f"part {place + 1}: {wrong}"
        if len(content(part) & words) * 2 < len(content(part)):
            return f"part {place + 1}: it asks something new"
        if same_search(part, parts[:place]):
            return f"part {place + 1}: it repeats another"
    lost = [name for name in names_in(question) if not any(holds(part, name) for part in parts)]
    return f"the parts lack {', '.join(lost)}" if lost else ""
