"""The trace: one question from asking to answer, which saves and opens anywhere."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from assistant.errors import BadTrace
from assistant.trace.answering import Answered, Failed, Verified
from assistant.trace.judging import Confidence, Decided, Rewritten
from assistant.trace.record import Passage, Record, Step
from assistant.trace.searching import Candidate, Condensed, Fused, Reranked, Retrieved

VERSION = 1

AnyStep = Annotated[
    Condensed | Retrieved | Fused | Reranked | Confidence | Decided | Rewritten | Answered | Verified | Failed,
    Field(discriminator="kind"),
]


class Turn(Record):
    """An earlier question of the conversation and what was answered."""

    question: str
    answer: str = ""


class BaseInfo(Record):
    """The knowledge base as it was when the question was asked."""

    name: str
    documents: int = Field(ge=0)
    chunks: int = Field(ge=0)
    embedder: str


class Trace(Record):
    """One question from asking to answer: the settings it ran under and every step, in order."""

    version: Literal[1] = 1
    id: str
    question: str
    history: tuple[Turn, ...] = ()
    base: BaseInfo
    settings: dict[str, Any]
    settings_hash: str
    started: datetime
    steps: tuple[AnyStep, ...] = ()

    def plus(self, step: Step) -> Trace:
        """A new trace with this step at its end."""
        return self.model_copy(update={"steps": (*self.steps, step)})

    def of_kind(self, kind: str, attempt: int | None = None) -> tuple[Any, ...]:
        """The steps of this kind in order, of one attempt or of all."""
        return tuple(s for s in self.steps if s.kind == kind and attempt in (None, s.attempt))

    def last(self, kind: str, attempt: int | None = None) -> Any:
        """The last step of this kind, None when there is none."""
        found = self.of_kind(kind, attempt)
        return found[-1] if found else None

    @property
    def attempts(self) -> int:
        """How many attempts were made."""
        return max((s.attempt for s in self.steps), default=0)

    @property
    def answered(self) -> Answered | None:
        """The answer step, None while there is none."""
        step: Answered | None = self.last("answered")
        return step

    @property
    def answer(self) -> str:
        """The text for the person, "" while there is none."""
        return self.answered.text if self.answered else ""

    @property
    def decision(self) -> str:
        """answer, caveat or decline; "" while undecided or failed."""
        return self.answered.decision if self.answered else ""

    @property
    def best_attempt(self) -> int:
        """The attempt that the answer stands on, the latest one while undecided."""
        decided: Decided | None = self.last("decided")
        return decided.best_attempt if decided else max(1, self.attempts)

    @property
    def confidence(self) -> Confidence | None:
        """The confidence of the attempt that the answer stands on."""
        step: Confidence | None = self.last("confidence", self.best_attempt) or self.last("confidence")
        return step

    def asked(self, attempt: int) -> tuple[Retrieved, ...]:
        """The searches whose words an attempt is judged by: those of attempt 1, which are the question's own.

        Of a translation the attempt's own: the question's words cannot occur in passages of another language.
        """
        rewritten: Rewritten | None = self.last("rewritten", attempt)
        own = rewritten is not None and rewritten.judged_by == "queries"
        return self.of_kind("retrieved", attempt if own else 1)

    def candidates(self, attempt: int | None = None) -> tuple[Candidate, ...]:
        """The ledger of an attempt (default: the one the answer stands on), best first, () if nothing was searched."""
        step = self.last("reranked", attempt or self.best_attempt)
        return step.candidates if step else ()

    def passage(self, chunk_id: str) -> Passage | None:
        """The passage of this chunk, from whichever attempt found it."""
        holders = (*self.of_kind("fused"), *self.of_kind("reranked"))
        return next((p for s in holders for p in s.passages if p.chunk_id == chunk_id), None)

    @property
    def seconds(self) -> float:
        """Sum of the steps' seconds; routes that ran side by side count with the slowest."""
        alone = sum(s.seconds for s in self.steps if s.kind != "retrieved")
        side: dict[int, float] = {}
        for step in self.of_kind("retrieved"):
            side[step.attempt] = max(side.get(step.attempt, 0.0), step.seconds)
        return alone + sum(side.values())

    def save(self, path: str | Path) -> Path:
        """The path written: the trace as JSON."""
        target = Path(path)
        target.write_text(self.model_dump_json(indent=1), encoding="utf-8")
        return target

    @classmethod
    def load(cls, path: str | Path) -> Trace:
        """A saved trace. Raises BadTrace for a file that is missing, not JSON, of another version or not a trace."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as err:
            raise BadTrace(f"The trace {str(path)!r} cannot be read ({err}); choose a file saved by Glassbox.") from err
        return cls.from_json(text, str(path))

    @classmethod
    def from_json(cls, text: str, name: str = "given") -> Trace:
        """A trace from its JSON text. Raises BadTrace."""
        try:
            return cls.model_validate_json(text)
        except ValidationError as err:
            first = err.errors()[0]
            place = ".".join(str(p) for p in first["loc"]) or "the whole"
            raise BadTrace(
                f"The trace {name!r} does not fit version {VERSION} of the format ({place}: {first['msg']}); "
                "save it again with this version of Glassbox."
            ) from err
