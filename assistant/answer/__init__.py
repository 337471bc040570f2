"""Answers: how they are written from the evidence. Adding a writer is a file and a line in `WRITERS`.

A writer is a generator (Brief) → Delta… and one Answered at the end.
"""

from collections.abc import Iterator

from assistant.registry import Registry
from assistant.trace import Step

WRITERS: Registry[Iterator[Step]] = Registry(
    "writer",
    {
        "extractive": "assistant.answer.extractive:write",
        "ollama": "assistant.answer.written:write",
    },
)
