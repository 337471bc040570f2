"""Embeddings from a model that Ollama serves, with everything checked that the server does not promise."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from pydantic import PrivateAttr

from assistant.errors import BadReply, SettingsError
from assistant.providers.embedder import Embedder, OnProgress, OnStage, Vectors, check_length
from assistant.providers.identity import EmbedderIdentity
from assistant.providers.ollama.address import address
from assistant.providers.ollama.families import DEFAULT_EMBEDDER, Family, embedding_window, family, with_tag
from assistant.providers.ollama.models import list_models, show_model
from assistant.providers.ollama.server import KEEP_ALIVE, explained, open_client
from assistant.settings import Settings

# the server computes text by text: a larger batch gains nothing and loses more when one text fails
_BATCH = 16
# with it, 1.0 to 1.9 times XLM-R's own count over 1,385 windows of Chinese, English, code and tables (median 1.4)
_SAFETY = 1.25


class OllamaEmbedder(Embedder):
    """An embedding model at an Ollama server. See Embedder; one request at a time.

    `count_tokens` is an estimate on the safe side, since Ollama offers no tokenizer; the server is told to refuse
    longer texts instead of cutting them.
    """

    _url: str = PrivateAttr()
    _family: Family = PrivateAttr()
    _on_stage: OnStage | None = PrivateAttr()
    _identity: EmbedderIdentity | None = PrivateAttr(default=None)
    _lock: threading.RLock = PrivateAttr(default_factory=threading.RLock)

    def __init__(self, url: str, model: str, on_stage: OnStage | None = None) -> None:
        super().__init__(model_name=model, embed_batch_size=_BATCH)
        self._url = url
        self._family = family(model)
        self._on_stage = on_stage

    @classmethod
    def class_name(cls) -> str:
        return "OllamaEmbedder"

    @property
    def identity(self) -> EmbedderIdentity:
        with self._lock:
            if self._identity is None:
                self._identity = self._look()
            return self._identity

    def count_tokens(self, text: str) -> int:
        return estimate_tokens(self._family.passage_prefix + text)

    def embed_passages(self, texts: Sequence[str], on_progress: OnProgress | None = None) -> Vectors:
        identity = self.identity
        for text in texts:
            check_length(self.count_tokens(text), identity, text)
        vectors = np.empty((len(texts), identity.dimension), np.float32)
        for start in range(0, len(texts), _BATCH):
            batch = [identity.passage_prefix + text for text in texts[start : start + _BATCH]]
            vectors[start : start + len(batch)] = self._batch(batch, identity.dimension)
            if on_progress is not None:
                on_progress(start + len(batch), len(texts))
        return vectors

    def embed_query(self, text: str) -> Vectors:
        identity = self.identity
        check_length(estimate_tokens(identity.query_prefix + text), identity, text)
        vector: Vectors = self._batch([identity.query_prefix + text], identity.dimension)[0]
        return vector

    def _batch(self, texts: list[str], dimension: int) -> Vectors:
        try:
            return self._checked(texts, self._asked(texts), dimension)
        except BadReply:
            if len(texts) == 1:
                raise
        # one text that the model stumbles over fails its whole batch: alone, the others get through and it is named
        return np.concatenate([self._batch([text], dimension) for text in texts])

    def _asked(self, texts: list[str]) -> Vectors:
        options = {"num_ctx": embedding_window(self.model_name)}
        # a connection of its own costs 18 ms and is never one that the server has dropped since
        with self._lock, explained(self._url, self.model_name), open_client(self._url) as client:
            reply = client.embed(self.model_name, texts, truncate=False, options=options, keep_alive=KEEP_ALIVE)
            return np.array([[np.nan if x is None else x for x in row] for row in reply.embeddings], np.float32)

    def _checked(self, texts: list[str], vectors: Vectors, dimension: int) -> Vectors:
        """The vectors at length 1. Raises BadReply for a missing, wrong-sized, NaN or all-zero one."""
        whose = f"{self.model_name} at {self._url}"
        if vectors.shape != (len(texts), dimension):
            raise BadReply(
                f"{whose} gave vectors of shape {vectors.shape} for {len(texts)} texts of {dimension} numbers."
            )
        lengths = np.linalg.norm(vectors, axis=1)
        usable = np.isfinite(lengths) & (lengths > 0)
        if not usable.all():
            start = texts[int(np.argmin(usable))][:60]
            raise BadReply(
                f"{whose} gave no usable vector (zeros or NaN) for the text {start!r}; restart Ollama and retry."
            )
        result: Vectors = vectors / lengths[:, None]
        return result

    def _look(self) -> EmbedderIdentity:
        """The identity as the server tells it; the dimension from a vector, which is how it is really served."""
        if self._on_stage is not None:
            self._on_stage("loading the embedding model")
        shown = show_model(self._url, self.model_name)
        trained = _trained_tokens(shown) or self._family.tokens
        probe = self._asked(["probe"])
        if probe.ndim != 2 or not probe.size:
            raise BadReply(f"{self.model_name} at {self._url} gave no vector for a test word; choose another model.")
        return EmbedderIdentity(
            provider="ollama",
            model=self.model_name,
            engine="ollama",
            dimension=probe.shape[1],
            query_prefix=self._family.query_prefix,
            passage_prefix=self._family.passage_prefix,
            max_tokens=min(trained, embedding_window(self.model_name)),
            digest=self._digest(),
        )

    def _digest(self) -> str:
        wanted = with_tag(self.model_name)
        listed = list_models(self._url)
        return next((str(m.get("digest", "")) for m in listed if with_tag(m.get("name", "")) == wanted), "")


def build(settings: Settings, on_stage: OnStage | None = None) -> Embedder:
    """The embedder for these settings (model "" = bge-m3); the server is asked at first use.

    Raises SettingsError for an address that cannot be used and for a model that reads English only.
    """
    model = settings.embedding.model or DEFAULT_EMBEDDER
    if family(model).english_only:
        raise SettingsError(
            f"The embedding model {model!r} reads English only; choose one for Chinese and English, "
            f"such as {DEFAULT_EMBEDDER} or embeddinggemma (setting embedding.model)."
        )
    return OllamaEmbedder(address(settings.ollama.url), model, on_stage)


def estimate_tokens(text: str) -> int:
    """About how many tokens an embedding model makes of this text, rarely too few; special tokens included."""
    return int(sum(map(_weight, text)) * _SAFETY) + 3


def _weight(character: str) -> float:
    """Tokens per character, fitted to XLM-R and Qwen tokenizers."""
    if character.isdigit():
        return 1.0
    if character.isalpha():
        return 0.30 if character < "\u0250" else 0.45 if character < "\u2e80" else 0.85
    return 0.05 if character.isspace() else 0.65


def _trained_tokens(shown: dict[str, Any]) -> int | None:
    info = shown.get("model_info") or {}
    return next((int(value) for key, value in info.items() if key.endswith(".context_length")), None)
