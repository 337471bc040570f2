"""Asking a chat model for a record instead of prose: constrained, validated, repaired once, never trusted further."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from assistant.errors import AssistantError
from assistant.providers.chat import Chat, ChatPiece, Messages, OnState
from assistant.trace import ModelCall

S = TypeVar("S", bound=BaseModel)
REQUESTS = 2
_FENCE = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL)


def ask_for(
    chat: Chat,
    purpose: str,
    messages: Messages,
    shape: type[S],
    cancel: threading.Event | None = None,
    check: Callable[[S], str] | None = None,
    max_tokens: int = 512,
    on_state: OnState | None = None,
) -> tuple[S | None, ModelCall]:
    """(the reply as a `shape`, the call's record); (None, a failed call) when no usable reply came. Never raises.

    The schema is enforced by the server and repeated in the prompt, since some servers ignore it silently. `check`
    returns what is wrong with a parsed reply, "" when it may be used. An unusable reply is asked for once more.
    """
    started = time.perf_counter()
    schema = shape.model_json_schema()
    asked = (*messages[:-1], (messages[-1][0], f"{messages[-1][1]}\n\n{_instruction(schema)}"))
    said, last, requests, why = "", ChatPiece(), 0, ""
    result: S | None = None
    try:
        while result is None and requests < REQUESTS:
            requests += 1
            sent = asked if not why else (*asked, ("assistant", said[:2000]), ("user", _repair(why)))
            said, last = _reply(chat, sent, cancel, max_tokens, schema, on_state)
            if last.done_reason == "stopped":
                why = "stopped"
                break
            result, why = _parsed(said, last, shape, check)
    except AssistantError as err:
        why = str(err)
    state = "failed" if result is None else "done" if requests == 1 else "repaired"
    call = ModelCall(
        purpose=purpose,
        model=chat.model,
        messages=tuple(asked),
        reply=said,
        state=state,
        why=why if result is None else "",
        requests=requests,
        seconds=time.perf_counter() - started,
        prompt_tokens=last.prompt_tokens,
        answer_tokens=last.answer_tokens,
    )
    return result, call


def _instruction(schema: object) -> str:
    return f"Reply with JSON only, according to this schema: {json.dumps(schema, ensure_ascii=False)}"


def _repair(why: str) -> str:
    return f"That cannot be used ({why}). Reply again with the JSON only."


def _reply(
    chat: Chat,
    messages: Messages,
    cancel: threading.Event | None,
    max_tokens: int,
    schema: dict[str, object],
    on_state: OnState | None,
) -> tuple[str, ChatPiece]:
    text, last = "", ChatPiece()
    for piece in chat.stream(messages, cancel, max_tokens, schema, on_state):
        text += piece.text
        last = piece
    return text, last


def _parsed(said: str, last: ChatPiece, shape: type[S], check: Callable[[S], str] | None) -> tuple[S | None, str]:
    """(the record, "") or (None, what is wrong). JSON in a fence or between other words is found as well."""
    if not said.strip():
        return None, "the reply was empty"
    fenced = _FENCE.search(said)
    text = fenced[1] if fenced else said
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        return None, "cut off by the length limit" if last.done_reason == "length" else "no JSON object in the reply"
    try:
        record = shape.model_validate_json(text[start : end + 1])
    except ValidationError as err:
        first = err.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the whole"
        return None, f"{place}: {first['msg']}"
    wrong = check(record) if check else ""
    return (None, wrong) if wrong else (record, "")
