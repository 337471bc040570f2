"""translate: a model puts the question into the other main language of the base."""

from __future__ import annotations

from pydantic import BaseModel

from assistant.rewrite import checks
from assistant.rewrite.content import codes_in, language_asked, same_search
from assistant.rewrite.policy import other_of
from assistant.rewrite.prompt import Prompt, ask, asked, may_ask
from assistant.rewrite.situation import Proposal, Situation

PROMPTS = {
    "en": Prompt(
        rules="You translate a search question into Chinese (simplified). Translate every word, keep numbers, codes "
        "and product names as they are. Add nothing, leave nothing out. Do not answer.",
        asked='question: "How many days of sick leave does form HR-12 allow?"',
        reply='{"translation": "HR-12 表允许休几天病假？"}',
    ),
    "zh": Prompt(
        rules="你负责把检索问题译成英文（English）。逐词翻译，数字、编号和产品名称保持原样。"
        "不增加内容，不遗漏内容。不要回答问题。",
        asked='question: "HR-12 表允许休几天病假？"',
        reply='{"translation": "How many days of sick leave does form HR-12 allow?"}',
    ),
}


class Translated(BaseModel):
    """The question in the other language."""

    translation: str


def propose(situation: Situation) -> Proposal | None:
    """The question in the other language, by whose words the passages are then judged.

    None without a model, for a question in neither Chinese nor English, and when no document is in the other one.
    """
    own = language_asked(situation.question)
    other = other_of(own)
    if not own or not situation.languages.get(other) or not may_ask(situation, "translate"):
        return None
    question = situation.question

    def wrong(reply: Translated) -> str:
        return _wrong(reply.translation, question, other, situation.history)

    reply, call = ask(situation, "translate", PROMPTS, asked(question), Translated, wrong)
    if reply is None:
        return Proposal((), call.why, call=call)
    why = (
        f"{situation.languages[other]} documents are in {checks.NAMES_OF[other]}: {call.model} translates the question"
    )
    return Proposal((reply.translation.strip(),), why, targeted=True, judged_by="queries", call=call)


def _wrong(translation: str, question: str, other: str, earlier: tuple[str, ...]) -> str:
    wrong = checks.of_query(translation, question, other, codes_in(question), question)
    return wrong or ("the same was searched already" if same_search(translation, earlier) else "")
