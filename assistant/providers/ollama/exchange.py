"""One request to /api/chat and its answer, line by line, inside the event loop."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

from assistant.errors import AssistantError, BadReply, ModelUnavailable
from assistant.providers.chat import ChatPiece, ChatState
from assistant.providers.ollama.loading import follow_loading
from assistant.providers.ollama.server import Refused, explaining, refused
from assistant.providers.ollama.thinking import ThinkingFilter

Event = ChatPiece | ChatState


@dataclass(frozen=True)
class Patience:
    """How long to wait, in seconds: until the first text, and between pieces of text."""

    first: float = 600.0
    idle: float = 60.0


@dataclass
class Exchange:
    """One answer. `tell` gets its pieces, the last with how it ended, and what the model is doing if `follow`."""

    client: httpx.AsyncClient
    url: str
    body: dict[str, Any]
    patience: Patience
    tell: Callable[[Event], None]
    follow: bool = False
    _thinking: ThinkingFilter = field(default_factory=ThinkingFilter)
    _started: bool = False

    async def run(self) -> None:
        """Raises ModelUnavailable, BadReply or TextTooLong before the first text; afterwards it ends incomplete."""
        try:
            async with explaining(self.client, self.url, self._model), self._following():
                await self._ask()
        except AssistantError as err:
            if not self._started:
                raise
            self._write(ChatPiece(self._thinking.finish(), done_reason="incomplete", why=str(err)))

    async def _ask(self) -> None:
        try:
            await self._in_time()
        except Refused as err:
            # servers before 0.12.5 refuse the mere mention for a model that cannot think
            if "does not support thinking" not in err.error or "think" not in self.body:
                raise
            del self.body["think"]
            await self._in_time()

    async def _in_time(self) -> None:
        try:
            async with asyncio.timeout(self.patience.first) as watchdog:
                await self._stream(watchdog)
        except TimeoutError as err:
            raise self._late() from err

    async def _stream(self, watchdog: asyncio.Timeout) -> None:
        async with self.client.stream("POST", f"{self.url}/api/chat", json=self.body) as response:
            if response.status_code != 200:
                raise refused(response.status_code, (await response.aread()).decode("utf-8", "replace"))
            async for reply in _replies(response):
                if self._took(reply):
                    return
                if self._started:
                    watchdog.reschedule(asyncio.get_running_loop().time() + self.patience.idle)
        raise BadReply(f"{self._model} at {self.url} stopped before its answer was finished; ask again.")

    def _took(self, reply: dict[str, Any]) -> bool:
        """Whether this was the last line."""
        if reply.get("error"):
            raise Refused(-1, str(reply["error"]))
        text = self._thinking.feed(_unicode(reply.get("message", {}).get("content") or ""))
        if reply.get("done"):
            self._write(self._last(text + self._thinking.finish(), reply))
            return True
        if text:
            self._write(ChatPiece(text))
        return False

    def _last(self, text: str, reply: dict[str, Any]) -> ChatPiece:
        reason = reply.get("done_reason")
        if reason in ("load", "unload"):
            raise BadReply(f"{self._model} at {self.url} was {reason}ed instead of answering; ask again.")
        ended = "length" if reason == "length" else "stop"
        return ChatPiece(text, True, ended, _count(reply.get("prompt_eval_count")), _count(reply.get("eval_count")))

    def _write(self, piece: ChatPiece) -> None:
        if piece.text and not self._started:
            self._started = True
            self.tell("writing")
        self.tell(piece)

    @asynccontextmanager
    async def _following(self) -> AsyncIterator[None]:
        if not self.follow:
            yield
            return
        task = asyncio.create_task(follow_loading(self.client, self.url, self.body, self._say))
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait([task])

    def _say(self, state: ChatState) -> None:
        if not self._started:
            self.tell(state)

    def _late(self) -> ModelUnavailable:
        if self._started:
            return ModelUnavailable(
                f"{self._model} at {self.url} paused for more than {self.patience.idle:g} seconds; ask again, "
                "or raise ollama.idle_seconds."
            )
        return ModelUnavailable(
            f"{self._model} at {self.url} wrote nothing within {self.patience.first:g} seconds; ask again, choose a "
            "smaller model, or raise ollama.first_token_seconds."
        )

    @property
    def _model(self) -> str:
        return str(self.body["model"])


async def _replies(response: httpx.Response) -> AsyncIterator[dict[str, Any]]:
    """The lines as records. Split at \\n only: text may hold other characters that Python takes for line ends."""
    held = b""
    async for chunk in response.aiter_bytes():
        *lines, held = (held + chunk).split(b"\n")
        for line in lines:
            if line.strip():
                yield _record(line)
    if held.strip():
        yield _record(held)


def _record(line: bytes) -> dict[str, Any]:
    if line.lstrip().startswith(b"<"):
        raise Refused(200, line.decode("utf-8", "replace"))
    content = json.loads(line)
    if not isinstance(content, dict) or not isinstance(content.get("message", {}), dict):
        raise TypeError(f"a reply of the wrong form: {line[:80]!r}")
    return content


def _unicode(text: str) -> str:
    # half a character, which JSON can hold, can be neither shown nor saved
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _count(said: Any) -> int | None:
    """A count of the server; None for anything else, since an answer is not lost for want of a count."""
    return said if isinstance(said, int) and said >= 0 else None
