"""Vectors that are not in the index: complete or partial sets of other models, and those of unfinished files.

One table per model, named by its fingerprint: vectors of two models cannot mix, each table has its own dimension, and
dropping one gives its room back. What is on the shelf is found by text hash, never searched.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from assistant.errors import StoreError
from assistant.store import chunks as stored
from assistant.store import schema
from assistant.store.chunks import Change
from assistant.store.database import Database
from assistant.store.matrix import Vectors
from assistant.store.schema import Embedder, registered

Cursor = duckdb.DuckDBPyConnection

_KEY = "shelf:"
# a join of 100,000 rows with their vectors needs more than the memory DuckDB may use; 4,000 of 4,096 numbers are 64 MB
SLICE = 4_000
_SQUARE = "list_inner_product(vector::FLOAT[], vector::FLOAT[])"
_BAD = f"{{}} FROM {{}} WHERE NOT coalesce(isfinite({_SQUARE}) AND {_SQUARE} > 0, false)"
_UNNAMED = "UPDATE documents SET text_hash = 'node ' || md5(node_id || text) WHERE coalesce(text_hash, '') = ''"


@dataclass(frozen=True)
class Missing:
    """A text that has no vector of a model yet, the first chunk that has it, and how many do."""

    text_hash: str
    text: str
    document_id: str
    ordinal: int
    uses: int


@dataclass(frozen=True)
class Coverage:
    """How much of the base a model's vectors cover. `chunks`: all; `there`: those with a vector.

    `unusable`: vectors that are not finite or zero, when each was looked at. `in_parts`: chunks whose vector is the
    mean of several parts.
    """

    model: Embedder
    chunks: int
    there: int
    unusable: int = 0
    in_parts: int = 0
    bytes: int = 0

    @property
    def complete(self) -> bool:
        """Whether every chunk has a usable vector."""
        return self.there == self.chunks and not self.unusable


class Shelf:
    """The shelf of an open base. Thread-safe; each call is one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def models(self) -> tuple[Embedder, ...]:
        """The models that have vectors here, in order of their names."""
        return tuple(self._database.read(models))

    def put(
        self,
        model: Embedder,
        hashes: Sequence[str],
        vectors: Any,
        parts: Sequence[int] = (),
        document_id: str = "",
    ) -> None:
        """Keeps these vectors. `parts`: of how many pieces each is the mean, one when not given.

        `document_id`: of the file for which they wait; they go when it is stored or deleted. Without it, those of texts
        that no chunk has any more (deleted while they were embedded) are left out. Raises StoreError for a vector of
        another size, that is not finite, or zero.
        """
        rows = _usable(model, np.asarray(vectors, np.float32))
        fresh = pa.table(
            {
                "text_hash": list(hashes),
                "document_id": [document_id] * len(hashes),
                "parts": pa.array(parts or [1] * len(hashes), pa.int16()),
                "vector": stored.vector_column(rows),
            }
        )

        def work(cursor: Cursor) -> Change:
            table = make(cursor, model)
            with registered(cursor, fresh_vectors=fresh):
                cursor.execute(f"DELETE FROM {table} WHERE text_hash IN (SELECT text_hash FROM fresh_vectors)")
                wanted = "" if document_id else " SEMI JOIN documents USING (text_hash)"
                cursor.execute(f"INSERT INTO {table} BY NAME SELECT f.* FROM fresh_vectors f{wanted}")
            return Change()

        if len(hashes):
            self._database.write(work)

    def missing(self, model: Embedder, limit: int, but: Sequence[str] = ()) -> list[Missing]:
        """Up to `limit` texts of the base without a vector of this model, oldest first; `but` are left out."""
        if self._database.read(_has_unnamed):
            self._change(lambda cursor: cursor.execute(_UNNAMED))
        return self._database.read(lambda cursor: _missing(cursor, model, limit, but))

    def coverage(self, model: Embedder, checked: bool = False) -> Coverage:
        """Counted now, of the base's own model in the index, of another one here. `checked`: each vector looked at."""
        return self._database.read(lambda cursor: coverage(cursor, model, checked))

    def drop_unusable(self, model: Embedder) -> None:
        """Takes vectors that are not finite or zero away, so that they count as missing."""
        if self.coverage(model, checked=True).unusable:
            self._change(lambda cursor: cursor.execute(_BAD.format("DELETE", table_of(model.fingerprint))))

    def forget(self, fingerprint: str) -> None:
        """Drops all that is kept of this model and gives its room back; unknown ones do nothing."""
        self._change(lambda cursor: drop(cursor, fingerprint))
        with self._database.checkpointed():  # only then is it counted as free
            self._database.shrink()

    def _change(self, work: Callable[[Cursor], Any]) -> None:
        def changed(cursor: Cursor) -> Change:
            work(cursor)
            return Change()

        self._database.write(changed)


def table_of(fingerprint: str) -> str:
    """The table's name. Raises StoreError for what is no fingerprint."""
    if not re.fullmatch(r"[0-9a-zA-Z]+", fingerprint):
        raise StoreError(f"{fingerprint!r} is no fingerprint of a model; take one from the list of the indexes.")
    return f"shelf_{fingerprint}"


def models(cursor: Cursor) -> list[Embedder]:
    """The models that have vectors on the shelf."""
    found = cursor.execute("SELECT key, value FROM meta WHERE starts_with(key, ?)", [_KEY]).fetchall()
    known = [Embedder(json.loads(value), key.removeprefix(_KEY)) for key, value in found]
    return sorted(known, key=lambda model: model.label)


def make(cursor: Cursor, model: Embedder) -> str:
    """The name of the model's table, made when there is none."""
    table = table_of(model.fingerprint)
    key = _KEY + model.fingerprint
    if schema.read_meta(cursor, key) is None:
        vector = schema.embedding_type(model.dimension)
        cursor.execute(f"CREATE TABLE {table}(text_hash VARCHAR, document_id VARCHAR, parts SMALLINT, vector {vector})")
        schema.write_meta(cursor, key, json.dumps(model.record, ensure_ascii=False))
    return table


def drop(cursor: Cursor, fingerprint: str) -> None:
    """Takes the model's table away; unknown ones do nothing."""
    if schema.read_meta(cursor, _KEY + fingerprint) is not None:
        cursor.execute(f"DROP TABLE {table_of(fingerprint)}")
        cursor.execute("DELETE FROM meta WHERE key = ?", [_KEY + fingerprint])


def hashes_of(cursor: Cursor, condition: str, values: Sequence[Any]) -> list[str]:
    """Text hashes of the chunks for which the condition holds; [] when the shelf is empty and nobody needs them."""
    if not models(cursor):
        return []
    found = cursor.execute(f"SELECT DISTINCT text_hash FROM documents WHERE {condition}", values).fetchall()
    return [text_hash for (text_hash,) in found if text_hash]


def let_go(cursor: Cursor, hashes: Sequence[str], document_id: str = "") -> None:
    """Drops vectors of these texts that no chunk has any more, and what waited for this document."""
    for model in models(cursor):
        table = table_of(model.fingerprint)
        if document_id:
            cursor.execute(f"DELETE FROM {table} WHERE document_id = ?", [document_id])
        if hashes:
            with registered(cursor, gone_texts=pa.table({"text_hash": list(hashes)})):
                cursor.execute(
                    f"DELETE FROM {table} WHERE text_hash IN (SELECT text_hash FROM gone_texts "
                    "ANTI JOIN documents USING (text_hash))"
                )


def waiting(cursor: Cursor, model: Embedder | None, hashes: Sequence[str]) -> dict[str, Vectors]:
    """Text hash → vector on the shelf of this model, for those that have one."""
    if model is None or not hashes or schema.read_meta(cursor, _KEY + model.fingerprint) is None:
        return {}
    with registered(cursor, wanted=pa.table({"text_hash": list(dict.fromkeys(hashes))})):
        found = cursor.execute(
            f"SELECT text_hash, vector FROM {table_of(model.fingerprint)} SEMI JOIN wanted USING (text_hash)"
        ).fetchall()
    return {text_hash: np.asarray(vector, np.float32) for text_hash, vector in found}


def coverage(cursor: Cursor, model: Embedder, checked: bool = False) -> Coverage:
    """How much of the base the model's vectors cover. `checked`: 0.5 s more at 100,000 vectors of 1,024 numbers."""
    counted = "SELECT count(*), count(embedding) FROM documents"
    chunks, embedded = cursor.execute(counted).fetchall()[0]
    size = 4 * (model.dimension or 0) + 40
    current = schema.read_embedder(cursor)
    if current is not None and current.fingerprint == model.fingerprint:
        return Coverage(current, chunks, embedded, bytes=embedded * size)
    if schema.read_meta(cursor, _KEY + model.fingerprint) is None:
        return Coverage(model, chunks, 0)
    table = table_of(model.fingerprint)
    joined = f"documents d JOIN {table} s USING (text_hash)"
    there, in_parts = cursor.execute(f"SELECT count(*), count(*) FILTER (s.parts > 1) FROM {joined}").fetchall()[0]
    rows = cursor.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0]
    unusable = cursor.execute(_BAD.format("SELECT count(*)", table)).fetchall()[0][0] if checked else 0
    return Coverage(model, chunks, there, unusable, in_parts, rows * size)


def exchange(cursor: Cursor, new: Embedder, pipelines: tuple[str, str] = ("", "")) -> None:
    """Puts the new model's vectors into the index and the old ones on the shelf, inside the caller's transaction.

    `pipelines`: the pipeline hash that files had with the old model, and the one they get, so that no file counts as
    changed. Raises StoreError when a chunk would be left without a vector.
    """
    found = coverage(cursor, new, checked=True)
    if not found.complete:
        raise StoreError(
            f"{found.chunks - found.there:,} of {found.chunks:,} chunks have no vector of {new.label}, and "
            f"{found.unusable:,} vectors are unusable; embed them first."
        )
    _move_in(cursor, new, found.chunks)
    _move_out(cursor, schema.read_embedder(cursor))
    cursor.execute("DROP TABLE documents")
    cursor.execute("ALTER TABLE documents_coming RENAME TO documents")
    schema.index_chunks(cursor)
    drop(cursor, new.fingerprint)
    schema.write_embedder(cursor, new)
    _rename_pipeline(cursor, *pipelines)


def _move_in(cursor: Cursor, new: Embedder, chunks: int) -> None:
    schema.create_chunks(cursor, new.dimension, "documents_coming")
    for first in _slices(cursor):
        cursor.execute(
            f"INSERT INTO documents_coming BY NAME SELECT d.* REPLACE (s.vector AS embedding) "
            f"FROM documents d JOIN {table_of(new.fingerprint)} s USING (text_hash) "
            f"WHERE d.number BETWEEN {first} AND {first + SLICE - 1} ORDER BY d.number"
        )
    arrived = cursor.execute("SELECT count(*) FROM documents_coming").fetchall()[0][0]
    if arrived != chunks:
        raise StoreError(f"{arrived:,} chunks would stand in place of {chunks:,}; nothing was changed. Try again.")


def _move_out(cursor: Cursor, old: Embedder | None) -> None:
    if old is None:
        return
    table = make(cursor, old)
    # what waited for an unfinished file may be in the index by now
    cursor.execute(f"DELETE FROM {table} WHERE text_hash IN (SELECT text_hash FROM documents)")
    firsts = cursor.execute(
        "SELECT min(number) AS number FROM documents WHERE embedding IS NOT NULL GROUP BY text_hash"
    ).fetch_arrow_table()
    with registered(cursor, first_numbers=firsts):
        for first in _slices(cursor):
            cursor.execute(
                f"INSERT INTO {table} SELECT text_hash, '', 1, embedding FROM documents "
                f"SEMI JOIN first_numbers USING (number) WHERE number BETWEEN {first} AND {first + SLICE - 1}"
            )


def _slices(cursor: Cursor) -> range:
    ends = "SELECT coalesce(min(number), 0), coalesce(max(number), -1) FROM documents"
    first, last = cursor.execute(ends).fetchall()[0]
    return range(first, last + 1, SLICE)


def _rename_pipeline(cursor: Cursor, before: str, after: str) -> None:
    for row in stored.all_files(cursor):
        if before and row.pipeline_hash == before:
            stored.write_file(cursor, row.model_copy(update={"pipeline_hash": after}))


def _missing(cursor: Cursor, model: Embedder, limit: int, but: Sequence[str]) -> list[Missing]:
    current = schema.read_embedder(cursor)
    if current is not None and current.fingerprint == model.fingerprint:
        return []
    have = "SELECT text_hash FROM left_out"
    if schema.read_meta(cursor, _KEY + model.fingerprint) is not None:
        have += f" UNION ALL SELECT text_hash FROM {table_of(model.fingerprint)}"
    with registered(cursor, left_out=pa.table({"text_hash": pa.array(list(but), pa.string())})):
        found = cursor.execute(
            f"SELECT text_hash, min(number) AS first, count(*) FROM documents ANTI JOIN ({have}) USING (text_hash) "
            f"GROUP BY text_hash ORDER BY first LIMIT {int(limit)}"
        ).fetchall()
    if not found:
        return []
    rows = {r.number: r for r in stored.stored(cursor, f"number IN ({','.join(str(n) for _, n, _ in found)})")}
    return [Missing(key, rows[n].indexed_text(), rows[n].document_id, rows[n].ordinal, uses) for key, n, uses in found]


def _has_unnamed(cursor: Cursor) -> bool:
    # nodes that came through LlamaIndex's door
    sql = "SELECT count(*) FROM documents WHERE coalesce(text_hash, '') = ''"
    return bool(cursor.execute(sql).fetchall()[0][0])


def _usable(model: Embedder, rows: Vectors) -> Vectors:
    if rows.ndim != 2 or rows.shape[1] != (model.dimension or rows.shape[1]):
        raise StoreError(f"Vectors of shape {rows.shape} are not of {model.label}; nothing was kept.")
    lengths = np.linalg.norm(rows, axis=1)
    if not (np.isfinite(lengths) & (lengths > 0)).all():
        raise StoreError(f"A vector of {model.label} is zero or not finite; nothing was kept. Embed the text again.")
    return rows
