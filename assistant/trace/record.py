"""The base of all records, a number in one of three states, and a passage of a document."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator


class Record(BaseModel):
    """Base of all records."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Reading(Record):
    """One number in one of three states; a number that was not computed is never 0.

    `value` is set exactly when the state is "value"; otherwise `why` says why there is none.
    """

    state: Literal["value", "not_run", "failed"]
    value: float | None = None
    unit: str = ""
    why: str = ""

    @model_validator(mode="after")
    def _value_or_reason(self) -> Reading:
        if (self.state == "value") != (self.value is not None):
            raise ValueError("a reading has a number exactly when its state is 'value'")
        if self.state != "value" and not self.why:
            raise ValueError("a reading without a number says why")
        return self

    @classmethod
    def of(cls, value: float, unit: str = "") -> Reading:
        """A number."""
        return cls(state="value", value=float(value), unit=unit)

    @classmethod
    def not_run(cls, why: str, unit: str = "") -> Reading:
        """Nothing was computed, and why."""
        return cls(state="not_run", why=why, unit=unit)

    @classmethod
    def failed(cls, why: str, unit: str = "") -> Reading:
        """It was tried and did not work, and why."""
        return cls(state="failed", why=why, unit=unit)


class Passage(Record):
    """One chunk as retrieved: its text and where it stands.

    `start`, `end`: character range in the document's text. `pages`: first and last page from 1, None where the format
    has none. `modified`: when the document was last changed. `authority`: 0–1. `context`: what precedes the text in the
    index but not in the document at this place (a repeated table header), usually empty.
    """

    chunk_id: str
    document_id: str
    document: str
    path: str = ""
    title: str = ""
    heading: tuple[str, ...] = ()
    pages: tuple[int, int] | None = None
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    kind: str = "paragraph"
    language: str = ""
    modified: datetime | None = None
    authority: float = Field(default=0.5, ge=0, le=1)
    context: str = ""
    text: str

    def content_key(self) -> str:
        """Equal for passages whose texts differ only in case and white space."""
        return "".join(self.text.casefold().split())


class Step(Record):
    """Base of the steps. `attempt` counts from 1; `seconds` is wall time."""

    attempt: int = Field(default=1, ge=1)
    seconds: float = Field(default=0.0, ge=0)
