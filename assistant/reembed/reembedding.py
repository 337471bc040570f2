"""Reembedding: what another embedding model would cost, building its index, switching to it, and going back."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from assistant.errors import AssistantError, StoreError
from assistant.providers.choice import build_chosen, choice_of
from assistant.providers.embedder import Embedder
from assistant.reembed.fill import Fill, OnProgress
from assistant.reembed.records import Estimate, Index, ReembedReport
from assistant.settings import Settings
from assistant.store.base import Base
from assistant.store.schema import Embedder as Stored
from assistant.store.shelf import Coverage

_SAMPLE = 8
_TOKENS_A_CHARACTER = 1.4  # at most, with special tokens; only what may be too long is counted in full


class Reembedding:
    """The indexes of an open base. A model is named by provider and name ("ollama", "bge-m3"); "" = its default one.

    All methods raise SettingsError for a model that cannot be, ModelUnavailable for one that is away, and StoreError.
    """

    def __init__(
        self,
        base: Base,
        settings: Settings,
        exchanged: Callable[[Embedder], None],
        pipeline: Callable[[str], str] = lambda fingerprint: "",
    ) -> None:
        """`exchanged` is told the embedder that the base works with after a switch. `pipeline`: hash by fingerprint."""
        self._base = base
        self._settings = settings
        self._exchanged = exchanged
        self._pipeline = pipeline
        self._at_work = threading.Lock()

    def estimate(self, provider: str, model: str = "") -> Estimate:
        """What an index with this model costs; loads the model and embeds a few chunks, of which nothing is kept."""
        embedder = self._built(provider, model)
        identity, stored = embedder.identity, Stored.of(embedder.identity)
        found = self._base.shelf.coverage(stored)
        texts = [m.text for m in self._base.shelf.missing(stored, max(1, found.chunks))]
        speed = _characters_per_second(embedder, texts)
        seconds = sum(map(len, texts)) / speed if speed else None
        return Estimate(
            model=identity.text(),
            fingerprint=identity.fingerprint(),
            chunks=found.chunks,
            there=found.there,
            seconds=seconds if texts else 0.0,
            chunks_per_second=len(texts) / seconds if seconds else None,
            max_tokens=identity.max_tokens,
            too_long=_too_long(embedder, texts),
            bytes=len(texts) * (4 * identity.dimension + 40),
        )

    def run(
        self,
        provider: str,
        model: str = "",
        on_progress: OnProgress | None = None,
        cancel: threading.Event | None = None,
    ) -> ReembedReport:
        """Builds the index beside the one in use, or goes on with it; also after a stop, a failure or a kill.

        Chunks that come in meanwhile are caught up. Raises BadReply when the model does not work at all.
        """
        fill = Fill(self._base, self._built(provider, model), on_progress, cancel)
        with self._alone():
            fill.again()
        return fill.report()

    def check(self, provider: str, model: str = "") -> ReembedReport:
        """How much of the base this model's index covers; nothing is changed."""
        return Fill(self._base, self._built(provider, model), None, None).report()

    def switch(
        self,
        provider: str,
        model: str = "",
        on_progress: OnProgress | None = None,
        cancel: threading.Event | None = None,
    ) -> ReembedReport:
        """Makes this model the base's own, and keeps the vectors of the one before for the way back.

        What is still missing is embedded first. When a chunk is left without a vector, or it is cancelled, the base
        stays with its model, and `switched` is false. Questions under way end with what they began with.
        """
        embedder = self._built(provider, model)
        fill = Fill(self._base, embedder, on_progress, cancel)
        if self._is_current(fill.model):
            return fill.report().model_copy(update={"switched": True})
        with self._alone():
            fill.again()
            with self._turn(fill):
                fill.again()
                report = fill.report()
                if report.cancelled or not report.complete:
                    return report
                self._exchange(embedder)
        return report.model_copy(update={"switched": True})

    def indexes(self) -> tuple[Index, ...]:
        """The one in use first, then the others that have vectors of the base's chunks."""
        own = self._base.embedder
        others = [m for m in self._base.shelf.models() if not self._is_current(m)]
        found = [self._base.shelf.coverage(m) for m in ([own] if own else []) + others]
        return tuple(_index(c, self._is_current(c.model)) for c in found if c.there or self._is_current(c.model))

    def forget(self, fingerprint: str) -> None:
        """Drops the vectors of an index and gives their room back. Raises StoreError for the one in use."""
        own = self._base.embedder
        if own is not None and own.fingerprint == fingerprint:
            raise StoreError(f"The index of {own.label} is in use; switch to another one before removing it.")
        if fingerprint not in {m.fingerprint for m in self._base.shelf.models()}:
            raise StoreError(f"There is no index {fingerprint!r}; take one from the list of the indexes.")
        with self._alone():
            self._base.shelf.forget(fingerprint)

    def _built(self, provider: str, model: str) -> Embedder:
        return build_chosen(choice_of(provider, model), self._settings)

    def _is_current(self, model: Stored) -> bool:
        own = self._base.embedder
        return own is not None and own.fingerprint == model.fingerprint

    def _exchange(self, embedder: Embedder) -> None:
        own, new = self._base.embedder, embedder.identity
        before = self._pipeline(own.fingerprint) if own else ""
        if self._settings.index.vector_index == "matrix":
            self._base.warm()  # questions under way go on with these vectors
        self._base.exchange(new, (before, self._pipeline(new.fingerprint())))
        self._exchanged(embedder)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        if not self._at_work.acquire(blocking=False):
            raise AssistantError("An index is being built already; wait for it or stop it first.")
        try:
            yield
        finally:
            self._at_work.release()

    @contextmanager
    def _turn(self, fill: Fill) -> Iterator[None]:
        """No file is added meanwhile; a running ingest is waited for."""
        turn = self._base.turn
        while not (mine := turn.acquire(timeout=0.2)) and not fill.cancelled:
            pass
        try:
            yield
        finally:
            if mine:
                turn.release()


def _characters_per_second(embedder: Embedder, texts: list[str]) -> float | None:
    """Over a few texts from all over the base; the first, which may load the model, is not counted."""
    sample = texts[:: max(1, len(texts) // _SAMPLE)][: _SAMPLE + 1]
    if not sample:
        return None
    list(embedder.embed_batches(sample[:1]))
    timed = sample[1:] or sample
    started = time.perf_counter()
    made = [one for batch in embedder.embed_batches(timed) for one in batch]
    seconds = time.perf_counter() - started
    done = sum(len(text) for text, one in zip(timed, made, strict=True) if one.vector is not None)
    return done / seconds if done and seconds > 0 else None


def _too_long(embedder: Embedder, texts: list[str]) -> int:
    identity = embedder.identity
    sure = (identity.max_tokens - 4) / _TOKENS_A_CHARACTER - len(identity.passage_prefix)
    return sum(len(text) > sure and embedder.is_too_long(text) for text in texts)


def _index(found: Coverage, current: bool) -> Index:
    record = found.model.record
    provider, name = str(record.get("provider", "")), str(record.get("model", ""))
    return Index(
        fingerprint=found.model.fingerprint,
        provider=provider,
        model=name,
        text=f"{name} ({provider}, {record.get('engine', '')}, {found.model.dimension or 0})",
        dimension=found.model.dimension or 0,
        chunks=found.chunks,
        there=found.there,
        complete=found.complete,
        current=current,
        bytes=found.bytes,
    )
