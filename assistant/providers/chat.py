"""What every chat provider offers: answers piece by piece, a window, and token counts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from assistant.providers.counting import TokenCounter

ChatState = Literal["loading", "reading", "writing"]
OnState = Callable[[ChatState], None]
Messages = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class ChatPiece:
    """Some text of the answer; the last piece also says how it ended.

    `done` is True only when the server said that it is finished, with `done_reason` "stop" or "length" (cut off).
    An answer whose last piece is not `done` is incomplete; its `done_reason` is "incomplete", or "stopped" after
    `cancel`. `why`: what ended an incomplete one, in one sentence. Token counts are the server's and come with the last
    piece; None when it sent none.
    """

    text: str = ""
    done: bool = False
    done_reason: str = ""
    prompt_tokens: int | None = None
    answer_tokens: int | None = None
    why: str = ""


class Chat(Protocol):
    """One chat model. `messages` are (role, content) with roles system, user, assistant."""

    @property
    def model(self) -> str:
        """Its name."""

    @property
    def window(self) -> int:
        """Tokens that prompt and answer share: the setting, or what the model has if that is less. May ask the server.

        Raises ModelUnavailable.
        """

    @property
    def counter(self) -> TokenCounter:
        """Counts tokens of this model and learns from the server."""

    def stream(
        self,
        messages: Messages,
        cancel: threading.Event | None = None,
        max_tokens: int | None = None,
        schema: Mapping[str, Any] | None = None,
        on_state: OnState | None = None,
    ) -> Iterator[ChatPiece]:
        """The answer as it is written, without any thinking. The last piece says how it ended.

        `cancel` stops it within a second, whatever it is waiting for, and closes the connection, which is what stops
        the server; so does closing the iterator. `schema`: a JSON schema that the reply is constrained to.
        Raises ModelUnavailable, BadReply, TextTooLong; after the first text, a broken connection is an incomplete end.
        """
