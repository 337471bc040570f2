"""Downloading a model to the Ollama server, with its true progress over all files."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, closing
from typing import Any, Literal

import httpx

from assistant.errors import AssistantError, BadReply, ModelUnavailable, SettingsError
from assistant.providers.ollama.address import address
from assistant.providers.ollama.loop import received
from assistant.providers.ollama.models import cloud_model, named_for_the_cloud
from assistant.providers.ollama.server import explaining, open_async, refused
from assistant.serving import PullProgress

OnPull = Callable[[PullProgress], None]

STALL_SECONDS = 60.0
# the rate is that of so many seconds; before the first of them is over none is told
_RATE_SECONDS, _RATE_FROM = 10.0, 1.0
_NETWORK = (
    "max retries",
    "timeout",
    "eof",
    "dial tcp",
    "lookup",
    "connection re",
    "tls",
    "no such host",
    "proxy",
    "certificate",
)


class Meter:
    """Adds up the lines of a pull. Of a file that the server already had, what it had does not count for the rate."""

    def __init__(self, name: str, stall_seconds: float, now: float) -> None:
        self._name = name
        self._stall_seconds = stall_seconds
        self._totals: dict[str, int] = {}
        self._done: dict[str, int] = {}
        self._gained = 0
        self._samples: deque[tuple[float, int]] = deque([(now, 0)])
        self._moved = now
        self._status = ""

    def take(self, line: dict[str, Any], now: float) -> PullProgress:
        """The progress after this line."""
        status, digest = str(line.get("status") or ""), line.get("digest")
        moved = status != self._status
        self._status = status
        if digest:
            done = int(line.get("completed") or 0)  # absent at 0
            gained = done - self._done.get(digest, done)
            self._totals[digest], self._done[digest] = int(line.get("total") or done), done
            self._gained += max(0, gained)
            moved = moved or gained > 0
        if moved:
            self._moved = now
        self._samples.append((now, self._gained))
        while now - self._samples[0][0] > _RATE_SECONDS and len(self._samples) > 2:
            self._samples.popleft()
        return self.at(now)

    def at(self, now: float, state: Literal["pulling", "done", "stopped"] = "pulling") -> PullProgress:
        """The progress as it stands; stalled when nothing has moved for long."""
        done, total, rate = sum(self._done.values()), sum(self._totals.values()), self._rate(now)
        stalled = state == "pulling" and self._downloads and now - self._moved >= self._stall_seconds
        return PullProgress(
            name=self._name,
            state=state,
            status=self._status,
            done=done,
            total=total,
            rate=rate,
            seconds_left=max(0, total - done) / rate if rate and not stalled else None,
            stalled=stalled,
            why=self._stall(now) if stalled else "",
        )

    @property
    def _downloads(self) -> bool:
        """Whether bytes should come: checking and writing a large file is silent for long, too."""
        return not self._status or self._status.startswith("pulling")

    def _rate(self, now: float) -> float | None:
        started, before = self._samples[0]
        return (self._gained - before) / (now - started) if now - started >= _RATE_FROM else None

    def _stall(self, now: float) -> str:
        return (
            f"Nothing has come for {now - self._moved:.0f} seconds; it still waits, and stopping loses nothing: "
            "the next pull goes on from here."
        )


def pull(
    url: str,
    model: str,
    on_progress: OnPull | None = None,
    cancel: threading.Event | None = None,
    stall_seconds: float = STALL_SECONDS,
) -> PullProgress:
    """The last progress: "done", or "stopped" after `cancel`, which pauses: another pull goes on from there.

    Raises ModelUnavailable (no such model, another Ollama needed, network, disk), BadReply; what has come is kept then,
    too. An exception raised by `on_progress` stops it as well.
    """
    name = model.strip()
    if not name:
        raise SettingsError("No model is named; write one like qwen3:4b-instruct.")
    if named_for_the_cloud(name):
        raise cloud_model(name)
    place = address(url)
    meter = Meter(name, stall_seconds, time.monotonic())
    last = meter.at(time.monotonic())

    async def work(tell: OnPull) -> None:
        async with open_async(place) as client, explaining(client, place, name):
            await _pull(client, place, name, meter, tell, stall_seconds)

    with closing(received(work, cancel)) as told:
        for last in told:
            if on_progress is not None:
                on_progress(last)
    return last if last.state == "done" else last.model_copy(update={"state": "stopped", "stalled": False, "why": ""})


async def _pull(
    client: httpx.AsyncClient, url: str, name: str, meter: Meter, tell: OnPull, stall_seconds: float
) -> None:
    try:
        async with client.stream("POST", f"{url}/api/pull", json={"model": name, "stream": True}) as response:
            if response.status_code != 200:
                raise refused(response.status_code, (await response.aread()).decode("utf-8", "replace"))
            async with aclosing(_watched(response.aiter_lines(), stall_seconds)) as lines:
                async for line in lines:
                    tell(_progress(line, url, name, meter))
                    if line is not None and line.get("status") == "success":
                        return
    except (httpx.RemoteProtocolError, httpx.ReadError) as err:
        raise _broken_off(url, name) from err
    raise _broken_off(url, name)


def _progress(line: dict[str, Any] | None, url: str, name: str, meter: Meter) -> PullProgress:
    now = time.monotonic()
    if line is None:
        return meter.at(now)
    if line.get("error"):
        raise _failure(str(line["error"]), url, name)
    progress = meter.take(line, now)
    return meter.at(now, "done") if progress.status == "success" else progress


async def _watched(lines: AsyncIterator[str], seconds: float) -> AsyncGenerator[dict[str, Any] | None, None]:
    """Each line as a record; None whenever none has come for so many seconds."""
    while True:
        coming = asyncio.ensure_future(anext(lines, None))
        try:
            while not (await asyncio.wait({coming}, timeout=seconds))[0]:
                yield None
        finally:
            coming.cancel()
        line = coming.result()
        if line is None:
            return
        if line.strip():
            yield dict(json.loads(line))


def _broken_off(url: str, name: str) -> BadReply:
    return BadReply(f"Ollama at {url} ended the connection while it pulled {name}; pull again to go on from there.")


def _failure(text: str, url: str, name: str) -> AssistantError:
    """The sentence for an error line, which comes with status 200."""
    said, short = text.lower(), " ".join(text.split())[:160]
    if "manifest: 412" in said or "newer version" in said:
        return ModelUnavailable(f"{name} needs a newer Ollama than the one at {url}; update Ollama and pull again.")
    if "does not exist" in said or "not found" in said:
        return ModelUnavailable(f"Ollama's library has no model {name!r}; check its name and tag.")
    if "no space" in said or "disk" in said:
        return ModelUnavailable(
            f"There is no room for {name} on the disk of {url} ({short}); make room and pull again to go on from there."
        )
    if "digest mismatch" in said:
        return BadReply(f"A part of {name} arrived damaged ({short}); pull again.")
    if any(sign in said for sign in _NETWORK):
        return ModelUnavailable(
            f"Ollama at {url} could not download {name} ({short}); pull again to go on from there, and behind a proxy "
            "set HTTPS_PROXY where Ollama itself runs."
        )
    return BadReply(f"Ollama at {url} could not pull {name} ({short}); try again.")
