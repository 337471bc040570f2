"""One event loop for the app's life, in a thread of its own: a connection belongs to the loop that opened it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine, Generator
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")

# how long a set `cancel` may go unnoticed
_GLANCE_SECONDS = 0.1

_starting = threading.Lock()
_running: list[asyncio.AbstractEventLoop] = []


def event_loop() -> asyncio.AbstractEventLoop:
    """The loop, started at first use."""
    with _starting:
        if not _running:
            loop = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="ollama", daemon=True).start()
            _running.append(loop)
        return _running[0]


def result_of(work: Coroutine[Any, Any, T]) -> T:
    """What this coroutine returns or raises, waited for in the calling thread."""
    return asyncio.run_coroutine_threadsafe(work, event_loop()).result()


def received(
    work: Callable[[Callable[[T], None]], Awaitable[None]], cancel: threading.Event | None = None
) -> Generator[T, None, None]:
    """What `work` tells, as it tells it, until it ends; its exception is raised here.

    When `cancel` is set or this generator is closed, `work` is cancelled, which closes its connections.
    """
    told: SimpleQueue[tuple[T] | BaseException | None] = SimpleQueue()

    async def run() -> None:
        try:
            await work(lambda item: told.put((item,)))
        except Exception as err:
            told.put(err)
        finally:
            told.put(None)

    task = asyncio.run_coroutine_threadsafe(run(), event_loop())
    try:
        while cancel is None or not cancel.is_set():
            try:
                item = told.get(timeout=_GLANCE_SECONDS)
            except Empty:
                continue
            if item is None:
                return
            if isinstance(item, BaseException):
                raise item
            yield item[0]
    finally:
        task.cancel()
