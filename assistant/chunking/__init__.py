"""From a Document to its chunks."""

from __future__ import annotations

from collections.abc import Callable

from assistant.documents import Chunk, Document
from assistant.registry import Registry
from assistant.settings import Chunking

CHUNKERS: Registry[tuple[Chunk, ...]] = Registry("chunker", {"structure": "assistant.chunking.structure:chunk"})


def chunk(
    document: Document,
    settings: Chunking | None = None,
    count_tokens: Callable[[str], int] | None = None,
    max_tokens: int = 512,
) -> tuple[Chunk, ...]:
    """The chunks in document order; chunk.text is exactly document.text[start:end].

    With `count_tokens`, no chunk's embedded_text() has more than `max_tokens` tokens (already without the
    embedder's prefix). A document without blocks gives (). Raises SettingsError for an unknown chunker.
    """
    settings = settings or Chunking()
    return CHUNKERS.build(settings.chunker, document, settings, count_tokens, max_tokens)
