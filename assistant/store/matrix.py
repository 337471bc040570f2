"""All vectors in memory: exact cosine search over a snapshot that a writer never changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assistant.store.found import Background, VectorFound

Vectors = NDArray[np.float32]
Numbers = NDArray[np.int64]

# Rows live in blocks that are never moved, so adding one chunk to 100,000 copies one chunk (25 MB a block at 384 dims).
BLOCK = 16_384
_WASTE = 0.25


def normalised(vectors: Vectors) -> Vectors:
    """Each row at length 1; a row of zeros stays so, its cosine to anything is 0."""
    rows = np.asarray(vectors, dtype=np.float32)
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    lengths[lengths == 0] = 1
    return np.asarray(rows / lengths, dtype=np.float32)


@dataclass(frozen=True)
class Snapshot:
    """The vectors at one commit. Rows after `count` belong to later commits; dead rows are masked.

    `model`: fingerprint of the model they are of, "" when the base has none recorded.
    """

    blocks: tuple[Vectors, ...]
    numbers: Numbers
    ids: Sequence[str]
    alive: NDArray[np.bool_]
    count: int
    model: str = ""

    def search(self, vector: Vectors, depth: int, allowed: Numbers | None = None) -> VectorFound:
        """The `depth` nearest chunks by cosine, equal ones by age. `allowed`: chunk numbers of the scope."""
        rows = np.flatnonzero(self.alive if allowed is None else self.alive & among(self.numbers, allowed))
        if not len(rows):
            return VectorFound((), (), Background())
        scores = self._scores(normalised(vector))[rows]
        best = best_rows(scores, self.numbers[rows], depth)
        return VectorFound(
            tuple(self.ids[row] for row in rows[best]),
            tuple(float(score) for score in np.clip(scores[best], -1, 1)),
            Background(
                mean=float(scores.mean(dtype=np.float64)),
                deviation=float(scores.std(dtype=np.float64)),
                n=len(rows),
            ),
        )

    def _scores(self, vector: Vectors) -> Vectors:
        scores = np.empty(self.count, dtype=np.float32)
        for index, block in enumerate(self.blocks):
            start = index * BLOCK
            end = min(start + BLOCK, self.count)
            # not np.dot: for a matrix OpenBLAS wakes threads that spin, 9 ms of CPU where this takes 1
            np.vecdot(block[: end - start], vector, out=scores[start:end])
        return scores


def among(numbers: NDArray[Any], wanted: NDArray[Any] | Sequence[int]) -> NDArray[np.bool_]:
    """Which of the chunk numbers are wanted. np.isin sorts and takes 6 ms for 170,000; looking up takes 0.2."""
    table = np.zeros(max(numbers.max(initial=-1), np.max(wanted, initial=-1)) + 1, dtype=bool)
    table[np.asarray(wanted, dtype=np.int64)] = True
    return np.asarray(table[numbers])


def best_rows(scores: NDArray[Any], numbers: NDArray[Any], depth: int) -> NDArray[np.intp]:
    """Positions of the best scores, equal ones by number. Ties at the cut are settled too, so the answer is stable."""
    if depth < len(scores):
        cut = np.partition(scores, len(scores) - depth)[len(scores) - depth]
        candidates = np.flatnonzero(scores >= cut)
    else:
        candidates = np.arange(len(scores))
    order = np.lexsort((numbers[candidates], -scores[candidates]))
    return candidates[order[:depth]]


class Matrix:
    """The rows behind the snapshots. Only the holder of the write lock may change it; anyone may take a snapshot."""

    def __init__(self) -> None:
        self._blocks: list[Vectors] = []
        self._numbers: Numbers = np.empty(0, dtype=np.int64)
        self._ids: list[str] = []
        self._model = ""
        self._snapshot: Snapshot | None = None

    @property
    def snapshot(self) -> Snapshot | None:
        """The vectors of the last commit; None before `load`."""
        return self._snapshot

    @property
    def rows(self) -> int:
        """Live rows; 0 before `load`."""
        return int(self._snapshot.alive.sum()) if self._snapshot else 0

    def load(self, batches: Iterable[tuple[Numbers, Sequence[str], Vectors]], model: str = "") -> Snapshot:
        """Takes in all rows of the base. `model`: the fingerprint of the model they are of."""
        self.forget()
        self._model = model
        for numbers, ids, vectors in batches:
            self._append(numbers, ids, vectors)
        return self._publish(np.ones(len(self._ids), dtype=bool))

    def forget(self) -> None:
        """Drops all rows; the next search loads them again."""
        self._blocks, self._numbers, self._ids = [], np.empty(0, dtype=np.int64), []
        self._snapshot = None

    def apply(self, removed: Numbers, numbers: Numbers, ids: Sequence[str], vectors: Vectors) -> None:
        """Brings the rows in step with a commit. Before `load` it does nothing: all will be loaded together."""
        if self._snapshot is None:
            return
        alive = self._snapshot.alive
        if len(removed):
            alive = alive & ~among(self._snapshot.numbers, removed)
        self._append(numbers, ids, vectors)
        snapshot = self._publish(np.concatenate([alive, np.ones(len(ids), dtype=bool)]))
        if snapshot.count > BLOCK // 16 and snapshot.alive.mean() < 1 - _WASTE:
            self._compact(snapshot)

    def _append(self, numbers: Numbers, ids: Sequence[str], vectors: Vectors) -> None:
        if not len(ids):
            return
        count = len(self._ids)
        self._numbers = _room_for(self._numbers, count, len(ids))
        self._numbers[count : count + len(ids)] = numbers
        rows, done = normalised(vectors), 0
        while done < len(rows):
            block, at = divmod(count + done, BLOCK)
            if block == len(self._blocks):
                # not zeroed: the system hands out the memory page by page as rows come in
                self._blocks.append(np.empty((BLOCK, rows.shape[1]), dtype=np.float32))
            step = min(BLOCK - at, len(rows) - done)
            self._blocks[block][at : at + step] = rows[done : done + step]
            done += step
        self._ids.extend(ids)

    def _publish(self, alive: NDArray[np.bool_]) -> Snapshot:
        count = len(self._ids)
        self._snapshot = Snapshot(tuple(self._blocks), self._numbers[:count], self._ids, alive, count, self._model)
        return self._snapshot

    def _compact(self, old: Snapshot) -> None:
        """Copies the live rows into new blocks; readers keep the old ones until they are done."""
        self._blocks, self._numbers, self._ids = [], np.empty(0, dtype=np.int64), []
        for index, block in enumerate(old.blocks):
            rows = np.flatnonzero(old.alive[index * BLOCK : (index + 1) * BLOCK])
            at = rows + index * BLOCK
            self._append(old.numbers[at], [old.ids[int(row)] for row in at], block[rows])
        self._publish(np.ones(len(self._ids), dtype=bool))


def _room_for(numbers: Numbers, count: int, more: int) -> Numbers:
    if count + more <= len(numbers):
        return numbers
    larger = np.empty(max(count + more, count + count // 4, 1024), dtype=np.int64)
    larger[:count] = numbers[:count]
    return larger
