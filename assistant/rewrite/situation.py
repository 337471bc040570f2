"""What a rewriter is told, and what it proposes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from assistant.settings import Settings


@dataclass(frozen=True)
class Situation:
    """The question as searched so far: `queries` and `settings` of the last attempt.

    `buried`: identifiers of the question that occur in the documents, but not in the best chunk. `exhausted`: every
    chunk of the base was a candidate already.
    """

    question: str
    queries: tuple[str, ...]
    buried: tuple[str, ...]
    settings: Settings
    exhausted: bool = False


@dataclass(frozen=True)
class Proposal:
    """The next attempt: what to search for, which settings change, and the sentence why. `targeted`: see Rewritten."""

    queries: tuple[str, ...]
    why: str
    changes: Mapping[str, Any] = field(default_factory=dict)
    targeted: bool = False
