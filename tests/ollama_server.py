"""A stand-in for Ollama over real HTTP: the parts of its protocol that Glassbox speaks, with its faults.

Written from the server's source (v0.33): lines of JSON in chunks; errors as {"error": …}, with their status before the
first byte and as a line after it; counters left out when zero. In a test: `with running(models=…, …) as fake`. As a
program, for a person or a browser: `python tests/ollama_server.py --real --port 11434`.
"""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import ollama_answers
import ollama_pulls
from ollama_http import Wire
from ollama_models import Model, Pullable, in_memory, listed, shown, tagged
from ollama_state import OUT_OF_MEMORY, FakeOllama, Refused, Reply, model_named

__all__ = ["OUT_OF_MEMORY", "FakeOllama", "Model", "Pullable", "Reply", "running"]


Routes = dict[str, Callable[..., None]]


class _Handler(Wire):
    def respond(self, body: dict[str, Any]) -> None:
        self._refuse_by_fault()
        route = f"{self.command.replace('HEAD', 'GET')} {self.path}"
        if route in self._without_model:
            self._without_model[route](self)
            return
        if route not in self._with_model:
            self.text(404, "404 page not found")
            return
        if not body.get("model"):
            raise Refused(400, "model is required" if body else "missing request body")
        if route in ("POST /api/pull", "DELETE /api/delete"):
            self._with_model[route](self, body, None)
            return
        model = model_named(self.fake, body["model"])
        if model is None:
            raise Refused(404, f"model '{body['model']}' not found")
        self._with_model[route](self, body, model)

    def _refuse_by_fault(self) -> None:
        if "text_404" in self.active:
            raise _Text(404, "404 page not found")
        if "html" in self.active:
            raise _Text(502, "<html><body>Bad gateway</body></html>")
        if "forbidden" in self.active:
            raise _Text(403, "")
        if "busy" in self.active:
            raise Refused(503, "server busy, please try again.  maximum pending requests exceeded")
        if "out_of_memory" in self.active and self.path in ("/api/chat", "/api/embed", "/api/generate"):
            raise Refused(500, OUT_OF_MEMORY)

    def refuse(self, refused: Refused) -> None:
        if isinstance(refused, _Text):
            self.text(refused.status, refused.error)
        else:
            super().refuse(refused)

    def _root(self) -> None:
        self.text(200, "Ollama is running")

    def _version(self) -> None:
        self.json(200, {"version": self.fake.version})

    def _tags(self) -> None:
        self.json(200, {"models": [listed(name, model) for name, model in self.fake.models.items()]})

    def _ps(self) -> None:
        vram = self.fake.vram
        self.json(200, {"models": [in_memory(entry, vram) for entry in self.fake.in_memory()]})

    def _show(self, body: dict[str, Any], model: Model) -> None:
        if "show_500" in self.active:
            raise Refused(500, "open /blobs/x: no such file or directory")
        self.json(200, shown(model))

    def _chat(self, body: dict[str, Any], model: Model) -> None:
        ollama_answers.chat(self, body, model)

    def _generate(self, body: dict[str, Any], model: Model) -> None:
        """Of this only the loading, by an empty prompt."""
        ollama_answers.load_only(self, body, model, {"response": ""})

    def _pull(self, body: dict[str, Any], model: None) -> None:
        ollama_pulls.pull(self, body)

    def _delete(self, body: dict[str, Any], model: None) -> None:
        ollama_pulls.delete(self, body)

    def _embed(self, body: dict[str, Any], model: Model) -> None:
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        name = tagged(body["model"])
        if texts or not self.fake.unload_if_asked(name, body):
            ollama_answers.load(self, body, model)
        # characters stand for tokens, unless the real model counts them
        counts = not self.fake.real_embed and body.get("truncate") is False
        if counts and any(len(text) > model.context for text in texts):
            raise Refused(400, "the input length exceeds the context length")
        bad = [self.fake.poison in text for text in texts]
        if "nan" in self.active and any(bad):
            raise Refused(500, "failed to encode response: json: unsupported value: NaN")
        vectors = self._vectors(texts, model, body)
        for place, is_bad in enumerate(bad):
            if is_bad and "zero" in self.active:
                vectors[place] = [0.0] * model.dimension
            if is_bad and "short" in self.active:
                vectors[place] = vectors[place][:-1]
        if "missing" in self.active and len(vectors) > 1:
            vectors.pop()
        self.json(200, {"model": body["model"], "embeddings": vectors, "prompt_eval_count": len(texts)})
        if texts:
            self.fake.unload_if_asked(name, body)

    def _vectors(self, texts: list[str], model: Model, body: dict[str, Any]) -> list[list[float]]:
        if not self.fake.real_embed or not texts:
            return [self.fake.vector(text, model.dimension) for text in texts]
        import ollama_real

        return ollama_real.vectors(texts, body.get("truncate", True))

    _without_model: Routes = {"GET /": _root, "GET /api/version": _version, "GET /api/tags": _tags, "GET /api/ps": _ps}
    _with_model: Routes = {
        "POST /api/show": _show,
        "POST /api/chat": _chat,
        "POST /api/generate": _generate,
        "POST /api/embed": _embed,
        "POST /api/pull": _pull,
        "DELETE /api/delete": _delete,
    }


class _Text(Refused):
    """Said as plain text."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port: int, fake: FakeOllama) -> None:
        self.open: set[Any] = set()
        super().__init__(("127.0.0.1", port), type("Handler", (_Handler,), {"fake": fake}))

    def process_request(self, request: Any, client_address: Any) -> None:
        self.open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self.open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is what many tests want."""

    def cut(self) -> None:
        """Ends every connection, as a killed server does."""
        for request in list(self.open):
            with suppress(OSError):
                request.shutdown(2)


class _Host:
    """Starts and stops the server of a fake; the port stays the same."""

    def __init__(self, fake: FakeOllama, port: int = 0) -> None:
        self._fake = fake
        self._port = port
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        self._server = _Server(self._port, self._fake)
        self._port = int(self._server.server_address[1])
        self._fake.url = f"http://127.0.0.1:{self._port}"
        serve = self._server.serve_forever
        self._thread = threading.Thread(target=serve, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        if self._server is None or self._thread is None:
            return
        self._server.shutdown()
        self._server.server_close()
        self._server.cut()
        self._thread.join()
        self._server = None


@contextmanager
def running(port: int = 0, **has: Any) -> Iterator[FakeOllama]:
    """A stand-in server on a free port of this machine, ended afterwards; FakeOllama says what it may be given.

    With `real_chat` and `real_embed` it also has the models smollm2:135m and multilingual-e5-small.
    """
    fake = FakeOllama(**has)
    _add_real_models(fake)
    host = _Host(fake, port)
    fake.start, fake.stop = host.start, host.stop
    fake.start()
    try:
        yield fake
    finally:
        fake.gate.set()
        fake.load_gate.set()
        fake.stop()


def _add_real_models(fake: FakeOllama) -> None:
    if fake.real_chat or fake.real_embed:
        import ollama_real

        if fake.real_chat:
            fake.models.setdefault(ollama_real.CHAT, ollama_real.chat_model())
        if fake.real_embed:
            fake.models.setdefault(ollama_real.EMBED, ollama_real.embed_model())


def main() -> None:
    """Serves until Ctrl-C; the first line printed is the address."""
    parser = argparse.ArgumentParser(description="A stand-in for Ollama, for tests and for looking at Glassbox.")
    parser.add_argument("--port", type=int, default=0, help="default: a free one")
    parser.add_argument("--real", action="store_true", help="answer with SmolLM2, embed with multilingual-e5-small")
    parser.add_argument("--pause", type=float, default=0.0, help="seconds between pieces and between lines of a pull")
    options = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    gigabytes = (("weights of qwen3", 2_500_000_000), ("license of qwen3", 11_343), ("params of qwen3", 487))
    library = {
        "qwen3:4b-instruct": Pullable(layers=gigabytes),
        "embeddinggemma:latest": Pullable(Model(("embedding",))),
    }
    models = (
        {} if options.real else {"qwen3:4b-instruct": Model(), "bge-m3:latest": Model(("embedding",), family="bert")}
    )
    has = {"models": models, "library": library, "real_chat": options.real, "real_embed": options.real}
    with running(options.port, pause=options.pause, **has) as fake:
        print(fake.url, flush=True)
        with suppress(KeyboardInterrupt):
            threading.Event().wait()


if __name__ == "__main__":
    main()
