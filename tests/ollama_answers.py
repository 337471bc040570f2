"""The stand-in's /api/chat: scripted or real answers, with every way in which they go wrong."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol

from ollama_http import Wire
from ollama_models import Model, tagged
from ollama_state import Body, FakeOllama, Refused, count_tokens, least_reply

_THOUGHTS = ("Let me ", "think. ")
_TEMPLATE_TOKENS = 31


class Answer(Protocol):
    """Pieces of text; the counts and the reason are known once it was walked through."""

    prompt_tokens: int
    tokens: int
    reason: str

    def __iter__(self) -> Iterator[str]: ...


@dataclass
class Scripted:
    """Given pieces, cut after `limit`."""

    pieces: list[str]
    prompt_tokens: int
    limit: int
    tokens: int = 7
    reason: str = "stop"

    def __iter__(self) -> Iterator[str]:
        cut = 0 <= self.limit < len(self.pieces)
        shown = self.pieces[: self.limit] if cut else self.pieces
        self.tokens, self.reason = (self.limit, "length") if cut else (max(7, len(shown)), "stop")
        yield from shown


def chat(wire: Wire, body: Body, model: Model) -> None:
    """Answers one chat request. Raises Refused."""
    fake, faults = wire.fake, wire.active
    _check(body, model, faults)
    name = tagged(body["model"])
    if not body.get("messages"):
        load_only(wire, body, model, {"message": {"role": "assistant", "content": ""}})
        return
    window = load(wire, body, model)
    while not fake.runner.acquire(timeout=0.02):  # one request at a time, as OLLAMA_NUM_PARALLEL=1
        if wire.left():
            raise ConnectionAbortedError
    try:
        if "drop_first" in faults:
            wire.close_connection = True
            return
        if "error_first" in faults:
            raise Refused(500, "model runner has unexpectedly stopped, this may be due to resource limitations")
        if "slow_first" in faults:
            wire.wait(fake.gate)
        if fake.raw:
            _raw(wire)
            return
        answer = _answer(wire, body, window)
        (_stream if body.get("stream", True) else _at_once)(wire, body, model, answer)
        fake.unload_if_asked(name, body)
    finally:
        fake.runner.release()


def _raw(wire: Wire) -> None:
    wire.start_stream()
    for chunk in wire.fake.raw:
        wire.chunk(chunk)
    wire.end()


def _check(body: Body, model: Model, faults: frozenset[str]) -> None:
    name, think = body["model"], body.get("think")
    if not model.can("completion"):
        raise Refused(400, f'"{name}" does not support chat')
    if body.get("tools") and not model.can("tools"):
        raise Refused(400, f"registry.ollama.ai/library/{tagged(name)} does not support tools")
    if (think and not model.can("thinking")) or (think is not None and "think_unsupported" in faults):
        raise Refused(400, f'"{name}" does not support thinking')
    form = body.get("format")
    if form not in (None, "", "json") and not isinstance(form, dict):
        raise Refused(500, f'invalid format: {json.dumps(form)}; expected "json" or a valid JSON Schema object')


def load(wire: Wire, body: Body, model: Model) -> int:
    """The window of the model, which is in memory now. Raises Refused."""
    if "stall" in wire.active:
        wire.wait(wire.fake.gate)
    if "slow_load" in wire.active:
        wire.wait(wire.fake.load_gate)
    return wire.fake.load(tagged(body["model"]), model, body, wire.active).num_ctx


def load_only(wire: Wire, body: Body, model: Model, said: dict[str, Any]) -> None:
    """Answers a request without a prompt, which loads or unloads; it waits for no other answer."""
    reason = "unload" if wire.fake.unload_if_asked(tagged(body["model"]), body) else "load"
    if reason == "load":
        load(wire, body, model)
    last = {"model": body["model"], "created_at": _now(), **said, "done": True, "done_reason": reason}
    if not body.get("stream", True):
        wire.json(200, last)
        return
    wire.start_stream()
    wire.line(last)
    wire.end()


def _answer(wire: Wire, body: Body, window: int) -> Answer:
    fake = wire.fake
    if "format_ignored" in wire.active:
        body = {key: value for key, value in body.items() if key != "format"}
    limit = int((body.get("options") or {}).get("num_predict") or -1)
    pieces = fake.scripted(body)
    if pieces is None and fake.real_chat:
        from ollama_real import RealAnswer

        return RealAnswer(body, window, wire.left)
    if pieces is None:
        pieces = [least_reply(body["format"])] if body.get("format") else ["No ", "reply."]
    return Scripted(pieces, _prompt_tokens(fake, body, window, wire.active), limit)


def _prompt_tokens(fake: FakeOllama, body: Body, window: int, faults: frozenset[str]) -> int:
    """What the model reads: whole old messages are dropped first, then all but about half of the window."""
    messages = list(body["messages"])
    total = max(_TEMPLATE_TOKENS, sum(count_tokens(m["content"]) + 4 for m in messages))
    while total > window and body.get("truncate", True) and (old := _droppable(messages)) is not None:
        total -= count_tokens(messages.pop(old)["content"]) + 4
    if total > window and (body.get("truncate") is False or body.get("shift") is False):
        raise Refused(
            400, "the prompt is longer than the context length currently available to the model; shorten the prompt"
        )
    if total > window or "truncated" in faults:
        total = window // 2 + 2
    return total if fake.prompt_tokens is None else fake.prompt_tokens


def _droppable(messages: list[Body]) -> int | None:
    return next((n for n, m in enumerate(messages[:-1]) if m["role"] != "system"), None)


@dataclass
class _Clock:
    started: float = field(default_factory=time.monotonic)
    first: float | None = None

    def counters(self, answer: Answer) -> dict[str, int]:
        now = time.monotonic()
        first = self.first or now
        return {
            "total_duration": _ns(now - self.started),
            "load_duration": 1_000_000,
            "prompt_eval_count": answer.prompt_tokens,
            "prompt_eval_duration": _ns(first - self.started),
            "eval_count": answer.tokens,
            "eval_duration": _ns(now - first),
        }


def _ns(seconds: float) -> int:
    return max(1, int(seconds * 1e9))


def _stream(wire: Wire, body: Body, model: Model, answer: Answer) -> None:
    clock = _Clock()
    pieces = iter(_spoken(wire.active, answer))
    first = next(pieces, None)  # an error of the real model comes before the first byte
    wire.start_stream()
    for thought in _thoughts(wire.active, body, model):
        wire.line(_line(body, {"content": "", "thinking": thought}))
    clock.first = time.monotonic()
    said = 0
    while first is not None:
        wire.line(_line(body, {"content": first}))
        wire.fake.writing.set()
        said += 1
        if said == wire.fake.after and _broken_off(wire):
            return
        wire.pause()
        first = next(pieces, None)
    if "endless" in wire.active:
        _until_gone(wire, body)
    elif "drop" in wire.active:
        wire.close_connection = True
    else:
        _end(wire, body, answer, clock)


def _spoken(faults: frozenset[str], answer: Answer) -> Iterator[str]:
    if "thinking_only" in faults:
        answer.reason = "length"
        return
    if "think_tags" in faults:
        yield from ("<thi", "nk>Let me think.</th", "ink>\n\n")
    yield from answer


def _broken_off(wire: Wire) -> bool:
    if "stall_mid" in wire.active:
        wire.wait(wire.fake.gate)
    if "drop_mid" in wire.active:
        wire.close_connection = True
        return True
    return False


def _thoughts(faults: frozenset[str], body: Body, model: Model) -> tuple[str, ...]:
    forced = bool(faults & {"thinking", "thinking_only"})
    by_itself = "thinking" in (model.capabilities or ()) and body.get("think") is not False
    return _THOUGHTS if forced or by_itself else ()


def _end(wire: Wire, body: Body, answer: Answer, clock: _Clock) -> None:
    faults = wire.active
    if "error_line" in faults:
        wire.line({"error": "an error was encountered while running the model: unexpected EOF"})
    elif "garbage" in faults:
        wire.chunk(b"this is no JSON\n")
    elif "no_done" not in faults:
        wire.line(_last(faults, body, answer, clock))
    wire.end()


def _last(faults: frozenset[str], body: Body, answer: Answer, clock: _Clock, text: str = "") -> dict[str, Any]:
    reason = "length" if "length" in faults else answer.reason
    counters = {} if "no_counters" in faults else clock.counters(answer)
    return _line(body, {"content": text}) | {"done": True, "done_reason": reason} | counters


def _at_once(wire: Wire, body: Body, model: Model, answer: Answer) -> None:
    """Not a byte before all is written."""
    clock = _Clock()
    text = "".join(_spoken(wire.active, answer))
    content = _last(wire.active, body, answer, clock, text)
    if thoughts := "".join(_thoughts(wire.active, body, model)):
        content["message"]["thinking"] = thoughts
    wire.json(200, content)


def _until_gone(wire: Wire, body: Body) -> None:
    while not wire.fake.gate.wait(0.01):
        wire.line(_line(body, {"content": "on and "}))
    wire.close_connection = True


def _line(body: Body, message: dict[str, Any]) -> dict[str, Any]:
    said = {"role": "assistant", **message}
    return {"model": body["model"], "created_at": _now(), "message": said, "done": False}


def _now() -> str:
    return datetime.now(UTC).isoformat()
