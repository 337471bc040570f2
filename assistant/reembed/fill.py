"""Vectors for every text that has none of a model yet: batch by batch, each kept at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

import numpy as np

from assistant.providers.batches import Made, without_vector
from assistant.providers.embedder import Embedder
from assistant.reembed.records import EmbedMoment, ReembedReport
from assistant.store.base import Base
from assistant.store.schema import Embedder as Stored
from assistant.store.shelf import Missing

OnProgress = Callable[[EmbedMoment], None]

_PAGE = 256  # texts fetched at once
_SURE_SECONDS = 2.0  # before that the time left is not known: the first batch also loads the model


class Fill:
    """Passes over what is missing: `again` goes on with what came in meanwhile; what failed is not asked twice."""

    def __init__(
        self, base: Base, embedder: Embedder, on_progress: OnProgress | None, cancel: threading.Event | None
    ) -> None:
        self._base = base
        self._embedder = embedder
        self._tell = on_progress or (lambda moment: None)
        self._cancel = cancel or threading.Event()
        self.model = Stored.of(embedder.identity)
        self._failed: dict[str, str] = {}
        self._embedded = 0
        self._started = time.perf_counter()
        self._first_at = 0.0
        self._first = 0
        self._chunks = self._there = 0

    @property
    def cancelled(self) -> bool:
        """Whether it was stopped; what was embedded is kept."""
        return self._cancel.is_set()

    def again(self) -> None:
        """Embeds what is missing now. Raises ModelUnavailable, BadReply, StoreError; what was embedded is kept."""
        self._base.shelf.drop_unusable(self.model)
        while not self.cancelled:
            self._count()
            page = self._base.shelf.missing(self.model, _PAGE, list(self._failed))
            if not page:
                return
            place = 0
            for made in self._embedder.embed_batches([m.text for m in page]):
                self._keep(page[place : place + len(made)], made)
                place += len(made)
                self._tell_moment()
                if self.cancelled:
                    return

    def report(self) -> ReembedReport:
        """What was done so far."""
        found = self._base.shelf.coverage(self.model, checked=True)
        return ReembedReport(
            model=self._embedder.identity.text(),
            fingerprint=self.model.fingerprint,
            chunks=found.chunks,
            there=found.there,
            embedded=self._embedded,
            in_parts=found.in_parts,
            failed=tuple(self._failed.values()),
            complete=found.complete,
            cancelled=self.cancelled,
            seconds=time.perf_counter() - self._started,
        )

    def _keep(self, page: Sequence[Missing], made: Sequence[Made]) -> None:
        done = [(m, one.vector, one.parts) for m, one in zip(page, made, strict=True) if one.vector is not None]
        for missing, one in zip(page, made, strict=True):
            if one.vector is None:
                self._failed[missing.text_hash] = self._sentence(missing, one.reason)
        if done:
            vectors = np.stack([vector for _, vector, _ in done])
            self._base.shelf.put(
                self.model, [m.text_hash for m, _, _ in done], vectors, [parts for _, _, parts in done]
            )
        self._embedded += len(done)
        self._there += sum(m.uses for m, _, _ in done)

    def _sentence(self, missing: Missing, reason: str) -> str:
        row = self._base.document(missing.document_id)
        return f"{row.name if row else missing.document_id}: {without_vector(missing.ordinal, missing.text, reason)}"

    def _count(self) -> None:
        found = self._base.shelf.coverage(self.model)
        self._chunks, self._there = found.chunks, found.there
        self._tell_moment()

    def _tell_moment(self) -> None:
        now = time.perf_counter()
        if self._embedded and not self._first:
            self._first, self._first_at = self._embedded, now
        elapsed, done = now - self._first_at, self._embedded - self._first
        rate = done / elapsed if self._first and done and elapsed > 0 else None
        left = (self._chunks - self._there) / rate if rate and elapsed >= _SURE_SECONDS else None
        self._tell(
            EmbedMoment(
                model=self._embedder.identity.text(),
                done=self._there,
                total=self._chunks,
                chunks_per_second=rate,
                seconds_left=0.0 if self._there == self._chunks else left,
                failed=len(self._failed),
            )
        )
