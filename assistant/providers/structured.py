"""Asking a chat model for a record instead of prose: constrained, validated, repaired once, never trusted further."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from assistant.errors import AssistantError, ModelUnavailable
from assistant.providers.chat import Chat, ChatPiece, Messages, OnState
from assistant.providers.counting import estimate_tokens
from assistant.trace import ModelCall

S = TypeVar("S", bound=BaseModel)
REQUESTS = 2
_FENCE = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL)
# characters of an unusable reply that it is reminded of: the prompt may fill the window but for one reply
_QUOTED = 300
_CUT = "cut off by the length limit"


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
    returns what is wrong with a parsed reply, "" when it may be used. An unusable reply is asked for once more, with
    twice the room when it was cut off; the counts of tokens are of both.
    """
    started = time.perf_counter()
    asking = _Asking(chat, messages, shape, check or (lambda record: ""), max_tokens)
    try:
        while asking.record is None and asking.requests < REQUESTS and not asking.given_up:
            asking.ask(cancel, on_state)
    except AssistantError as err:
        asking.why = str(err)
        # a model that is not there was not asked
        asking.requests -= isinstance(err, ModelUnavailable)
    call = ModelCall(
        purpose=purpose,
        model=chat.model,
        messages=tuple(asking.messages),
        reply=asking.said,
        state="failed" if asking.record is None else "done" if asking.requests == 1 else "repaired",
        why=asking.why,
        requests=asking.requests,
        seconds=time.perf_counter() - started,
        prompt_tokens=asking.prompt_tokens,
        answer_tokens=asking.answer_tokens,
    )
    return asking.record, call


class _Asking(Generic[S]):
    """The requests so far: the last reply, what is wrong with it, and the record once there is one."""

    def __init__(
        self, chat: Chat, messages: Messages, shape: type[S], check: Callable[[S], str], max_tokens: int
    ) -> None:
        self.chat, self.shape, self.check, self.max_tokens = chat, shape, check, max_tokens
        self.schema = shape.model_json_schema()
        role, content = messages[-1]
        self.messages: Messages = (*messages[:-1], (role, f"{content}\n\n{_instruction(self.schema)}"))
        self.record: S | None = None
        self.said, self.why = "", ""
        self.requests, self.given_up = 0, False
        self.prompt_tokens: int | None = None
        self.answer_tokens: int | None = None

    def ask(self, cancel: threading.Event | None, on_state: OnState | None) -> None:
        """One request, the second time with what was wrong with the reply before. Raises what the chat raises."""
        sent = self.messages
        if self.requests:
            quoted = (("assistant", self.said[:_QUOTED]),) if self.said else ()
            sent = (*sent, *quoted, ("user", _repair(self.why)))
        room = self.max_tokens * 2 if self.why == _CUT else self.max_tokens
        self.requests += 1
        self.said = ""
        last = ChatPiece()
        for last in self.chat.stream(sent, cancel, room, self.schema, on_state):
            self.said += last.text
        self._take(sent, last)

    def _take(self, sent: Messages, last: ChatPiece) -> None:
        self.prompt_tokens = _sum(self.prompt_tokens, last.prompt_tokens)
        self.answer_tokens = _sum(self.answer_tokens, last.answer_tokens)
        if last.done_reason == "stopped":
            self.why, self.given_up = "stopped", True
        elif self._truncated(sent, last):
            self.why, self.given_up = "the server has read only a part of the request", True
        else:
            self.record, self.why = self._parsed(last)

    def _truncated(self, sent: Messages, last: ChatPiece) -> bool:
        estimated = sum(estimate_tokens(content) for _, content in sent)
        return self.chat.counter.learn(estimated, last.prompt_tokens, self.chat.window)

    def _parsed(self, last: ChatPiece) -> tuple[S | None, str]:
        """(the record, "") or (None, what is wrong). JSON in a fence or between other words is found as well."""
        text = self.said.strip()
        if not text:
            return None, last.why or "the reply was empty"
        if not text.startswith("{") and (fenced := _FENCE.search(text)):
            text = fenced[1]
        start, end = text.find("{"), text.rfind("}")
        if start < 0 or (end < start and last.done_reason != "length"):
            return None, "no JSON object in the reply"
        try:
            record = self.shape.model_validate_json(text[start : end + 1])
        except ValidationError as err:
            return None, _CUT if last.done_reason == "length" else last.why or _first(err)
        wrong = self.check(record)
        return (None, wrong) if wrong else (record, "")


def _instruction(schema: object) -> str:
    return f"Reply with JSON only, according to this schema: {json.dumps(schema, ensure_ascii=False)}"


def _repair(why: str) -> str:
    return f"That cannot be used ({why}). Reply again with the JSON only."


def _first(err: ValidationError) -> str:
    first = err.errors()[0]
    place = ".".join(map(str, first["loc"])) or "the whole"
    return f"{place}: {first['msg']}"


def _sum(before: int | None, more: int | None) -> int | None:
    return more if before is None else before + (more or 0)
