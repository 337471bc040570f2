"""What a rewriter is told, and what it proposes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from assistant.providers.chat import Chat, ChatState
from assistant.settings import Settings
from assistant.trace import Confidence, ModelCall, Passage, Term


@dataclass(frozen=True)
class Situation:
    """The question as searched so far: `queries` and `settings` of the last attempt.

    `buried`: identifiers of the question that occur in the documents, but not in the best chunk. `exhausted`: every
    chunk of the base was a candidate already. `terms`: those of the question; `missing`: texts of those that the best
    chunk lacks. `nearest`: the best passages so far, `titles`: of documents in the base, `confidence`: of the last
    attempt. `languages`: language → documents of the base in it. `searched`: every query so far. `chat`: the model that
    may be asked, None when there is none or its share of this question is used up; `cancel` stops it. `asked`: names of
    the rewriters that asked the model before, for this question; `calls_left`: how many requests may fail before
    asking ends.
    """

    question: str
    queries: tuple[str, ...]
    buried: tuple[str, ...]
    settings: Settings
    exhausted: bool = False
    terms: tuple[Term, ...] = ()
    missing: tuple[str, ...] = ()
    nearest: tuple[Passage, ...] = ()
    titles: tuple[str, ...] = ()
    confidence: Confidence | None = None
    languages: Mapping[str, int] = field(default_factory=dict)
    searched: tuple[str, ...] = ()
    chat: Chat | None = None
    cancel: threading.Event | None = None
    on_state: Callable[[ChatState], None] | None = None
    asked: tuple[str, ...] = ()
    calls_left: int = 2

    @property
    def low(self) -> bool:
        """Whether only a targeted attempt would be made: the last one was below the lower band."""
        return self.confidence is not None and self.confidence.value < self.confidence.decline_below

    @property
    def history(self) -> tuple[str, ...]:
        """Everything that was searched for already, the question first."""
        return tuple(dict.fromkeys((self.question, *self.searched, *self.queries)))


@dataclass(frozen=True)
class Proposal:
    """The next attempt: what to search for, which settings change, and the sentence why.

    `targeted`, `judged_by`, `imagined`: see Rewritten. `call`: the request to a model. Without queries nothing is
    proposed, and only the call, which failed or brought nothing new, is kept.
    """

    queries: tuple[str, ...]
    why: str
    changes: Mapping[str, Any] = field(default_factory=dict)
    targeted: bool = False
    judged_by: Literal["question", "queries"] = "question"
    call: ModelCall | None = None
    imagined: str = ""
