"""What embedding a base again costs, how far it is, what it did, and which indexes there are."""

from __future__ import annotations

from pydantic import Field

from assistant.trace import Record


class Estimate(Record):
    """What an index with this model costs. `chunks`: all of the base; `there`: those that have a vector already.

    `seconds` for the rest, from a few of its own chunks, None when they gave no measure; `too_long`: chunks that the
    model reads in parts only; `bytes`: room that the new vectors take beside the old ones.
    """

    model: str
    fingerprint: str
    chunks: int = Field(ge=0)
    there: int = Field(ge=0)
    seconds: float | None = None
    chunks_per_second: float | None = None
    max_tokens: int = Field(ge=1)
    too_long: int = Field(default=0, ge=0)
    bytes: int = Field(default=0, ge=0)


class EmbedMoment(Record):
    """One moment of it: `done` of `total` texts have a vector. None = not known yet."""

    model: str
    done: int = Field(ge=0)
    total: int = Field(ge=0)
    chunks_per_second: float | None = None
    seconds_left: float | None = None
    failed: int = Field(default=0, ge=0)


class ReembedReport(Record):
    """What was done. `embedded`: texts that got a vector now; `in_parts`: chunks whose vector is the mean of parts.

    `failed`: one sentence for each text without a vector. `complete`: every chunk has a usable one. `switched`: the
    base works with this model now.
    """

    model: str
    fingerprint: str
    chunks: int = Field(ge=0)
    there: int = Field(ge=0)
    embedded: int = Field(default=0, ge=0)
    in_parts: int = Field(default=0, ge=0)
    failed: tuple[str, ...] = ()
    complete: bool = False
    cancelled: bool = False
    switched: bool = False
    seconds: float = 0.0


class Index(Record):
    """The vectors that one model has in the base. `current`: the one that answers questions."""

    fingerprint: str
    provider: str
    model: str
    text: str
    dimension: int = Field(ge=0)
    chunks: int = Field(ge=0)
    there: int = Field(ge=0)
    complete: bool = False
    current: bool = False
    bytes: int = Field(default=0, ge=0)
