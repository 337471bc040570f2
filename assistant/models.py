"""The models of the Ollama server, for the screen and the command line: what is there, what fits, and getting more."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime

from assistant.errors import AssistantError, SettingsError
from assistant.serving import (
    Advice,
    Advised,
    Fit,
    InstalledModel,
    InstalledModels,
    LoadedModel,
    Memory,
    ModelWarning,
    PullProgress,
    ServerState,
)
from assistant.settings import Settings

__all__ = [
    "Advice",
    "Advised",
    "Fit",
    "InstalledModel",
    "InstalledModels",
    "LoadedModel",
    "Memory",
    "ModelWarning",
    "Models",
    "PullProgress",
    "ServerState",
]


class Models:
    """The models of one server. Nothing is asked before a method is called; each asks anew, so a server that starts
    later or dies in between is met as it is. Thread-safe.

    Names with and without ":latest" are the same. Errors are AssistantErrors with one sentence.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._url = settings.ollama.url
        self._lock = threading.Lock()
        self._seen: dict[str, datetime] = {}

    def server(self) -> ServerState:
        """Whether the server answers, its version, and what helps if not; never raises."""
        from assistant.providers.ollama.models import server_state

        return server_state(self._url)

    def installed(self) -> InstalledModels:
        """The local models. Raises ModelUnavailable, BadReply."""
        from assistant.providers.ollama.models import installed

        return installed(self._url)

    def loaded(self) -> tuple[LoadedModel, ...]:
        """The models in memory. Raises ModelUnavailable, BadReply."""
        from assistant.providers.ollama.loaded import loaded

        return loaded(self._url)

    def memory(self) -> Memory:
        """The memory of this machine, and whether it is the server's."""
        import psutil

        now = psutil.virtual_memory()
        return Memory(total=now.total, available=now.available, of_server=not self.elsewhere)

    @property
    def url(self) -> str:
        """The server's address in full. Raises SettingsError for one that cannot be used."""
        from assistant.providers.ollama.address import address

        return address(self._url)

    @property
    def elsewhere(self) -> bool:
        """Whether what is sent to the server leaves this machine; nothing is sent to find out."""
        from assistant.providers.ollama.address import leaves_machine

        try:
            return leaves_machine(self._url)
        except SettingsError:  # no server at all, so none elsewhere
            return False

    def advice(self) -> Advice:
        """What to use on this machine, installed models first; without a server, from the table alone."""
        from assistant.providers.ollama.fitting import advice

        return advice(self._url, self._installed_or_none(), self.memory())

    def fits(self, model: str, window: int | None = None) -> Fit:
        """Whether this model can be loaded with a window of so many tokens (None: as it would be asked)."""
        from assistant.providers.ollama.fitting import fit, window_of

        try:
            installed, loaded = self.installed(), self.loaded()
        except AssistantError:
            installed, loaded = InstalledModels(), ()
        window = window or window_of(installed, model, self.settings.answering.window)
        return fit(self._url, installed, loaded, model, window, self.memory())

    def warnings(self, chat: str | None = None, embedder: str | None = None) -> tuple[ModelWarning, ...]:
        """What the person should know of these two models; "" = none is used, None = that of the settings."""
        from assistant.providers.ollama.checking import Chosen, check

        chat = self._chat() if chat is None else chat
        embedder = self._embedder() if embedder is None else embedder
        if not chat and not embedder:
            return ()
        try:
            installed, loaded = self.installed(), self.loaded()
        except AssistantError as err:
            return (ModelWarning(kind="unreachable", model=chat or embedder, why=str(err), action="start"),)
        window, gone = self.settings.answering.window, self._put_out(loaded)
        return check(Chosen(self._url, window, chat, embedder, installed, loaded, self.memory(), gone))

    def pull(
        self,
        model: str,
        on_progress: Callable[[PullProgress], None] | None = None,
        cancel: threading.Event | None = None,
        stall_seconds: float = 60.0,
    ) -> PullProgress:
        """The last progress of a download: "done", or "stopped" after `cancel`; another pull goes on from there.

        Raises ModelUnavailable, BadReply, SettingsError; what has come is kept then, too.
        """
        from assistant.providers.ollama.pull import pull

        return pull(self._url, model, on_progress, cancel, stall_seconds)

    def delete(self, model: str) -> None:
        """Takes the model off the server's disk. Raises ModelUnavailable, BadReply."""
        from assistant.providers.ollama.models import delete

        self._forget(model)
        delete(self._url, model)

    def preload(self, model: str, cancel: threading.Event | None = None) -> bool:
        """Whether the model is in memory now, with the window that the requests after it have; False after `cancel`.

        Takes as long as loading takes. Raises ModelUnavailable, BadReply.
        """
        from assistant.providers.ollama.loaded import preload

        ollama = self.settings.ollama
        embeds, window = self._asked_as(model)
        return preload(self._url, model, window, embeds, ollama.keep_alive, cancel, ollama.first_token_seconds)

    def unload(self, model: str) -> None:
        """Puts the model out of memory. Raises ModelUnavailable, BadReply."""
        from assistant.providers.ollama.loaded import unload

        self._forget(model)
        embeds, _ = self._asked_as(model)
        unload(self._url, model, embeds)

    def _installed_or_none(self) -> InstalledModels:
        try:
            return self.installed()
        except AssistantError:
            return InstalledModels()

    def _chat(self) -> str:
        answering = self.settings.answering
        return answering.model if answering.writer == "ollama" else ""

    def _embedder(self) -> str:
        from assistant.providers.ollama.families import DEFAULT_EMBEDDER

        embedding = self.settings.embedding
        return (embedding.model or DEFAULT_EMBEDDER) if embedding.provider == "ollama" else ""

    def _asked_as(self, model: str) -> tuple[bool, int]:
        """Whether it is asked for vectors, and the num_ctx that the chat or the embedder asks it for."""
        from assistant.providers.ollama.fitting import named, window_of

        installed = self.installed()
        found = named(installed, model)
        embeds = found is not None and "embedding" in found.abilities
        return embeds, window_of(installed, model, self.settings.answering.window)

    def _put_out(self, loaded: tuple[LoadedModel, ...]) -> frozenset[str]:
        """The models that were in memory when last looked and should still be, but are not."""
        from assistant.providers.ollama.families import with_tag

        now, forever = datetime.now(UTC), datetime.max.replace(tzinfo=UTC)
        present = {with_tag(model.name): model.until or forever for model in loaded}
        with self._lock:
            gone = frozenset(name for name, until in self._seen.items() if name not in present and until > now)
            # a server that was started anew has nothing loaded, and nothing was put out
            self._seen = {**{name: self._seen[name] for name in gone}, **present} if present else {}
        return gone

    def _forget(self, model: str) -> None:
        from assistant.providers.ollama.families import with_tag

        with self._lock:
            self._seen.pop(with_tag(model), None)
