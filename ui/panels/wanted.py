"""What a question was asked with: who was to write the answer, and at which effort."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.effort import EFFORTS, Effort
from assistant.trace import Trace


@dataclass(frozen=True)
class Wanted:
    """`model`: the chat model that was to write, "" for quoted sentences. `effort`: what it may be asked besides."""

    model: str
    effort: Effort

    @classmethod
    def of(cls, trace: Trace) -> Wanted:
        """Read from the trace's settings; quoted and quick where they do not say."""
        answering = trace.settings.get("answering")
        said = answering if isinstance(answering, dict) else {}
        if said.get("writer") != "ollama":
            return cls("", EFFORTS["quick"])
        return cls(str(said.get("model", "")), EFFORTS.get(str(said.get("effort")), EFFORTS["quick"]))
