"""The written answer: a local chat model, given only the sources; its citations and its sentences are checked by us."""

from __future__ import annotations

import re
import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assistant.answer import extractive
from assistant.answer.brief import Brief, caveat_of
from assistant.answer.citations import cited
from assistant.answer.not_there import lacks_something, may_be_marker, without_answer, without_marker
from assistant.answer.prompt import build_prompt, counted, longest_answer, used_sources
from assistant.answer.support import supported
from assistant.chunking.sentences import sentences
from assistant.errors import AssistantError, BadReply, ModelUnavailable, TextTooLong
from assistant.providers.chat import Chat, ChatPiece
from assistant.trace import Answered, Citation, Delta, Passage, Prompt, Sentence, Step

SHARES = (1.0, 0.6)  # of the window: once more with less when the server finds the prompt too long after all
THOUGHT = 8  # tokens: a model that made more without any text has been thinking
OVERLAP = 6  # characters said twice at a joint; fewer may be the same by chance
_WHOLE = re.compile(r"[.。!！?？;；:：|)）\]】”\"]\s*$")
_NEW_LINE = re.compile(r"[-*•|#]\s|\d{1,2}[.)、]\s")


@dataclass(frozen=True)
class _Reply:
    """What came of one request; `used`: the passages by their numbers from 1."""

    text: str
    last: ChatPiece
    prompt: Prompt
    used: tuple[Passage, ...]


def write(brief: Brief) -> Iterator[Step]:
    """Deltas as the model writes, then one Answered; the quoted answer, which says why, when the model wrote nothing.

    No Answered when the person stopped it before the first word. "Not in the documents" is a declined answer.
    """
    started = time.perf_counter()
    try:
        chat = _chat(brief)
        reply = yield from _asked(brief, chat)
        if not reply.text.strip() and reply.last.done_reason == "stopped":
            return
        step: Step = _answered(brief, chat, reply)
    except AssistantError as err:
        step = _quoted(brief, err)
    yield step.model_copy(update={"seconds": time.perf_counter() - started})


def continue_answer(brief: Brief, answered: Answered) -> Iterator[Step]:
    """Deltas with what follows an incomplete answer, then one Answered with the whole, checked anew.

    A last sentence that broke off is written again. `brief`: that of the answer, with the same evidence. When nothing
    comes, the same answer, and why.
    """
    started = time.perf_counter()
    so_far = _finished(answered.reply or answered.text)
    step = answered
    try:
        if not answered.model:
            raise BadReply("This answer cannot be continued: no chat model wrote it; ask the question again.")
        chat = _chat(brief)
        reply = yield from _asked(replace(brief, draft=answered.draft), chat, so_far)
        if reply.text.strip():
            step = _answered(brief, chat, _whole(brief, answered, so_far, reply))
        elif reply.last.done_reason != "stopped":
            raise _empty(chat, reply.last)
    except AssistantError as err:
        step = answered.model_copy(update={"why": str(err)})
    yield step.model_copy(update={"draft": answered.draft, "seconds": time.perf_counter() - started})


def _chat(brief: Brief) -> Chat:
    if brief.chat is None:
        raise ModelUnavailable("No chat model is chosen; set answering.model, for example to qwen3:4b-instruct.")
    return brief.chat


# ---------------------------------------------------------------- asking


def _asked(brief: Brief, chat: Chat, so_far: str = "") -> Generator[Step, None, _Reply]:
    """Deltas; at last the reply. Raises what building the prompt and the chat raise, as long as there is no text."""
    for share in SHARES:
        prompt, used = build_prompt(brief, chat, share, so_far)
        try:
            text, last = yield from _streamed(brief, chat, prompt, so_far)
            break
        except TextTooLong:
            if share == SHARES[-1]:
                raise
    return _Reply(text, last, counted(prompt, chat, last.prompt_tokens), used)


def _streamed(brief: Brief, chat: Chat, prompt: Prompt, so_far: str) -> Generator[Step, None, tuple[str, ChatPiece]]:
    text, held, last = "", "", ChatPiece()
    length = longest_answer(prompt, brief.settings.answering.max_tokens)
    try:
        for last in chat.stream(prompt.messages, brief.cancel, length, on_state=brief.on_state):
            held += last.text if text or not last.text else _joint(so_far, last.text) + last.text
            text += last.text
            if held and not may_be_marker(text):
                yield Delta(attempt=brief.decided.attempt, text=held, draft=brief.draft)
                held = ""
    except AssistantError as err:
        if not text:
            raise
        last = ChatPiece(done_reason="incomplete", why=str(err))
    return text, last


def _empty(chat: Chat, last: ChatPiece) -> BadReply:
    if last.done and last.done_reason == "length":
        return BadReply(
            f"{chat.model} spent the whole length on thinking and wrote no answer; choose a model that does not think, "
            "or allow longer answers (setting answering.max_tokens)."
        )
    if (last.answer_tokens or 0) > THOUGHT:
        return BadReply(
            f"{chat.model} wrote {last.answer_tokens} tokens of thinking and no answer; choose a model that does not "
            "think."
        )
    return BadReply(last.why or f"{chat.model} wrote no answer; ask again, or choose another model.")


# ---------------------------------------------------------------- checking


def _answered(brief: Brief, chat: Chat, reply: _Reply) -> Answered:
    """The answer with every sentence checked, or that there is none. Raises BadReply when the reply holds no word."""
    found = cited(without_marker(reply.text), len(reply.used))
    if not found.sentences:
        raise _empty(chat, reply.last)
    common: dict[str, Any] = {
        "attempt": brief.decided.attempt,
        "writer": "ollama",
        "model": chat.model,
        "prompt": reply.prompt,
        "draft": brief.draft,
        "answer_tokens": reply.last.answer_tokens,
        "reply": reply.text,
        **_end(reply.last),
    }
    if common["state"] == "complete" and without_answer(reply.text, found.sentences):
        return _declined(brief, chat, len(reply.used)).model_copy(update=common)
    said = supported(found.sentences, reply.used)
    citations = _citations(said, reply.used)
    caveat = _caveat(brief, reply.prompt, said, citations)
    return Answered(
        **common,
        decision="caveat" if caveat else "answer",
        text=found.text(said),
        label=f"由 {chat.model} 根据您的文档撰写" if brief.chinese else f"written by {chat.model} from your documents",
        caveat=caveat,
        sentences=said,
        citations=citations,
        removed_citations=found.removed,
    )


def _citations(said: Sequence[Sentence], used: Sequence[Passage]) -> tuple[Citation, ...]:
    """One for each number shown; a model cites whole passages."""
    numbers = sorted({n for s in said for n in s.citations})
    return tuple(Citation.of(n, used[n - 1], used[n - 1].start, used[n - 1].end) for n in numbers)


def _end(last: ChatPiece) -> dict[str, str]:
    """How it ended, in the fields of Answered."""
    if last.done and last.done_reason != "length":
        return {"state": "complete", "stopped_by": "done", "why": ""}
    if last.done:
        return {"state": "incomplete", "stopped_by": "length", "why": "cut off by the length limit"}
    if last.done_reason == "stopped":
        return {"state": "incomplete", "stopped_by": "stopped", "why": "stopped before it was finished"}
    return {"state": "incomplete", "stopped_by": "incomplete", "why": last.why or "the model stopped midway"}


def _caveat(brief: Brief, prompt: Prompt, said: Sequence[Sentence], citations: Sequence[Citation]) -> str:
    """What the person is warned of, in the language of the question; the gravest only, "" for nothing."""
    if not citations:
        if brief.chinese:
            return "这段话没有注明任何来源，请以文档原文为准。"
        return "No sentence of this names a source in your documents; rely on the documents themselves."
    if not any(content.endswith(brief.question) for _, content in prompt.messages):
        if brief.chinese:
            return "问题太长，模型的窗口容不下：中间部分没有读到。"
        return "The question is too long for the window of the model: it has not read the middle part."
    if any(lacks_something(s.text) for s in said):
        if brief.chinese:
            return "模型认为文档中只有部分答案。"
        return "The model says that the documents hold only a part of the answer."
    return caveat_of(brief)


# ---------------------------------------------------------------- instead of an answer


def _declined(brief: Brief, chat: Chat, sources: int) -> Answered:
    label = (
        f"{chat.model} 阅读了 {sources} 个来源，没有找到答案"
        if brief.chinese
        else f"{chat.model} read {sources} sources and found no answer in them"
    )
    text = "您的文档中没有找到答案。" if brief.chinese else "Not found in your documents."
    said = brief.declined() if brief.declined else Answered(writer="", decision="decline", text=text, label="")
    return said.model_copy(update={"label": label, "caveat": ""})


def _quoted(brief: Brief, err: AssistantError) -> Step:
    """The best sentences of the sources instead; label and `why` say what kept the model from writing."""
    *_, step = extractive.write(brief)
    update: dict[str, Any] = {"why": str(err), "draft": brief.draft}
    if brief.chat is not None:
        model = brief.chat.model
        update["label"] = (
            f"摘自您的文档，因为 {model} 没有写出答案"
            if brief.chinese
            else f"quoted from your documents, since {model} wrote no answer"
        )
    return step.model_copy(update=update)


# ---------------------------------------------------------------- going on


def _whole(brief: Brief, answered: Answered, so_far: str, reply: _Reply) -> _Reply:
    """Both parts as one reply; its numbers mean what they meant in the first part."""
    before = used_sources(answered.prompt, [p for _, p in brief.evidence]) if answered.prompt else ()
    used = max(before, reply.used, key=len)
    tokens = (answered.answer_tokens or 0) + (reply.last.answer_tokens or 0)
    last = replace(reply.last, answer_tokens=tokens or None)
    return replace(reply, text=_together(so_far, reply.text), used=used, last=last)


def _finished(text: str) -> str:
    """The text without a last sentence that broke off, unless it has no other."""
    places = list(sentences(text))
    if len(places) > 1 and not _WHOLE.search(text):
        places.pop()
    return text[: places[-1][1]] if places else text


def _together(before: str, more: str) -> str:
    """Both texts; what the model said again at the joint, or the whole of it from the start, stands there once."""
    more = more.strip()
    if len(more) >= len(before) and more.startswith(before):
        return more
    for size in range(min(len(before), len(more)), OVERLAP - 1, -1):
        if before.endswith(more[:size]):
            more = more[size:]
            return before + (more if before[-1:].isalnum() else _joint(before, more) + more.lstrip())
    return before + _joint(before, more) + more


def _joint(before: str, more: str) -> str:
    """What belongs between two texts: a line end before a list item, nothing within Chinese, else a blank."""
    if not before or not more or before[-1].isspace() or more[0].isspace():
        return ""
    if _NEW_LINE.match(more):
        return "\n"
    return "" if before[-1] > "\u2e80" or more[0] > "\u2e80" or more[0] in ".,;:!?)" else " "
