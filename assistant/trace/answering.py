"""What answering records: sentences with their citations, the prompt, or why there is no answer."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from assistant.trace.calling import ModelCall
from assistant.trace.record import Passage, Record, Step

NOT_SENT = ("reserve", "margin")


class Citation(Record):
    """One source of the answer. `number` is what stands in brackets; `text` is exactly document[start:end]."""

    number: int = Field(ge=1)
    chunk_id: str
    document: str
    heading: tuple[str, ...] = ()
    pages: tuple[int, int] | None = None
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    text: str

    @classmethod
    def of(cls, number: int, passage: Passage, start: int, end: int) -> Citation:
        """The citation of document[start:end], which lies within the passage."""
        return cls(
            number=number,
            chunk_id=passage.chunk_id,
            document=passage.document,
            heading=passage.heading,
            pages=passage.pages,
            start=start,
            end=end,
            text=passage.text[start - passage.start : end - passage.start],
        )


class Support(Record):
    """Where a sentence of the answer stands in a source, found by comparing words, never by asking the model.

    `number`: the citation; document[start:end] is the nearest sentence of the source. `score` 0–1: share of the
    sentence's weight in words that the source holds.
    """

    number: int = Field(ge=1)
    chunk_id: str
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    score: float = Field(ge=0, le=1)


class Sentence(Record):
    """One sentence of the answer with the citations that support it; `supported` None = not checked.

    `named`: the sources that the model itself named, as far as they exist; `citations` are those shown. `support`: what
    our own matching found, best first. `missing`: numbers, dates, identifiers and names that no source
    holds, or only of something else.
    """

    text: str
    citations: tuple[int, ...] = ()
    supported: bool | None = None
    why: str = ""
    named: tuple[int, ...] = ()
    support: tuple[Support, ...] = ()
    missing: tuple[str, ...] = ()


class Prompt(Record):
    """What the model saw, to the letter. Token numbers are ours unless `counted_by_server` is set.

    `tokens`: rules, history, evidence, question, reserve (for the answer), margin. `scale`: what our estimate was
    multiplied with, learnt from the server's counts for this model. `left_out`: chunks that did not fit, best first;
    `shortened`: chunks of which only some sentences fitted; `turns_left_out`: earlier turns that did not fit.
    `truncated`: the server read much less than was sent.
    """

    messages: tuple[tuple[str, str], ...]
    window: int
    tokens: dict[str, int] = {}
    scale: float = Field(default=1.0, gt=0)
    left_out: tuple[str, ...] = ()
    shortened: tuple[str, ...] = ()
    turns_left_out: int = Field(default=0, ge=0)
    counted_by_server: int | None = None
    truncated: bool = False

    @property
    def sent(self) -> int:
        """Our estimate of what was sent: everything but the room kept for the answer and for errors."""
        return sum(n for part, n in self.tokens.items() if part not in NOT_SENT)

    @property
    def unused(self) -> int:
        """What is left of the window, never below 0."""
        return max(0, self.window - sum(self.tokens.values()))


class Answered(Step):
    """The answer, or what is said instead. `label` tells how it was made; `state` incomplete = cut off, `why` says how.

    Declined: `text` says what was searched, `suggestions` what the documents do hold, no citations. `draft` counts
    from 1: the second is written after verification found the first wanting. `stopped_by`: done, length (the limit on
    its length), incomplete (the server broke off), stopped (by the person); "" when no model wrote it. `reply`: what
    the model wrote, to the letter. A complete answer of the writer "extractive" with a `why` stands in for a model's.
    """

    kind: Literal["answered"] = "answered"
    writer: str
    model: str = ""
    decision: Literal["answer", "caveat", "decline"]
    text: str
    label: str
    caveat: str = ""
    sentences: tuple[Sentence, ...] = ()
    citations: tuple[Citation, ...] = ()
    suggestions: tuple[str, ...] = ()
    prompt: Prompt | None = None
    removed_citations: tuple[int, ...] = ()
    state: Literal["complete", "incomplete"] = "complete"
    why: str = ""
    draft: int = Field(default=1, ge=1)
    stopped_by: str = ""
    answer_tokens: int | None = None
    reply: str = ""


class Verdict(Record):
    """What a model says of one sentence of the answer: `sentence` is its index from 0."""

    sentence: int = Field(ge=0)
    supported: bool
    why: str = ""


class Verified(Step):
    """A model's check of the finished answer against its sources. It never overrules our own support marks upwards.

    `outcome`: kept; rewrite (write it once more); marked (some sentences); declined; not_run or failed (`why`).
    `answers`: whether it answers the question, None when not checked.
    """

    kind: Literal["verified"] = "verified"
    outcome: Literal["kept", "rewrite", "marked", "declined", "not_run", "failed"]
    why: str = ""
    draft: int = Field(default=1, ge=1)
    verdicts: tuple[Verdict, ...] = ()
    answers: bool | None = None
    call: ModelCall | None = None


class Failed(Step):
    """The question could not be worked on further: at which stage, and the sentence for the person."""

    kind: Literal["failed"] = "failed"
    stage: str
    message: str


class Delta(Step):
    """A piece of a written answer as it arrives. Streamed only; the trace keeps the whole Answered step.

    A piece with another `draft` than the one before begins the answer anew.
    """

    kind: Literal["delta"] = "delta"
    text: str
    draft: int = Field(default=1, ge=1)
