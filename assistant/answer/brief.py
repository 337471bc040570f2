"""What a writer is told, and the sentences that every writer says the same way."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from assistant.language import is_chinese
from assistant.providers import Embedder
from assistant.providers.chat import Chat, ChatState
from assistant.settings import Settings
from assistant.trace import Answered, Candidate, Decided, Passage, Term, Turn


@dataclass(frozen=True)
class Brief:
    """The question, what was decided, and the evidence best first with its passages.

    `parts`: the terms of each sub-question, one tuple when the question was not split. `added`: those that a follow-up
    took over from the question before. `chat`: the model that may write, None when none is chosen; `cancel` stops it.
    `follows`: whether the question was completed from the turns before it. `draft` 2 is written after a check of the
    first found it wanting; `instruction` says what to mend. `declined`: the answer that there is none.
    """

    question: str
    decided: Decided
    evidence: tuple[tuple[Candidate, Passage], ...]
    parts: tuple[tuple[Term, ...], ...]
    settings: Settings
    embedder: Embedder
    history: tuple[Turn, ...] = ()
    limited_by: str = ""
    added: frozenset[str] = frozenset()
    follows: bool = False
    chat: Chat | None = None
    cancel: threading.Event | None = None
    draft: int = 1
    instruction: str = ""
    on_state: Callable[[ChatState], None] | None = None
    declined: Callable[[], Answered] | None = None

    @property
    def chinese(self) -> bool:
        """Whether the person asked in Chinese."""
        return is_chinese(self.question)


def caveat_of(brief: Brief) -> str:
    """The warning before an unsure answer, "" when the decision is to answer."""
    if brief.decided.decision != "caveat":
        return ""
    value = f"{brief.decided.confidence:.2f}"
    if brief.chinese:
        return f"不太确定（置信度 {value}）：请核对下面的出处。"
    return f"Not sure (confidence {value}): check the sources below."
