"""Answers from an Ollama chat model, piece by piece."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from typing import Any

from assistant.errors import SettingsError
from assistant.providers.chat import Chat, ChatPiece, Messages, OnState
from assistant.providers.counting import TokenCounter, counter_for
from assistant.providers.ollama.address import address
from assistant.providers.ollama.exchange import Event, Exchange, Patience
from assistant.providers.ollama.families import with_tag
from assistant.providers.ollama.loop import received, result_of
from assistant.providers.ollama.model_info import model_info
from assistant.providers.ollama.server import KEEP_ALIVE, explaining, open_async
from assistant.settings import Settings

# the same question gets the same answer, as far as the server's arithmetic is the same
_STEADY = {"temperature": 0.0, "seed": 1}


class OllamaChat:
    """One chat model at one address; see Chat. Thinking is off, and taken out where the model does it all the same.

    `window` (num_ctx) and `max_tokens` (num_predict: no answer without an end) are in tokens. The window is the same
    in every request, since another one would make the server load the model again.
    """

    def __init__(
        self,
        url: str,
        model: str,
        window: int = 8192,
        max_tokens: int = 1024,
        patience: Patience | None = None,
        keep_alive: str = KEEP_ALIVE,
    ) -> None:
        if not model.strip():
            raise SettingsError("No chat model is chosen; set answering.model, for example to qwen3:4b-instruct.")
        self.url = address(url)
        self.model = model.strip()
        self._window = window
        self._max_tokens = max_tokens
        self._patience = patience or Patience()
        self._keep_alive = keep_alive

    @property
    def window(self) -> int:
        return result_of(self._asked_window())

    @property
    def counter(self) -> TokenCounter:
        return counter_for(self.url, with_tag(self.model))

    def stream(
        self,
        messages: Messages,
        cancel: threading.Event | None = None,
        max_tokens: int | None = None,
        schema: Mapping[str, Any] | None = None,
        on_state: OnState | None = None,
    ) -> Iterator[ChatPiece]:
        ended = False

        async def answer(tell: Callable[[Event], None]) -> None:
            await self._answer(self._body(messages, max_tokens, schema), tell, on_state is not None)

        with closing(received(answer, cancel)) as events:
            for event in events:
                if isinstance(event, ChatPiece):
                    ended = bool(event.done_reason)
                    yield event
                elif on_state is not None:
                    on_state(event)
        if not ended:
            yield ChatPiece(done_reason="stopped")

    async def _answer(self, body: dict[str, Any], tell: Callable[[Event], None], follow: bool) -> None:
        async with open_async(self.url) as client:
            async with explaining(client, self.url, self.model):
                info = await model_info(client, self.url, self.model)
            body["options"]["num_ctx"] = min(self._window, info.context or self._window)
            body["think"] = info.thinking()
            await Exchange(client, self.url, body, self._patience, tell, follow).run()

    async def _asked_window(self) -> int:
        async with open_async(self.url) as client, explaining(client, self.url, self.model):
            info = await model_info(client, self.url, self.model)
        return min(self._window, info.context or self._window)

    def _body(self, messages: Messages, max_tokens: int | None, schema: Mapping[str, Any] | None) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": role, "content": content} for role, content in messages],
            "stream": True,
            "options": {"num_predict": max_tokens or self._max_tokens, **_STEADY},
            "keep_alive": self._keep_alive,
            # a prompt that is too long is refused (since 0.12.6) instead of losing its rules and sources in silence
            "truncate": False,
            "shift": False,
        }
        if schema is not None:
            body["format"] = dict(schema)
        return body


def build(settings: Settings) -> Chat:
    """The chat model that the settings name; the server is asked at first use. Raises SettingsError."""
    answering, ollama = settings.answering, settings.ollama
    patience = Patience(ollama.first_token_seconds, ollama.idle_seconds)
    return OllamaChat(ollama.url, answering.model, answering.window, answering.max_tokens, patience, ollama.keep_alive)
