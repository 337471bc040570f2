"""What asking a chat model for help records, and what a question is waiting for."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from assistant.trace.record import Record, Step


class ModelCall(Record):
    """A request to a chat model beside the answer itself: what it was for, what it saw to the letter, what came back.

    `state`: done; repaired (the second reply could be used); failed (`why`; the reply is used for nothing).
    `requests`: how many replies were asked for, 0 when the model could not be reached. Tokens are the server's.
    """

    purpose: str
    model: str
    messages: tuple[tuple[str, str], ...] = ()
    reply: str = ""
    state: Literal["done", "repaired", "failed"]
    why: str = ""
    requests: int = Field(default=1, ge=0)
    seconds: float = Field(default=0.0, ge=0)
    prompt_tokens: int | None = None
    answer_tokens: int | None = None


class Working(Step):
    """What a chat model is doing for the question now. Streamed only; the trace keeps what came of it.

    `purpose` as in ModelCall, or "answer"; `state`: loading (into memory), reading (the prompt), writing.
    """

    kind: Literal["working"] = "working"
    purpose: str
    model: str
    state: Literal["loading", "reading", "writing"]
