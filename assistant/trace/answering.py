"""What answering records: sentences with their citations, the prompt, or why there is no answer."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from assistant.trace.record import Passage, Record, Step


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


class Sentence(Record):
    """One sentence of the answer with the citations that support it; `supported` None = not checked."""

    text: str
    citations: tuple[int, ...] = ()
    supported: bool | None = None
    why: str = ""


class Prompt(Record):
    """What the model saw, to the letter. Token numbers are ours unless `counted_by_server` is set."""

    messages: tuple[tuple[str, str], ...]
    window: int
    tokens: dict[str, int] = {}
    left_out: tuple[str, ...] = ()
    counted_by_server: int | None = None


class Answered(Step):
    """The answer, or what is said instead. `label` tells how it was made; `state` incomplete = cut off, `why` says how.

    Declined: `text` says what was searched, `suggestions` what the documents do hold, no citations.
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


class Failed(Step):
    """The question could not be worked on further: at which stage, and the sentence for the person."""

    kind: Literal["failed"] = "failed"
    stage: str
    message: str


class Delta(Step):
    """A piece of a written answer as it arrives. Streamed only; the trace keeps the whole Answered step."""

    kind: Literal["delta"] = "delta"
    text: str
