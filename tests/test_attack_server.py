"""What other websites and other programs may send to the running app: nothing that has an effect."""

from __future__ import annotations

import http.client
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ui.guard import is_own

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The app in a process of its own, as a person starts it."""
    command = [sys.executable, str(ROOT / "launch.py"), "--no-browser", "--kb", str(tmp_path_factory.mktemp("kb"))]
    env = {**os.environ, "PYTHONUNBUFFERED": "1", "OLLAMA_HOST": "http://127.0.0.1:9"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env) as app:
        assert app.stdout is not None
        lines: list[str] = []
        while not (found := re.search(r"127\.0\.0\.1:\d+", lines[-1] if lines else "")):
            lines.append(app.stdout.readline())
            assert lines[-1], "the app did not start: " + "".join(lines)
        yield found[0]
        app.send_signal(signal.SIGTERM)
        app.communicate(timeout=30)


def send(server: str, method: str, path: str, body: str = "", **headers: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection(server, timeout=20)
    connection.request(method, path, body.encode(), {"Host": server, **headers})
    reply = connection.getresponse()
    text = reply.read().decode("utf-8", "replace")
    connection.close()
    return reply.status, text


JOIN = '{"data": [], "fn_index": 0, "session_hash": "x"}'


@pytest.mark.parametrize(
    ("host", "origin", "own"),
    [
        ("127.0.0.1:7860", None, True),
        ("localhost:7860", "http://localhost:7860", True),
        ("[::1]:7860", None, True),
        ("evil.example", None, False),
        ("127.0.0.1.evil.example:7860", None, False),
        ("127.0.0.1@evil.example", None, False),
        ("127.0.0.1:7860", "http://evil.example", False),
        ("127.0.0.1:7860", "http://127.0.0.1:8000", False),
        ("127.0.0.1:7860", "null", False),
        ("127.0.0.1:7860", "http://[", False),
        ("[", None, False),
        ("", None, False),
    ],
)
def test_only_this_computers_names_and_the_own_page_are_own(host, origin, own):
    assert is_own({"host": host, **({} if origin is None else {"origin": origin})}) is own


@pytest.mark.parametrize("path", ["/", "/config", "/gradio_api/info"])
def test_a_name_pointed_at_this_computer_reads_nothing(server, path):
    status, text = send(server, "GET", path, Host="evil.example")
    assert (status, "127.0.0.1" in text) == (403, True)
    assert send(server, "GET", path)[0] == 200


@pytest.mark.parametrize("path", ["/gradio_api/queue/join", "/gradio_api/upload", "/gradio_api/run/predict"])
@pytest.mark.parametrize("origin", ["http://evil.example", "null"])
def test_a_page_of_another_website_starts_nothing(server, path, origin):
    assert send(server, "POST", path, JOIN, Origin=origin, **{"Content-Type": "application/json"})[0] == 403


def test_the_own_page_is_served(server):
    headers = {"Origin": f"http://{server}", "Content-Type": "application/json"}
    assert send(server, "POST", "/gradio_api/queue/join", JOIN, **headers)[0] == 200


@pytest.mark.parametrize(
    "path", ["/gradio_api/file=/etc/passwd", "/gradio_api/file=launch.py", "/gradio_api/file=../../etc/passwd"]
)
def test_no_file_of_this_computer_is_served(server, path):
    assert send(server, "GET", path)[0] in (403, 404)
