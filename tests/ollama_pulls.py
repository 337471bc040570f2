"""The stand-in's /api/pull and /api/delete."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ollama_http import Wire
from ollama_models import tagged
from ollama_state import Body, Refused

_STEPS = 8
NEWER = (
    "pull model manifest: 412: \n\nThe model you are attempting to pull requires a newer version of Ollama that may be "
    "in pre-release.\n\nPlease see https://github.com/ollama/ollama/releases for more details."
)
NO_SUCH = "pull model manifest: file does not exist"
RETRIES = 'max retries exceeded: Get "https://registry.example/v2/": net/http: TLS handshake timeout'


class _Dropped(Exception):
    """The connection ends here."""


def pull(wire: Wire, body: Body) -> None:
    """Downloads layer by layer and lists the model afterwards. Raises Refused."""
    name = tagged(body["model"])
    if " " in name:
        raise Refused(400, "invalid model name")
    streams = body.get("stream", True)
    if streams:
        wire.start_stream()
    try:
        for content in _lines(wire, name):
            if streams:
                wire.line(content)
                wire.fake.writing.set()
            wire.pause()
    except _Dropped:
        wire.close_connection = True
        return
    if not streams:
        wire.json(200, {"status": "success"})
        return
    wire.end()


def _lines(wire: Wire, name: str) -> Iterator[dict[str, Any]]:
    yield {"status": "pulling manifest"}
    pullable = wire.fake.library.get(name)
    if "pull_412" in wire.active:
        raise Refused(500, NEWER)
    if pullable is None:
        raise Refused(500, NO_SUCH)
    layers = pullable.digests()
    half = sum(total for _, total in layers) / 2
    before = 0
    for digest, total in layers:
        yield from _layer(wire, digest, total, half - before)
        before += total
    yield {"status": "verifying sha256 digest"}
    yield {"status": "writing manifest"}
    wire.fake.models[name] = pullable.model
    yield {"status": "success"}


def _layer(wire: Wire, digest: str, total: int, half: float) -> Iterator[dict[str, Any]]:
    done = wire.fake.blobs
    line = {"status": f"pulling {digest[7:19]}", "digest": digest, "total": total}
    if done.get(digest) == total:
        yield line | {"completed": total}
        return
    step = -(-total // _STEPS)
    while True:
        completed = done.setdefault(digest, 0)
        yield line | ({"completed": completed} if completed else {})
        if completed == total:
            return
        done[digest] = min(total, completed + step)
        if completed < half <= done[digest]:
            yield from _half_way(wire, line | ({"completed": completed} if completed else {}))


def _half_way(wire: Wire, line: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "pull_stall" in wire.active:  # Ollama goes on telling the same number
        while not wire.fake.gate.wait(0.02):
            yield line
    if "pull_silent" in wire.active:
        wire.wait(wire.fake.gate)
    if "pull_drop" in wire.active:
        raise _Dropped
    if "pull_retries" in wire.active:
        raise Refused(500, RETRIES)


def delete(wire: Wire, body: Body) -> None:
    """200 with an empty body. Raises Refused."""
    name = tagged(body["model"])
    if name not in wire.fake.models:
        raise Refused(404, f"model '{body['model']}' not found")
    del wire.fake.models[name]
    wire.fake.loaded.pop(name, None)
    wire.send(200, "text/plain", b"")
