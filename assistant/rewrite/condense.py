"""condense: a follow-up that cannot stand alone is made to, by a model or with the key terms of the question before."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence

from pydantic import BaseModel

from assistant.chunking.shorten import fitted
from assistant.errors import AssistantError
from assistant.language import ASKING_WORDS, is_chinese
from assistant.providers.chat import Chat, OnState
from assistant.providers.structured import ask_for
from assistant.rewrite import checks
from assistant.rewrite.content import content, language_asked, names_in, same_search
from assistant.rewrite.follow_up import ASPECTS, own_terms, points_back
from assistant.rewrite.prompt import Prompt, copied, lists, quoted
from assistant.tokens import fold, query_terms, spans, tokens
from assistant.trace import Condensed, ModelCall, Turn

MOST_ADDED = 8
MOST_TOKENS = 256
SAME_STEM = 4
TURNS, ANSWER_CHARACTERS = 3, 300
SAID_SHARE = 4  # of the window, for the conversation: a pasted page must not push the rest out

PROMPTS = {
    "en": Prompt(
        rules="You complete follow-up questions. Write the follow-up as one question that is understood without the "
        "conversation. Take what is missing from the conversation only, and keep every word of the follow-up that "
        "names something. Add nothing else. Do not answer.",
        asked='conversation: ["What is the price of the blue pump?", "It costs 40 euros [1]."]\n'
        'follow-up: "And the red one?"',
        reply='{"question": "What is the price of the red pump?"}',
    ),
    "zh": Prompt(
        rules="你负责补全追问。请把追问写成一个不看对话也能看懂的问题。缺少的内容只能取自对话，"
        "追问中提到的事物都要保留。不要增加其他内容。不要回答问题。",
        asked='conversation: ["蓝色水泵的价格是多少？", "40 欧元 [1]。"]\nfollow-up: "红色的呢？"',
        reply='{"question": "红色水泵的价格是多少？"}',
    ),
}
# words that a whole sentence needs and that say nothing new
_JOINING = """
not no there any all also same apply applies applied used use get gets happen happens need needs there's did done
one ones other between during regarding case if so only per under after before over within without
不 没 没有 也 都 就 会 要 需 需要 能 可 时 中 里 上 下 后 前 内 一 个 种 些 每 各 及 或 并 而 则 之 所 以
用 来 去 到 让 使 吗 呢 啊 情况 关于
"""
JOINING = frozenset(_JOINING.split())


class Standalone(BaseModel):
    """A question that is understood without the conversation."""

    question: str


def condense(
    question: str,
    history: Sequence[Turn],
    chat: Chat | None = None,
    cancel: threading.Event | None = None,
    on_state: OnState | None = None,
) -> Condensed:
    """The question to search for. It is the question itself unless it points back to the turns before it.

    `chat` completes it from what the person asked and read; nothing else may enter. Without one, or when its reply
    cannot be used, the key terms of the last question that stands alone are added. The record says which.
    """
    if not history:
        return _as_asked(question, "the first question of the conversation")
    if not points_back(question):
        return _as_asked(question, "the question stands alone")
    if chat is None or len(question) > checks.MOST_CHARACTERS:
        return _with_terms(question, history)
    reply, call = _completed(question, history, chat, cancel, on_state)
    if reply is None:
        return _after_failure(_with_terms(question, history), call)
    return Condensed(
        original=question,
        standalone=reply,
        method="completed by the model",
        added=_new_words(reply, question),
        why=f"the question points back; {call.model} completed it from the conversation",
        call=call,
    )


def _completed(
    question: str, history: Sequence[Turn], chat: Chat, cancel: threading.Event | None, on_state: OnState | None
) -> tuple[str | None, ModelCall]:
    said = _conversation(history)
    prompt = PROMPTS["zh" if is_chinese(f"{question} {history[-1].question}") else "en"]
    try:
        shown = fitted(said, chat.window // SAID_SHARE, chat.counter.count)
    except AssistantError as err:  # the server cannot say how large the window is
        return None, ModelCall(purpose="condense", model=chat.model, state="failed", why=str(err), requests=0)
    task = f"{lists(conversation=shown)}\nfollow-up: {quoted(question)}"
    messages = (("system", prompt.rules), ("user", prompt.asked), ("assistant", prompt.reply), ("user", task))

    def wrong(reply: Standalone) -> str:
        return _wrong(reply.question, question, said) or copied(reply.question, task, prompt)

    reply, call = ask_for(chat, "condense", messages, Standalone, cancel, wrong, MOST_TOKENS, on_state)
    return (reply.question.strip() if reply else None), call


def _conversation(history: Sequence[Turn]) -> list[str]:
    """The last questions and answers, oldest first, as the person saw them; long answers cut."""
    said: list[str] = []
    for turn in history[-TURNS:]:
        said += [turn.question, *([turn.answer[:ANSWER_CHARACTERS]] if turn.answer else [])]
    return said


def _wrong(reply: str, question: str, said: Sequence[str]) -> str:
    """What is wrong with a completed question: above all, whatever neither the person nor an answer has said."""
    language = language_asked(question) if content(question) else ""
    wrong = checks.of_query(reply, question, language, names_in(question), f"{question} {' '.join(said)}")
    if wrong:
        return wrong
    if same_search(reply, [question]):
        return "nothing from the conversation was added"
    if fold(reply) in map(fold, said):
        return "it repeats the conversation"
    if lost := sorted(word for word in own_terms(question) - ASPECTS if not _kept(word, reply)):
        return f"it lacks {', '.join(lost)}"
    invented = _invented(reply, f"{question} {' '.join(said)}")
    return f"nobody mentioned {', '.join(invented)}" if invented else ""


def _kept(word: str, reply: str) -> bool:
    """Whether the reply has the word, in English in any form: differ, difference."""
    if is_chinese(word):
        return word in fold(reply)
    return any(own[:SAME_STEM] == word[:SAME_STEM] for own in tokens(reply))


def _invented(reply: str, known: str) -> list[str]:
    """Words of the reply that carry meaning and stand neither in the conversation nor in the follow-up."""
    there, folded = content(known), fold(known)
    return [
        word
        for word in sorted(content(reply))
        if word not in there and word not in JOINING and not (is_chinese(word) and word in folded)
    ]


def _new_words(reply: str, question: str) -> tuple[str, ...]:
    """What the reply added, as written: Chinese words that touch are one."""
    own = {t.text for t in query_terms(question)} | ASKING_WORDS | JOINING
    runs: list[tuple[int, int]] = []
    for start, end, _ in spans(reply, {t.text for t in query_terms(reply)} - own):
        if runs and start <= runs[-1][1]:
            first, last = runs.pop()
            runs.append((first, max(end, last)))
        else:
            runs.append((start, end))
    return tuple(dict.fromkeys(reply[start:end] for start, end in runs))


def _after_failure(instead: Condensed, call: ModelCall) -> Condensed:
    why = f"{call.model} did not complete the question ({call.why}); {instead.why}"
    return instead.model_copy(update={"why": why, "call": call})


def _with_terms(question: str, history: Sequence[Turn]) -> Condensed:
    last = next((t.question for t in reversed(history) if not points_back(t.question)), history[0].question)
    added = _key_terms(last, question)
    if not added:
        return _as_asked(question, "the question before it has no terms to add")
    return Condensed(
        original=question,
        standalone=f"{question} {' '.join(added)}",
        method="terms of the last question added",
        added=added,
        why=f"the question points back; added from “{last}”: {', '.join(added)}",
    )


def _as_asked(question: str, why: str) -> Condensed:
    return Condensed(original=question, standalone=question, method="as asked", why=why)


def _key_terms(last: str, question: str) -> tuple[str, ...]:
    """Words of the last question that carry meaning and are not in this one, as written, in order."""
    known = {t.text for t in query_terms(question)}
    words = [re.sub(r"['’]s$", "", w) for w in re.findall(r"[\w.+#'’-]+", _ZH_QUESTION.sub(" ", last))]
    kept = [w for w in words if w.casefold() not in ASKING_WORDS and w.casefold() not in known]
    return tuple(dict.fromkeys(kept))[:MOST_ADDED]


_ZH_QUESTION = re.compile(
    r"请问|是什么|什么时候|什么|是多少|多少|怎么样|怎么|如何|为什么|哪里|哪些|哪个|哪一?年|几[个年天月次]|是谁|谁|吗|呢|有没有|是否|[的了在是有](?=\s|$)"
)
