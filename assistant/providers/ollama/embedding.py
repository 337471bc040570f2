"""Embeddings from a model that Ollama serves, with everything checked that the server does not promise."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from pydantic import PrivateAttr

from assistant.errors import AssistantError, BadReply, SettingsError, WrongModel
from assistant.providers.batches import halved
from assistant.providers.embedder import Embedder, OnProgress, OnStage, Vectors, check_length
from assistant.providers.identity import EmbedderIdentity
from assistant.providers.ollama.address import address
from assistant.providers.ollama.families import DEFAULT_EMBEDDER, embedding_window, family, short_name, with_tag
from assistant.providers.ollama.models import list_models, show_model
from assistant.providers.ollama.server import KEEP_ALIVE, explained, open_client
from assistant.settings import Settings

# the server computes text by text: a larger batch gains nothing and loses more when one text fails
_BATCH = 16
# with it, 1.0 to 1.9 times XLM-R's own count over 1,385 windows of Chinese, English, code and tables (median 1.4)
_SAFETY = 1.25
# someone may pull the model anew while the app is open, and vectors of two models would be mixed
_TRUST_SECONDS = 60.0
# one unloading against zeros; loading takes up to minutes, so a text that gives zeros each time costs it once
_UNLOAD_SECONDS = 600.0


class OllamaEmbedder(Embedder):
    """An embedding model at an Ollama server. See Embedder; one request at a time.

    `count_tokens` is an estimate on the safe side, since Ollama offers no tokenizer; the server is told to refuse
    longer texts instead of cutting them. With a `known` identity the server is asked only when vectors are wanted; a
    model of that name with another digest is then refused as WrongModel.
    """

    _url: str = PrivateAttr()
    _prefixes: tuple[str, str] = PrivateAttr()
    _keep_alive: str = PrivateAttr()
    _on_stage: OnStage | None = PrivateAttr()
    _identity: EmbedderIdentity | None = PrivateAttr(default=None)
    _trusted_until: float = PrivateAttr(default=0.0)
    _unloaded_at: float = PrivateAttr(default=-math.inf)
    _lock: threading.RLock = PrivateAttr(default_factory=threading.RLock)

    def __init__(
        self,
        url: str,
        model: str,
        on_stage: OnStage | None = None,
        *,
        known: EmbedderIdentity | None = None,
        prefixes: tuple[str, str] | None = None,
        keep_alive: str = KEEP_ALIVE,
    ) -> None:
        """`prefixes` for queries and passages: those of `known`, else of the model's family, unless given."""
        super().__init__(model_name=model, embed_batch_size=_BATCH)
        own = family(model)
        self._url = url
        self._prefixes = prefixes or (own.query_prefix, own.passage_prefix)
        self._keep_alive = keep_alive
        self._on_stage = on_stage
        if known is not None:
            self._prefixes, self._identity = (known.query_prefix, known.passage_prefix), known

    @classmethod
    def class_name(cls) -> str:
        return "OllamaEmbedder"

    @property
    def identity(self) -> EmbedderIdentity:
        if self._identity is not None:
            return self._identity  # without waiting for a batch under way: every page asks for it
        with self._lock:
            if self._identity is None:
                self._identity = self._look()
            return self._identity

    def count_tokens(self, text: str) -> int:
        return estimate_tokens(self._prefixes[1] + text)

    def is_too_long(self, text: str) -> bool:
        # by the likely count, not the safe one: it is sent whole, and the server refuses what is too long after all
        return _tokens(self._prefixes[1] + text, 1.0) > self.identity.max_tokens

    def embed_passages(self, texts: Sequence[str], on_progress: OnProgress | None = None) -> Vectors:
        identity = self.identity
        for text in texts:
            check_length(self.count_tokens(text), identity, text)
        vectors = np.empty((len(texts), identity.dimension), np.float32)
        for start in range(0, len(texts), _BATCH):
            # one text that the model stumbles over fails its whole batch: it is found, and named
            for place, found in enumerate(halved(texts[start : start + _BATCH], self._strictly), start):
                if isinstance(found, AssistantError):
                    raise found
                vectors[place] = found
            if on_progress is not None:
                on_progress(min(start + _BATCH, len(texts)), len(texts))
        return vectors

    def embed_query(self, text: str) -> Vectors:
        check_length(estimate_tokens(self._prefixes[0] + text), self.identity, text)
        vector: Vectors = self._vectors([self._prefixes[0] + text])[0]
        return vector

    def _strictly(self, texts: Sequence[str]) -> Vectors:
        return self._vectors([self._prefixes[1] + text for text in texts])

    def _vectors(self, texts: list[str]) -> Vectors:
        """Their vectors, checked. Raises BadReply or TextTooLong for the whole batch."""
        dimension = self.identity.dimension
        self._check_digest()
        try:
            return self._checked(texts, self._asked(texts), dimension)
        except _Zeros:
            if time.monotonic() - self._unloaded_at < _UNLOAD_SECONDS:
                raise
        # a graphics processor under load may go on giving zeros until the model is loaded anew
        self._unloaded_at = time.monotonic()
        self._asked([], keep_alive=0)
        return self._checked(texts, self._asked(texts), dimension)

    def _asked(self, texts: list[str], keep_alive: str | int | None = None) -> Vectors:
        options = {"num_ctx": embedding_window(self.model_name)}
        kept = self._keep_alive if keep_alive is None else keep_alive
        trusted, self._trusted_until = self._trusted_until, 0.0  # after a failure it may be another model
        # a connection of its own costs 18 ms and is never one that the server has dropped since
        with self._lock, explained(self._url, self.model_name), open_client(self._url) as client:
            reply = client.embed(self.model_name, texts, truncate=False, options=options, keep_alive=kept)
            vectors = np.array([[np.nan if x is None else x for x in row] for row in reply.embeddings], np.float32)
        self._trusted_until = trusted
        return vectors

    def _check_digest(self) -> None:
        """Raises WrongModel when the server's model of this name is no longer the one of the identity."""
        known = self.identity
        if time.monotonic() < self._trusted_until:
            return
        digest = self._digest()
        if digest and known.digest and digest != known.digest:
            raise WrongModel(
                f"The model {self.model_name} at {self._url} is another one now ({digest[:8]}) than the knowledge base "
                f"was embedded with ({known.digest[:8]}); embed the base again with it (launch.py reembed)."
            )
        self._trusted_until = time.monotonic() + _TRUST_SECONDS

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
            raise (_Zeros if np.any(lengths == 0) else BadReply)(
                f"{whose} gave no usable vector (zeros or NaN) for the text {start!r}; restart Ollama and retry."
            )
        result: Vectors = vectors / lengths[:, None]
        return result

    def _look(self) -> EmbedderIdentity:
        """The identity as the server tells it; the dimension from a vector, which is how it is really served."""
        if self._on_stage is not None:
            self._on_stage("loading the embedding model")
        shown = show_model(self._url, self.model_name)
        window = embedding_window(self.model_name)
        probe = self._asked(["probe"])
        if probe.ndim != 2 or not probe.size:
            raise BadReply(f"{self.model_name} at {self._url} gave no vector for a test word; choose another model.")
        return EmbedderIdentity(
            provider="ollama",
            model=short_name(self.model_name),
            engine="ollama",
            dimension=probe.shape[1],
            query_prefix=self._prefixes[0],
            passage_prefix=self._prefixes[1],
            max_tokens=min(_trained_tokens(shown) or window, window),
            digest=self._digest(),
        )

    def _digest(self) -> str:
        wanted = with_tag(self.model_name)
        listed = list_models(self._url)
        return next((str(m.get("digest", "")) for m in listed if with_tag(m.get("name", "")) == wanted), "")


class _Zeros(BadReply):
    """A vector of zeros."""


def build(settings: Settings, on_stage: OnStage | None = None, known: EmbedderIdentity | None = None) -> Embedder:
    """The embedder for these settings (model "" = bge-m3), or of the identity `known`; asks the server at first use.

    Raises SettingsError for an address that cannot be used and for a model that reads English only.
    """
    chosen = settings.embedding
    model = known.model if known else chosen.model or DEFAULT_EMBEDDER
    own = family(model)
    if own.english_only and known is None:
        raise SettingsError(
            f"The embedding model {model!r} reads English only; choose one for Chinese and English, "
            f"such as {DEFAULT_EMBEDDER} or embeddinggemma (setting embedding.model)."
        )
    query, passage = chosen.query_prefix, chosen.passage_prefix
    prefixes = (own.query_prefix if query is None else query, own.passage_prefix if passage is None else passage)
    url, keep_alive = address(settings.ollama.url), settings.ollama.keep_alive
    return OllamaEmbedder(url, model, on_stage, known=known, prefixes=prefixes, keep_alive=keep_alive)


def estimate_tokens(text: str) -> int:
    """About how many tokens an embedding model makes of this text, rarely too few; special tokens included."""
    return _tokens(text, _SAFETY)


def _tokens(text: str, safety: float) -> int:
    return int(sum(map(_weight, text)) * safety) + 3


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
