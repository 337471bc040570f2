"""Framing of the stand-in server: JSON, text, lines in chunks, and noticing that a client went away."""

from __future__ import annotations

import json
import select
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler
from typing import Any

from ollama_state import Call, FakeOllama, Refused

_CAP_SECONDS = 60


class ClientGone(OSError):
    """The client closed its connection."""


class Wire(BaseHTTPRequestHandler):
    """One connection. `call` is the log entry of the request that is being answered, `active` its faults."""

    protocol_version = "HTTP/1.1"
    fake: FakeOllama
    call: Call
    active: frozenset[str]

    def log_message(self, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        self.answered({})

    def do_HEAD(self) -> None:
        self.answered({})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        try:
            body = json.loads(raw or b"{}")
        except ValueError as err:
            self.json(400, {"error": str(err)})
            return
        self.answered(body)

    def do_DELETE(self) -> None:
        self.do_POST()

    def answered(self, body: dict[str, Any]) -> None:
        """Answers one request with `respond` and notes when it ended and whether the client was still there."""
        self.call = self.fake.note(self.path, body)
        self.active = self.fake.take_faults(self.path)
        self.started = False
        try:
            self.respond(body)
        except Refused as refused:
            self.refuse(refused)
        except OSError:
            self.note_left()
            self.close_connection = True
        finally:
            self.call.ended = time.monotonic()

    def respond(self, body: dict[str, Any]) -> None:
        raise NotImplementedError

    def refuse(self, refused: Refused) -> None:
        if not self.started:
            self.json(refused.status, {"error": refused.error})
            return
        self.line({"error": refused.error})
        self.end()

    def left(self) -> bool:
        """Whether the client has closed the connection, which is noted at once."""
        try:
            ready, _, _ = select.select([self.connection], [], [], 0)
            closed = bool(ready) and self.connection.recv(1, socket.MSG_PEEK) == b""
        except (OSError, ValueError):
            closed = True
        if closed:
            self.note_left()
        return closed

    def note_left(self) -> None:
        self.call.left = self.call.left or time.monotonic()
        self.fake.gone.set()

    def wait(self, event: threading.Event, seconds: float = _CAP_SECONDS) -> bool:
        """Whether the event came in time. Raises ClientGone as soon as nobody listens any more."""
        until = time.monotonic() + seconds
        if event is self.fake.gate and not event.is_set():
            self.fake.waiting.set()
        while not event.wait(0.02):
            if self.left():
                raise ClientGone
            if time.monotonic() > until:
                return False
        return True

    def pause(self) -> None:
        if self.fake.pause:
            self.wait(threading.Event(), self.fake.pause)

    def start_stream(self) -> None:
        self.started = True
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def line(self, content: dict[str, Any]) -> None:
        if self.left():
            raise ClientGone
        text = json.dumps(content, ensure_ascii=False)
        for sign in "<>&":  # as Go writes them
            text = text.replace(sign, f"\\u{ord(sign):04x}")
        self.chunk(text.encode() + b"\n")

    def chunk(self, content: bytes) -> None:
        self.wfile.write(f"{len(content):x}\r\n".encode() + content + b"\r\n")
        self.wfile.flush()

    def end(self) -> None:
        """The regular end of a stream."""
        self.chunk(b"")

    def json(self, status: int, content: dict[str, Any]) -> None:
        self.send(status, "application/json; charset=utf-8", json.dumps(content, ensure_ascii=False).encode())

    def text(self, status: int, content: str) -> None:
        self.send(status, "text/plain", content.encode())

    def send(self, status: int, kind: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)
