"""What every embedding provider offers: LlamaIndex's BaseEmbedding, plus identity, token counts and array batches."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding
from numpy.typing import NDArray

from assistant.errors import TextTooLong
from assistant.providers.batches import Made, make
from assistant.providers.identity import EmbedderIdentity

Vectors = NDArray[np.float32]
OnProgress = Callable[[int, int], None]
OnStage = Callable[[str], None]


class Embedder(BaseEmbedding):
    """An embedding model. Thread-safe; nothing is loaded before first use of any member.

    Vectors are float32 and of length 1, so their dot product is the cosine. The prefixes of the model are added here,
    never by the caller. An exception raised by `on_progress` stops the work: that is how a job is cancelled.
    """

    @property
    @abstractmethod
    def identity(self) -> EmbedderIdentity:
        """Which model this is. Loads it, since the engine is only known then. Raises ModelUnavailable."""

    @abstractmethod
    def count_tokens(self, text: str) -> int:
        """Tokens of this passage as the model sees it, with prefix and special tokens; compare with max_tokens."""

    def is_too_long(self, text: str) -> bool:
        """Whether the model reads this passage in parts only, as far as that is known without asking it."""
        return self.count_tokens(text) > self.identity.max_tokens

    @abstractmethod
    def embed_passages(self, texts: Sequence[str], on_progress: OnProgress | None = None) -> Vectors:
        """Vectors (n, dimension) in the order given; (0, dimension) for none.

        `on_progress(done, total)` follows every batch. Raises TextTooLong before any work, ModelUnavailable, BadReply.
        """

    def embed_batches(self, texts: Sequence[str], on_progress: OnProgress | None = None) -> Iterator[list[Made]]:
        """What became of each text, batch after batch in the order given: what is finished can be kept at once.

        A text that the model cannot take whole is embedded in parts; one that fails has no vector but a reason, and
        the others go on. `on_progress(done, total)` follows the texts. Raises ModelUnavailable, and BadReply when the
        model does not work at all.
        """
        for start in range(0, len(texts), self.embed_batch_size):
            made = make(texts[start : start + self.embed_batch_size], self._strictly, self.is_too_long)
            if all(one.vector is None for one in made):
                self._strictly(["."])  # fails too when it is the model and not the texts
            yield made
            if on_progress is not None:
                on_progress(min(start + self.embed_batch_size, len(texts)), len(texts))

    @abstractmethod
    def embed_query(self, text: str) -> Vectors:
        """The question's vector (dimension,). Raises TextTooLong, ModelUnavailable, BadReply."""

    def _strictly(self, texts: Sequence[str]) -> Vectors:
        """Vectors of passages that `is_too_long` does not rule out. Raises TextTooLong or BadReply for all of them."""
        return self.embed_passages(texts)

    def _get_query_embedding(self, query: str) -> list[float]:
        return [float(x) for x in self.embed_query(query)]

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        rows: list[list[float]] = self.embed_passages(texts).tolist()
        return rows

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return await asyncio.to_thread(self._get_query_embedding, query)

    async def _aget_text_embedding(self, text: str) -> list[float]:
        return await asyncio.to_thread(self._get_text_embedding, text)

    async def _aget_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return await asyncio.to_thread(self._get_text_embeddings, texts)


def check_length(tokens: int, identity: EmbedderIdentity, text: str) -> None:
    """Raises TextTooLong, naming both numbers, when the model would not see the end of the text."""
    if tokens > identity.max_tokens:
        start = " ".join(text[:40].split())
        raise TextTooLong(
            f"A text of {tokens} tokens ({start!r}…) is longer than the {identity.max_tokens} that "
            f"{identity.model} reads; cut it into shorter chunks (setting chunking.size).",
            tokens=tokens,
            limit=identity.max_tokens,
        )
