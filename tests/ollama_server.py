"""A stand-in for Ollama over real HTTP: the parts of its protocol that Glassbox speaks, scripted, with its faults.

Written from the server's source (v0.33): lines of JSON in chunks; errors as {"error": …}, with their status before the
first byte and as a line after it; counters left out when zero.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

OUT_OF_MEMORY = "model requires more system memory (5.3 GiB) than is available (4.4 GiB)"


@dataclass(frozen=True)
class Model:
    """An installed model; `capabilities` None = a server older than 0.6.4."""

    capabilities: tuple[str, ...] | None = ("completion",)
    listed: bool = True  # capabilities in /api/tags, since 0.30
    family: str = "qwen3"
    context: int = 40960
    dimension: int = 8
    remote_host: str = ""


@dataclass
class FakeOllama:
    """What the server has, says and does wrong; `received` is what it was sent, as (path, body).

    `replies`: (pattern of the last user message, pieces of the answer); the first that matches is said.
    `faults`: text_404, out_of_memory, busy, html, forbidden; of a chat: no_done, drop, drop_first, garbage, error_line,
    length, stall (waits for `gate`), endless (until the client goes away, which sets `gone`); of vectors: nan, zero,
    short, missing.
    `poison`: a text that alone causes the vector fault; "" = every text does.
    """

    models: dict[str, Model] = field(default_factory=dict)
    replies: list[tuple[str, list[str]]] = field(default_factory=list)
    faults: set[str] = field(default_factory=set)
    poison: str = ""
    received: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    gate: threading.Event = field(default_factory=threading.Event)
    gone: threading.Event = field(default_factory=threading.Event)
    url: str = ""

    def bodies(self, path: str) -> list[dict[str, Any]]:
        """The bodies received at this path, in order."""
        return [body for received, body in self.received if received == path]

    def answer(self, messages: list[dict[str, Any]]) -> list[str]:
        question = messages[-1]["content"] if messages else ""
        return next((pieces for pattern, pieces in self.replies if re.search(pattern, question)), ["No ", "reply."])

    def vector(self, text: str, dimension: int) -> list[float]:
        """Eight or so numbers that depend on the text alone; not of length 1, as some servers send them."""
        digest = hashlib.sha256(text.encode()).digest()
        return [digest[place % 32] - 127.5 for place in range(dimension)]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    fake: FakeOllama

    def log_message(self, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        self.fake.received.append((self.path, {}))
        if self._refused():
            return
        if self.path == "/api/version":
            self._json(200, {"version": "0.33.0"})
        elif self.path == "/api/tags":
            self._json(200, {"models": [_listed(name, model) for name, model in self.fake.models.items()]})
        else:
            self._text(404, "404 page not found")

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.fake.received.append((self.path, body))
        if self._refused():
            return
        model = self.fake.models.get(_tagged(body.get("model", "")))
        if model is None:
            self._json(404, {"error": f"model '{body.get('model')}' not found"})
        elif self.path == "/api/show":
            self._json(200, _shown(model))
        elif self.path == "/api/embed":
            self._embed(body, model)
        elif self.path == "/api/chat":
            self._chat(body)
        else:
            self._text(404, "404 page not found")

    def _refused(self) -> bool:
        faults = self.fake.faults
        if "text_404" in faults:
            self._text(404, "404 page not found")
        elif "html" in faults:
            self._text(502, "<html><body>Bad gateway</body></html>")
        elif "forbidden" in faults:
            self._text(403, "")
        elif "busy" in faults:
            self._json(503, {"error": "server busy, please try again.  maximum pending requests exceeded"})
        elif "out_of_memory" in faults and self.path != "/api/show":
            self._json(500, {"error": OUT_OF_MEMORY})
        else:
            return False
        return True

    def _embed(self, body: dict[str, Any], model: Model) -> None:
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        if body.get("truncate") is False and any(len(text) > model.context for text in texts):
            self._json(400, {"error": "the input length exceeds the context length"})
            return
        bad = [self.fake.poison in text for text in texts]
        if "nan" in self.fake.faults and any(bad):
            self._json(500, {"error": "failed to encode response: json: unsupported value: NaN"})
            return
        vectors = [self.fake.vector(text, model.dimension) for text in texts]
        for place, is_bad in enumerate(bad):
            if is_bad and "zero" in self.fake.faults:
                vectors[place] = [0.0] * model.dimension
            if is_bad and "short" in self.fake.faults:
                vectors[place] = vectors[place][:-1]
        if "missing" in self.fake.faults and len(vectors) > 1:
            vectors.pop()
        self._json(200, {"model": body["model"], "embeddings": vectors, "prompt_eval_count": len(texts)})

    def _chat(self, body: dict[str, Any]) -> None:
        faults = self.fake.faults
        if "stall" in faults:
            self.fake.gate.wait(20)
        if "drop_first" in faults:
            self.close_connection = True
            return
        self._start_stream()
        for piece in self.fake.answer(body["messages"]):
            self._line({"message": {"role": "assistant", "content": piece}, "done": False})
        if "endless" in faults:
            self._until_gone()
        elif "drop" in faults:
            self.close_connection = True
        else:
            self._end_chat(faults)

    def _end_chat(self, faults: set[str]) -> None:
        if "error_line" in faults:
            self._line({"error": "an error was encountered while running the model: unexpected EOF"})
        elif "garbage" in faults:
            self._chunk(b"this is no JSON\n")
        elif "no_done" not in faults:
            reason = "length" if "length" in faults else "stop"
            counts = {"prompt_eval_count": 31, "eval_count": 7, "eval_duration": 5}
            self._line({"message": {"role": "assistant", "content": ""}, "done": True, "done_reason": reason, **counts})
        self._chunk(b"")

    def _until_gone(self) -> None:
        try:
            while not self.fake.gate.wait(0.01):
                self._line({"message": {"role": "assistant", "content": "on and "}, "done": False})
        except OSError:
            self.fake.gone.set()
        self.close_connection = True

    def _start_stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def _line(self, content: dict[str, Any]) -> None:
        self._chunk(json.dumps(content, ensure_ascii=False).encode() + b"\n")

    def _chunk(self, content: bytes) -> None:
        self.wfile.write(f"{len(content):x}\r\n".encode() + content + b"\r\n")
        self.wfile.flush()

    def _json(self, status: int, content: dict[str, Any]) -> None:
        self._send(status, "application/json; charset=utf-8", json.dumps(content).encode())

    def _text(self, status: int, content: str) -> None:
        self._send(status, "text/plain", content.encode())

    def _send(self, status: int, kind: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is what many tests want."""


@contextmanager
def running(**has: Any) -> Iterator[FakeOllama]:
    """A stand-in server on a free port of this machine, ended afterwards."""
    fake = FakeOllama(**has)
    server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"fake": fake}))
    fake.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield fake
    finally:
        fake.gate.set()
        server.shutdown()
        server.server_close()
        thread.join()


def _tagged(name: str) -> str:
    return name.lower() if ":" in name else f"{name.lower()}:latest"


def _listed(name: str, model: Model) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "name": name,
        "model": name,
        "size": 2_500_000_000,
        "digest": hashlib.sha256(name.encode()).hexdigest(),
        "details": {"format": "gguf", "family": model.family, "parameter_size": "4B", "quantization_level": "Q4_K_M"},
    }
    if model.listed and model.capabilities is not None:
        entry["capabilities"] = list(model.capabilities)
    if model.remote_host:
        entry["remote_host"] = model.remote_host
    return entry


def _shown(model: Model) -> dict[str, Any]:
    info = {"general.architecture": model.family, f"{model.family}.context_length": model.context}
    shown: dict[str, Any] = {"details": {"family": model.family}, "model_info": info}
    if model.capabilities is not None:
        shown["capabilities"] = list(model.capabilities)
    return shown
