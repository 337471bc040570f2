"""One event loop for the assistant's life, and what runs in it as ordinary iterators."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future
from typing import Any

from assistant.errors import AssistantError

STOPPED = "The question was stopped before it was finished; ask it again."


class Loop:
    """One event loop in a thread of its own for the assistant's life: clients bound to a loop stay usable."""

    def __init__(self) -> None:
        self._closing = threading.Lock()
        self._closed = False
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="assistant-loop", daemon=True)
        self._thread.start()

    def iterate(self, make: Callable[[], AsyncIterator[Any]]) -> Items:
        """The items of an asynchronous iterator that runs in the loop; it begins with the first one asked for."""
        return Items(make, self._run)

    def close(self) -> None:
        """Ends what runs in the loop, then the loop; harmless when repeated."""
        with self._closing:
            if self._closed:
                return
            self._closed = True
        asyncio.run_coroutine_threadsafe(_cancel_others(), self._loop).add_done_callback(
            lambda _: self._loop.call_soon_threadsafe(self._loop.stop)
        )
        self._thread.join(timeout=10)
        if not self._thread.is_alive():
            self._loop.close()

    def _run(self, work: Any) -> Future[None]:
        with self._closing:
            if self._closed:
                work.close()
                raise AssistantError("The assistant is closed; open it again.")
            return asyncio.run_coroutine_threadsafe(work, self._loop)


class Items(Iterator[Any]):
    """The items in order. Unlike a generator it can be closed by another thread while one waits for the next item.

    Who waits then gets no further item, as at the end.
    """

    def __init__(self, make: Callable[[], AsyncIterator[Any]], run: Callable[[Any], Future[None]]) -> None:
        self._make = make
        self._run = run
        self._items: queue.Queue[tuple[str, Any]] = queue.Queue()
        self._job: Future[None] | None = None
        self._closed = threading.Event()

    def __next__(self) -> Any:
        if self._closed.is_set():
            raise StopIteration
        if self._job is None:
            self._job = self._run(self._pump())
        kind, value = self._items.get()
        if kind == "item" and not self._closed.is_set():
            return value
        closed = self._closed.is_set()
        self.close()
        if kind == "end" or closed:
            raise StopIteration
        if isinstance(value, asyncio.CancelledError):
            raise AssistantError(STOPPED)
        raise value

    def close(self) -> None:
        """Ends the work and whoever waits for it; harmless when repeated."""
        self._closed.set()
        if self._job is not None:
            self._job.cancel()
        self._items.put(("end", None))

    def __del__(self) -> None:
        self.close()

    async def _pump(self) -> None:
        try:
            async for item in self._make():
                self._items.put(("item", item))
            self._items.put(("end", None))
        except BaseException as err:
            self._items.put(("error", err))
            if not isinstance(err, Exception):
                raise


async def _cancel_others() -> None:
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    if others:
        await asyncio.wait(others, timeout=4)
    with contextlib.suppress(TimeoutError):  # its threads hold cursors, which must go before the database does
        await asyncio.wait_for(asyncio.get_running_loop().shutdown_default_executor(), timeout=4)
