"""Looks at the model server, in a thread of their own: a page never waits for a server that does not answer."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from ui.background import Opening, sentence
from ui.panels.seen import Seen
from ui.view import Door

if TYPE_CHECKING:
    from assistant.models import Models


class Looking:
    """The latest look at the model server, for all pages of the process. At most one look is under way."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._next: tuple[str, bool] | None = None
        self._ended = float("-inf")
        self.running = False
        self.seen = Seen()

    def look(self, chat: str, indexes: bool = True) -> None:
        """Looks now, or once more when the look under way has ended. The warnings will be about this chat model.

        `indexes`: those of the base are counted too, which in a large base takes longer than the server.
        """
        with self._lock:
            self._next = (chat, indexes or bool(self._next and self._next[1]))
            if self.running or self._opening.door is None:
                return
            self.running = True
            self._thread = threading.Thread(target=self._run, name="glassbox-looking", daemon=True)
            self._thread.start()

    def look_if_older(self, seconds: float, chat: str) -> None:
        """Looks at the server unless the last look ended less than so many seconds ago."""
        if not self.running and time.monotonic() - self._ended >= seconds:
            self.look(chat, indexes=False)

    def count(self) -> None:
        """Looks at the indexes of the base, and returns when that is done."""
        door = self._opening.door
        if door is None:
            return
        try:
            wish = door.wished
            named = f"{wish.provider}:{wish.model}" if wish else ""
            self.seen = replace(self.seen, indexes=door.reembedding.indexes(), wished=named)
        except Exception as err:
            self.seen = replace(self.seen, trouble=sentence(err))

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
            chat, indexes = wanted
            if indexes:
                self.count()
            seen = self._seen(self._opening.door, chat)
            self.seen = replace(seen, indexes=self.seen.indexes, wished=self.seen.wished)
            self._ended = time.monotonic()

    def _seen(self, door: Door, chat: str) -> Seen:
        seen = Seen(server=door.models.server(), indexes=self.seen.indexes)
        try:
            return self._of_server(replace(seen, memory=door.models.memory()), door.models, chat)
        except Exception as err:  # the server went away between two requests, or speaks another language
            return replace(seen, trouble=sentence(err))

    def _of_server(self, seen: Seen, models: Models, chat: str) -> Seen:
        if not seen.reachable:
            self._opening.models = ()
            return replace(seen, advice=models.advice())
        installed = models.installed()
        self._opening.models = tuple(model.name for model in installed.that_can("chat"))
        return replace(
            seen,
            installed=installed,
            loaded=models.loaded(),
            warnings=models.warnings(chat, seen.embedder),
            advice=models.advice(),
        )
