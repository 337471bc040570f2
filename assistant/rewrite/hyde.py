"""hyde: a model writes a passage as it might stand in the documents; real passages near to it in meaning are found.

Hypothetical document embeddings (Gao et al., ACL 2023). The passage is made up: the vector route searches with it, the
text route with the words of the question, and it is never evidence.
"""

from __future__ import annotations

from pydantic import BaseModel

from assistant.rewrite import checks
from assistant.rewrite.content import content, language_asked
from assistant.rewrite.prompt import Prompt, around, ask, asked, may_ask
from assistant.rewrite.situation import Proposal, Situation

MOST_CHARACTERS = {"zh": 300, "en": 900, "": 300}  # an embedder that reads 512 tokens takes either

PROMPTS = {
    "en": Prompt(
        rules="You write a short passage (2 or 3 sentences) as it might stand in a document that answers the question. "
        "It is only used to search for real passages: write in the style of the documents, do not address the reader.",
        asked='question: "How warm may the server room get?"',
        reply='{"passage": "The temperature in the server room is kept below a set limit. When it is exceeded, the '
        'cooling is checked and the equipment is shut down."}',
    ),
    "zh": Prompt(
        rules="请写一小段话（两三句），就像它写在能够回答该问题的文档里一样。这段话只用来检索真正的段落："
        "用文档的文体来写，不要对读者说话。",
        asked='question: "机房最高可以到多少度？"',
        reply='{"passage": "机房温度应保持在规定的上限以下。超过上限时，应检查空调并关闭设备。"}',
    ),
}


class Imagined(BaseModel):
    """A passage as in a document."""

    passage: str


def propose(situation: Situation) -> Proposal | None:
    """The question with an imagined passage; None without a model or when it would not be tried anyway."""
    if situation.low or not may_ask(situation, "hyde") or "vector" not in situation.settings.retrieval.routes:
        return None
    question, shown = situation.question, around(situation)
    language = language_asked(question)

    def wrong(reply: Imagined) -> str:
        return _wrong(reply.passage, question, language)

    task = "\n".join(filter(None, [asked(question), shown]))
    reply, call = ask(situation, "hyde", PROMPTS, task, Imagined, wrong)
    if reply is None:
        return Proposal((), call.why, call=call)
    why = f"search for passages like one that {call.model} made up; it is no evidence"
    return Proposal((question,), why, call=call, imagined=" ".join(reply.passage.split()))


def _wrong(passage: str, question: str, language: str) -> str:
    problem = checks.of_text(passage, language, MOST_CHARACTERS[language])
    return problem or ("it says no more than the question" if content(passage) <= content(question) else "")
