"""The state of the stand-in server: what a test gives it, and what it noted down."""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from ollama_models import Loaded, Model, Pullable, kept_until, tagged

OUT_OF_MEMORY = "model requires more system memory (5.3 GiB) than is available (4.4 GiB)"
DEFAULT_WINDOW = 4096

Body = dict[str, Any]
Pieces = Iterable[str] | Callable[[Body], Iterable[str]]


class Refused(Exception):
    """An error of the server: with its status before the first byte, as a line after it."""

    def __init__(self, status: int, error: str) -> None:
        super().__init__(error)
        self.status = status
        self.error = error


@dataclass(frozen=True)
class Reply:
    """Said when `pattern` is found in the last user message and `system` in the system message.

    `formatted`: True = only where the request has a `format`, False = only where it has none, None = both.
    """

    pattern: str
    pieces: Pieces
    formatted: bool | None = None
    system: str = ""

    def fits(self, body: Body) -> bool:
        if self.formatted is not None and self.formatted != bool(body.get("format")):
            return False
        said = {role: "\n".join(m["content"] for m in body["messages"] if m["role"] == role) for role in ("system",)}
        return bool(re.search(self.pattern, asked(body)) and re.search(self.system, said["system"]))


@dataclass
class Call:
    """One request in the log; times are time.monotonic() in seconds, None = not yet. `left`: the client went away."""

    path: str
    body: Body
    started: float
    ended: float | None = None
    left: float | None = None


@dataclass
class FakeOllama:
    """What the server has, says and does wrong; `received` is what it was sent, as (path, body), `log` with times.

    `replies`: (pattern of the last user message, pieces of the answer) or Reply; the first that fits is said, and its
    pieces may be a function of the request. Without one, "No reply.", or the least that the `format` allows, or with
    `real_chat` the real model.

    `faults`, and `fail_next` for some requests only:
    any request: text_404, html, forbidden, busy; out_of_memory where a model is used; show_500
    loading: stall (waits for `gate`), other_window (4096 whatever is asked)
    chat, before the first byte: slow_first (waits for `gate` once loaded), drop_first, error_first, think_unsupported
    chat, while it writes: stall_mid (waits for `gate` after `after` pieces), drop_mid, endless (until the client goes)
    chat, at its end: no_done, drop, error_line, garbage, length, no_counters
    what a chat says: thinking, thinking_only, think_tags, truncated, format_ignored
    vectors: nan, zero, short, missing
    pull, half way: pull_stall (tells the same until `gate`), pull_silent (says nothing until `gate`), pull_drop,
    pull_retries; at once: pull_412

    `poison`: a text that alone causes the vector fault; "" = every text does.
    `memory`: bytes for loaded models, the oldest goes when the next does not fit; 0 = endless. `vram`: the part of it
    that is on the graphics card. `oom_above`: loading with a larger num_ctx fails for want of memory.
    `prompt_tokens`: said instead of the count. `pause`: seconds between pieces and between lines of a pull.
    `blobs`: bytes that have come of each digest: a second pull goes on from there.
    `raw`: a chat is answered with these chunks as they are and nothing else.
    `waiting` is set when a request waits for `gate`, `writing` with the first piece or line, `gone` when a client went
    away in the middle.
    """

    models: dict[str, Model] = field(default_factory=dict)
    replies: list[tuple[str, Pieces] | Reply] = field(default_factory=list)
    faults: set[str] = field(default_factory=set)
    poison: str = ""
    after: int = 1
    library: dict[str, Pullable] = field(default_factory=dict)
    memory: int = 0
    vram: int = 0
    oom_above: int = 0
    prompt_tokens: int | None = None
    pause: float = 0.0
    raw: list[bytes] = field(default_factory=list)
    version: str = "0.33.0"
    real_chat: bool = False
    real_embed: bool = False
    received: list[tuple[str, Body]] = field(default_factory=list)
    log: list[Call] = field(default_factory=list)
    loads: list[tuple[str, int]] = field(default_factory=list)
    loaded: dict[str, Loaded] = field(default_factory=dict)
    blobs: dict[str, int] = field(default_factory=dict)
    gate: threading.Event = field(default_factory=threading.Event)
    load_gate: threading.Event = field(default_factory=threading.Event)
    gone: threading.Event = field(default_factory=threading.Event)
    waiting: threading.Event = field(default_factory=threading.Event)
    writing: threading.Event = field(default_factory=threading.Event)
    runner: threading.Lock = field(default_factory=threading.Lock)
    loader: threading.Lock = field(default_factory=threading.Lock)
    url: str = ""
    stop: Callable[[], None] = lambda: None
    start: Callable[[], None] = lambda: None
    _limited: list[list[Any]] = field(default_factory=list)

    def fail_next(self, count: int, *faults: str, path: str = "/api/chat") -> None:
        """These faults for the next `count` requests at this path only."""
        self._limited.append([count, path, frozenset(faults)])

    def take_faults(self, path: str) -> frozenset[str]:
        """The faults of the request that has just come in at this path."""
        taken = set(self.faults)
        for entry in self._limited:
            if entry[0] and entry[1] == path:
                entry[0] -= 1
                taken |= entry[2]
        return frozenset(taken)

    def restart(self) -> None:
        """Ends the server in the middle of whatever it does and starts it again at the same address, nothing loaded."""
        self.stop()
        self.loaded.clear()
        self.start()

    def bodies(self, path: str) -> list[Body]:
        """The bodies received at this path, in order."""
        return [body for received, body in self.received if received == path]

    def calls(self, path: str) -> list[Call]:
        """The log of this path, in order."""
        return [call for call in self.log if call.path == path]

    def note(self, path: str, body: Body) -> Call:
        self.received.append((path, body))
        self.log.append(call := Call(path, body, time.monotonic()))
        return call

    def scripted(self, body: Body) -> list[str] | None:
        """The pieces of the first reply that fits; None when there is none."""
        for entry in self.replies:
            reply = entry if isinstance(entry, Reply) else Reply(*entry)
            if reply.fits(body):
                return list(reply.pieces(body) if callable(reply.pieces) else reply.pieces)
        return None

    def vector(self, text: str, dimension: int) -> list[float]:
        """Eight or so numbers that depend on the text alone; not of length 1, as some servers send them."""
        digest = hashlib.sha256(text.encode()).digest()
        return [digest[place % 32] - 127.5 for place in range(dimension)]

    def load(self, name: str, model: Model, body: Body, faults: frozenset[str]) -> Loaded:
        """The model in memory, loaded (again) where the window is another. Raises Refused."""
        window = self._window(model, body, faults)
        try:
            until = kept_until(body.get("keep_alive"))
        except ValueError as err:
            raise Refused(400, str(err)) from err
        with self.loader:
            self._expire()
            present = self.loaded.get(name)
            if present is None or present.num_ctx != window:
                self.loaded.pop(name, None)
                self._make_room(model.memory(window))
                self.loads.append((name, window))
                present = self.loaded[name] = Loaded(name, model, window, until)
            elif body.get("keep_alive") is not None:
                present.until = until
            return present

    def unload_if_asked(self, name: str, body: Body) -> bool:
        """Whether keep_alive 0 has just put it out of memory."""
        if body.get("keep_alive") not in (0, "0s", "0m", "0h", "0ms"):
            return False
        self.loaded.pop(name, None)
        return True

    def in_memory(self) -> list[Loaded]:
        """The loaded models, the last loaded first."""
        self._expire()
        return list(reversed(self.loaded.values()))

    def _expire(self) -> None:
        now = datetime.now(UTC)
        for name in [n for n, entry in self.loaded.items() if entry.until <= now]:
            del self.loaded[name]

    def _window(self, model: Model, body: Body, faults: frozenset[str]) -> int:
        asked_for = (body.get("options") or {}).get("num_ctx")
        if asked_for is not None and not isinstance(asked_for, int):
            raise Refused(500, 'option "num_ctx" must be of type integer')
        if self.oom_above and (asked_for or DEFAULT_WINDOW) > self.oom_above:
            raise Refused(500, OUT_OF_MEMORY)
        wanted = DEFAULT_WINDOW if asked_for is None or "other_window" in faults else asked_for
        return min(wanted, model.context)

    def _make_room(self, size: int) -> None:
        if not self.memory:
            return
        if size > self.memory:
            raise Refused(500, OUT_OF_MEMORY)
        while sum(entry.size for entry in self.loaded.values()) + size > self.memory:
            self.loaded.pop(next(iter(self.loaded)))


def asked(body: Body) -> str:
    """The last user message."""
    said: Sequence[Body] = body.get("messages") or [{"role": "user", "content": ""}]
    return str(next((m["content"] for m in reversed(said) if m["role"] == "user"), said[-1]["content"]))


def count_tokens(text: str) -> int:
    """About what a tokenizer would say: Chinese by character, words by five letters, digits and signs one by one."""
    return round(0.72 * len(re.findall(r"[\u2e80-\u9fff\uff00-\uffef]", text))) + len(
        re.findall(r"[^\W\d_\u2e80-\u9fff\uff00-\uffef]{1,5}|\d|[^\w\s\u2e80-\u9fff\uff00-\uffef]", text)
    )


def least(schema: Any) -> Any:
    """The least that this JSON schema allows: "" and 0 and [] where it can."""
    if not isinstance(schema, dict):
        return {}
    if "enum" in schema or "const" in schema:
        return schema.get("const", (schema.get("enum") or [None])[0])
    kind = schema.get("type", "object")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        properties: Body = schema.get("properties") or {}
        required = schema.get("required") or list(properties)
        return {name: least(inner) for name, inner in properties.items() if name in required}
    if kind == "array":
        return [least(schema.get("items"))] * int(schema.get("minItems", 0))
    return {"string": "x" * int(schema.get("minLength", 0)), "boolean": False, "null": None}.get(
        kind, schema.get("minimum", 0)
    )


def least_reply(form: Any) -> str:
    return json.dumps(least(form) if isinstance(form, dict) else {})


def model_named(fake: FakeOllama, name: str) -> Model | None:
    return fake.models.get(tagged(name))
