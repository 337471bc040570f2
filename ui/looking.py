"""Looks at the model server, in a thread of their own: a page never waits for a server that does not answer."""

from __future__ import annotations

import threading
import time

from assistant.errors import AssistantError
from ui.background import Opening, sentence
from ui.panels.seen import Seen
from ui.view import Door


class Looking:
    """The latest look at the model server, for all pages of the process. At most one look is under way."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._next: tuple[str, str] | None = None
        self._ended = float("-inf")
        self.running = False
        self.seen = Seen()

    def look(self, chat: str, embedder: str) -> None:
        """Looks now, or once more when the look under way has ended. The warnings will be about these two models."""
        with self._lock:
            self._next = (chat, embedder)
            if self.running or self._opening.door is None:
                return
            self.running = True
            self._thread = threading.Thread(target=self._run, name="glassbox-looking", daemon=True)
            self._thread.start()

    def look_if_older(self, seconds: float, chat: str, embedder: str) -> None:
        """Looks unless the last look ended less than so many seconds ago."""
        if not self.running and time.monotonic() - self._ended >= seconds:
            self.look(chat, embedder)

    def wait(self, seconds: float | None = None) -> None:
        """Returns when no look is under way."""
        if self._thread:
            self._thread.join(seconds)

    def _run(self) -> None:
        while True:
            with self._lock:
                wanted, self._next = self._next, None
                if wanted is None or self._opening.door is None:
                    self.running = False
                    return
            self.seen = self._seen(self._opening.door, *wanted)
            self._ended = time.monotonic()

    def _seen(self, door: Door, chat: str, embedder: str) -> Seen:
        models, server = door.models, None
        try:
            server = models.server()
            if not server.reachable:
                self._opening.models = ()
                return Seen(server=server, memory=models.memory(), advice=models.advice())
            installed = models.installed()
            self._opening.models = tuple(model.name for model in installed.that_can("chat"))
            return Seen(
                server=server,
                memory=models.memory(),
                installed=installed,
                loaded=models.loaded(),
                warnings=models.warnings(chat, embedder),
                advice=models.advice(),
            )
        except AssistantError as err:  # the server went away between two requests, or speaks another language
            return Seen(server=server, trouble=str(err))
        except Exception as err:
            return Seen(server=server, trouble=sentence(err))
