"""What a question is worked on with, and how far it has come."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from assistant.effort import Effort, effort
from assistant.providers import Embedder
from assistant.providers.chat import Chat, OnState
from assistant.routes.run import RouteRunner
from assistant.settings import Settings
from assistant.store.base import Base
from assistant.trace import ModelCall, Rewritten, Step, Trace, Working


@dataclass
class Parts:
    """What a question is worked on with. `chat`: the model that writes and helps, None when none is chosen.

    `cancel`: set it to stop the question; whatever waits for the model ends within a second.
    """

    base: Base
    embedder: Embedder
    runner: RouteRunner
    settings: Settings
    chat: Chat | None = None
    cancel: threading.Event = field(default_factory=threading.Event)
    scope: Any = None


@dataclass
class Progress:
    """The trace so far, and where the loop stands.

    `imagined`: see Rewritten. `tell`: where streamed-only steps go while a thread is at work.
    """

    trace: Trace
    settings: Settings
    queries: tuple[str, ...] = ()
    changes: dict[str, Any] = field(default_factory=dict)
    tried: set[str] = field(default_factory=set)
    attempt: int = 1
    imagined: str = ""
    tell: Callable[[Step], None] = field(default=lambda step: None)

    def go_on_with(self, ahead: Rewritten, settings: Settings) -> None:
        """The next attempt begins. `settings`: the question's, over which the changes are laid."""
        self.attempt, self.queries, self.imagined = ahead.attempt, ahead.queries, ahead.imagined
        self.changes = dict(ahead.changes)
        self.settings = settings.changed(ahead.changes)

    @property
    def calls(self) -> tuple[ModelCall, ...]:
        """Every request for help so far, in order."""
        found: list[ModelCall] = []
        for step in self.trace.steps:
            found += [c for c in (getattr(step, "call", None),) if c]
            found += [*getattr(step, "calls", ()), *getattr(step, "discarded", ())]
        return tuple(found)

    def on_state(self, purpose: str, chat: Chat | None) -> OnState:
        """Tells what the model is doing."""
        model = chat.model if chat else ""
        return lambda state: self.tell(Working(attempt=self.attempt, purpose=purpose, model=model, state=state))


def helper(parts: Parts, now: Progress) -> Chat | None:
    """The model that may be asked for help; None when there is none, or when it did not answer this question before."""
    unanswered = any(c.state == "failed" and not c.reply for c in now.calls)
    return None if unanswered or parts.cancel.is_set() else parts.chat


def allowed(parts: Parts) -> Effort:
    """Which requests the model gets beside the answer."""
    return effort(parts.settings.answering)
