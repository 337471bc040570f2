"""Answers from an Ollama chat model, piece by piece."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import httpx

from assistant.errors import SettingsError
from assistant.providers.ollama.address import address
from assistant.providers.ollama.server import KEEP_ALIVE, READ_SECONDS, explain, explained, open_client
from assistant.providers.ollama.thinking import ThinkingFilter


@dataclass(frozen=True)
class ChatPiece:
    """Some text of the answer; the last piece also says how it ended.

    `done` is True only when the server said that it is finished, with `done_reason` "stop" or "length" (cut off).
    An answer whose last piece is not `done` is incomplete; its `done_reason` is "incomplete". Token counts are the
    server's and come with the last piece; None when it sent none.
    """

    text: str = ""
    done: bool = False
    done_reason: str = ""
    prompt_tokens: int | None = None
    answer_tokens: int | None = None


class OllamaChat:
    """One chat model at one address, with a fixed window: another num_ctx would make the server load it again.

    `window` is num_ctx, `max_tokens` num_predict (no answer without an end), both in tokens. Thinking is off.
    """

    def __init__(
        self, url: str, model: str, window: int = 8192, max_tokens: int = 1024, read_seconds: float = READ_SECONDS
    ) -> None:
        if not model.strip():
            raise SettingsError("No chat model is chosen; set answering.model, for example to qwen3:4b-instruct.")
        self.url = address(url)
        self.model = model.strip()
        self._read_seconds = read_seconds
        self._options = {"num_ctx": window, "num_predict": max_tokens, "temperature": 0.0}

    def stream(
        self, messages: Sequence[Mapping[str, str]], cancel: threading.Event | None = None
    ) -> Iterator[ChatPiece]:
        """The answer to {"role", "content"} messages as it is written; thinking is left out.

        Closing the iterator, or setting `cancel`, closes the connection, which is what stops the server.
        Raises ModelUnavailable, BadReply, TextTooLong.
        """
        thinking = ThinkingFilter()
        started = False
        with open_client(self.url, self._read_seconds) as client, closing(self._replies(client, messages)) as replies:
            try:
                for reply in replies:
                    if cancel is not None and cancel.is_set():
                        return
                    text = thinking.feed(reply.message.content or "")
                    if reply.done:
                        yield _last(text + thinking.finish(), reply)
                        return
                    if text:
                        started = True
                        yield ChatPiece(text)
            except (httpx.RemoteProtocolError, httpx.ReadError) as err:
                if not started:
                    raise explain(err, self.url, self.model) from err
        # some versions end the stream without a word after repeated tokens
        yield ChatPiece(thinking.finish(), done_reason="incomplete")

    def _replies(self, client: Any, messages: Sequence[Mapping[str, str]]) -> Generator[Any, None, None]:
        replies = client.chat(
            self.model,
            [dict(message) for message in messages],
            stream=True,
            think=False,
            options=self._options,
            keep_alive=KEEP_ALIVE,
        )
        with closing(replies):
            yield from _explained(replies, self.url, self.model)


def _explained(replies: Iterator[Any], url: str, model: str) -> Iterator[Any]:
    """The replies; a connection that breaks off is left to the caller, who knows whether text has come."""
    broken: httpx.HTTPError | None = None
    with explained(url, model):
        try:
            yield from replies
        except (httpx.RemoteProtocolError, httpx.ReadError) as err:
            broken = err
    if broken is not None:
        raise broken


def _last(text: str, reply: Any) -> ChatPiece:
    return ChatPiece(text, True, reply.done_reason or "stop", reply.prompt_eval_count, reply.eval_count)
