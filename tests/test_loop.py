"""What runs in the assistant's loop, as seen by the threads that wait for it."""

from __future__ import annotations

import asyncio
import threading

import pytest

from assistant.errors import AssistantError
from assistant.loop import Loop


@pytest.fixture
def loop():
    made = Loop()
    yield made
    made.close()


def test_items_come_in_order_and_an_error_after_them(loop):
    async def make():
        yield 1
        yield 2
        raise AssistantError("that was all")

    items = loop.iterate(make)
    assert [next(items), next(items)] == [1, 2]
    with pytest.raises(AssistantError, match="that was all"):
        next(items)
    assert list(items) == []


def test_another_thread_ends_the_wait_for_an_item_that_never_comes(loop):
    waiting, ended = threading.Event(), threading.Event()

    async def make():
        yield 1
        try:
            waiting.set()
            await asyncio.Event().wait()
        finally:
            ended.set()

    items = loop.iterate(make)
    assert next(items) == 1
    seen = []
    reader = threading.Thread(target=lambda: seen.extend(items))
    reader.start()
    assert waiting.wait(10)
    items.close()
    reader.join(10)
    assert not reader.is_alive()
    assert ended.wait(10)
    assert seen == []


def test_items_closed_before_the_first_begin_nothing(loop):
    begun = []

    async def make():
        begun.append(True)
        yield 1

    items = loop.iterate(make)
    items.close()
    items.close()
    assert list(items) == []
    assert begun == []


def test_a_closed_loop_refuses_what_is_asked_afterwards(loop):
    async def make():
        yield 1

    loop.close()
    with pytest.raises(AssistantError, match="is closed"):
        next(loop.iterate(make))
