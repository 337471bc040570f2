"""Whether chunks and vectors fit the base they are to be stored in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import duckdb
import numpy as np

from assistant.documents import Chunk
from assistant.errors import StoreError, WrongModel
from assistant.store import schema
from assistant.store.matrix import Vectors
from assistant.store.schema import Embedder


def fitting(pieces: Sequence[Chunk], vectors: Any, embedder: Embedder | None) -> Vectors:
    """The vectors as float32, one row per chunk. Raises StoreError, WrongModel."""
    rows = np.asarray(vectors, dtype=np.float32)
    if not len(pieces):
        raise StoreError("A document without any chunk cannot be indexed; mark it as failed instead.")
    if rows.ndim != 2 or len(rows) != len(pieces):
        raise StoreError(f"{len(pieces)} chunks came with vectors of shape {rows.shape}; give one vector per chunk.")
    if len({piece.ordinal for piece in pieces}) < len(pieces):
        raise StoreError("Two chunks of a document have the same ordinal; number them from 0.")
    require_dimension(embedder, rows.shape[1])
    if not np.isfinite(rows).all():
        raise StoreError("A vector holds numbers that are not finite; embed this document again.")
    return rows


def require_dimension(embedder: Embedder | None, dimension: int) -> None:
    """Raises WrongModel for vectors of another size than the base's, StoreError when it has no model yet."""
    if embedder is None:
        raise StoreError("This knowledge base has no embedding model yet; open it with one.")
    if embedder.dimension not in (None, dimension):
        raise WrongModel(
            f"A vector has {dimension} dimensions, but the knowledge base was built with {embedder.label}; "
            "choose that model, or embed everything again."
        )


def require_model(cursor: duckdb.DuckDBPyConnection, fingerprint: str) -> None:
    """Raises WrongModel unless this is the model that the file itself names now."""
    known = schema.read_embedder(cursor)
    if known is None or known.fingerprint != fingerprint:
        label = known.label if known else "no model"
        raise WrongModel(
            f"Vectors of the model {fingerprint[:12]} cannot be stored in a knowledge base built with {label}; "
            "open it with that model, or embed everything again."
        )
