"""What a reranker is told, and what it gives back; the same for one with a model and one without."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from assistant.providers.chat import Chat, OnState
from assistant.trace import ModelCall, Reading, Reranked


@dataclass(frozen=True)
class Asked:
    """The question as the person means it, and who may be asked about it.

    `chat`: None when there is no model or none may be asked; `cancel` stops it. `earlier`: steps of this question that
    were reranked before, oldest first: what a model said of a chunk then need not be asked again.
    """

    question: str
    chat: Chat | None = None
    cancel: threading.Event | None = None
    on_state: OnState | None = None
    earlier: tuple[Reranked, ...] = ()


@dataclass(frozen=True)
class Scored:
    """Chunk id → its score (higher is better), or why there is none; a chunk that is not in it got none.

    `unscored`: chunks without a score stand where those with this one do, by fused order. `least`: chunks with a lower
    score are dropped, None drops none. `state` and `why` are of the whole; `calls` went to a chat model.
    """

    readings: Mapping[str, Reading] = field(default_factory=dict)
    state: Literal["done", "not_run", "failed"] = "done"
    why: str = ""
    unscored: float = float("-inf")
    least: float | None = None
    calls: tuple[ModelCall, ...] = ()

    @classmethod
    def of(cls, scores: Mapping[str, float], unit: str) -> Scored:
        """These scores, in this unit."""
        return cls({chunk_id: Reading.of(score, unit) for chunk_id, score in scores.items()})

    @property
    def values(self) -> dict[str, float]:
        """Chunk id → score, of those that have one."""
        return {chunk_id: r.value for chunk_id, r in self.readings.items() if r.value is not None}
