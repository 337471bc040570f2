"""Stopping an answer of Ollama: within a second, whatever it waits for, and with nothing left behind."""

from __future__ import annotations

import asyncio
import gc
import os
import socket
import threading
import time

import pytest
from ollama_server import Model, running

from assistant.providers.chat import ChatPiece
from assistant.providers.ollama import OllamaChat
from assistant.providers.ollama.loop import event_loop

ASKED = (("system", "Be brief."), ("user", "What is 一?"))


@pytest.fixture
def server():
    with running(models={"qwen3:4b": Model()}) as fake:
        yield fake


def said(fake, cancel=None):
    return list(OllamaChat(fake.url, "qwen3:4b").stream(ASKED, cancel))


def text_of(pieces):
    return "".join(piece.text for piece in pieces)


def stopped_within(server, fault, seconds=1.0):
    """Pieces of an answer that is cancelled as soon as the server is at it; checks that its connection closes."""
    server.faults.add(fault)
    cancel = threading.Event()
    moment = []

    def stop():
        while not server.calls("/api/chat"):
            time.sleep(0.005)
        if fault in ("stall_mid", "endless"):
            server.writing.wait(10)
        moment.append(time.monotonic())
        cancel.set()

    threading.Thread(target=stop).start()
    pieces = said(server, cancel=cancel)
    assert server.gone.wait(10)
    (call,) = server.calls("/api/chat")
    assert call.left - moment[0] < seconds
    return pieces


@pytest.mark.parametrize("fault", ["stall", "slow_first", "stall_mid", "endless"])
def test_stop_ends_the_answer_and_the_connection_whatever_is_waited_for(server, fault):
    pieces = stopped_within(server, fault)
    assert (pieces[-1].done, pieces[-1].done_reason) == (False, "stopped")
    assert [piece.done_reason for piece in pieces[:-1]] == [""] * (len(pieces) - 1)


def test_stop_before_the_start_asks_nothing_of_the_model(server):
    cancel = threading.Event()
    cancel.set()
    assert said(server, cancel=cancel) == [ChatPiece(done_reason="stopped")]


def test_stop_while_the_server_is_asked_about_the_model():
    with socket.create_server(("127.0.0.1", 0)) as mute:  # takes connections and never says a word
        cancel = threading.Event()
        chat = OllamaChat(f"127.0.0.1:{mute.getsockname()[1]}", "m")
        connections = []
        threading.Thread(target=lambda: (connections.append(mute.accept()[0]), cancel.set())).start()
        assert [piece.done_reason for piece in chat.stream(ASKED, cancel)] == ["stopped"]
        connections[0].settimeout(10)
        while connections[0].recv(4096):  # the request, then the end
            pass
        connections[0].close()


def test_closing_the_answer_closes_the_connection(server):
    server.faults.add("endless")
    stream = OllamaChat(server.url, "qwen3:4b").stream(ASKED)
    assert next(stream).text == "No "
    stream.close()
    assert server.gone.wait(10)


def test_stopped_answer_does_not_keep_the_next_one_waiting(server):
    stopped_within(server, "endless")
    server.faults.clear()
    assert text_of(said(server)) == "No reply."


def tasks():
    return len(asyncio.all_tasks(event_loop()))


def sockets():
    links = []
    for name in os.listdir("/proc/self/fd"):
        try:
            links.append(os.readlink(f"/proc/self/fd/{name}"))
        except FileNotFoundError:
            continue
    return sum(link.startswith("socket:") for link in links)


def settled(measure, at_most):
    until = time.monotonic() + 10
    while measure() > at_most and time.monotonic() < until:
        time.sleep(0.01)
    return measure() <= at_most


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="counts open files where Linux lists them")
def test_two_hundred_answers_leave_nothing_behind():
    with running(models={"qwen3:4b": Model()}) as server:
        said(server)
        gc.collect()
        assert settled(tasks, 0)
        before = sockets(), threading.active_count()
        for number in range(200):
            stream = OllamaChat(server.url, "qwen3:4b").stream(ASKED, on_state=lambda state: None)
            next(stream)
            if number % 2:
                stream.close()
            else:
                list(stream)
        assert settled(tasks, 0)
        assert settled(sockets, before[0])
        assert settled(threading.active_count, before[1])


def test_answers_may_come_side_by_side(server):
    server.replies.append(("一", ["a", "b"]))
    results = []
    threads = [threading.Thread(target=lambda: results.append(text_of(said(server)))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == ["ab"] * 8


def test_real_model_is_stopped_in_the_middle():
    cancel = threading.Event()
    pieces = []
    with running(models={"smollm2:135m": Model(context=8192)}, real_chat=True) as fake:
        for piece in OllamaChat(fake.url, "smollm2:135m", window=2048).stream((("user", "Tell a story."),), cancel):
            pieces.append(piece)
            if len(pieces) == 3:
                cancel.set()
        assert fake.gone.wait(10)
    assert (len(pieces), pieces[-1].done_reason) == (4, "stopped")
