"""A chunk's row, its vector and its postings change together, through whichever door it comes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import duckdb
import numpy as np

from assistant.errors import StoreError
from assistant.store import chunks, postings, schema, shelf
from assistant.store.chunks import Change, ChunkRow
from assistant.store.database import Database
from assistant.store.matrix import Numbers, Vectors
from assistant.store.schema import read_meta, write_meta
from assistant.tokens import DEFAULT, Tokenizer

_BATCH = 2_000


def prepare(database: Database, dimension: int | None, tokenizer: Tokenizer) -> None:
    """Makes the tables when there are none, and the text index anew when it was built with another tokenizer."""

    def create(cursor: duckdb.DuckDBPyConnection) -> Change:
        schema.create(cursor, dimension)
        schema.write_meta(cursor, "tokenizer", tokenizer.identity)
        return Change()

    if not database.read(lambda cursor: schema.exists(cursor, database.path)):
        database.write(create)
    built_with = database.read(lambda cursor: schema.read_meta(cursor, "tokenizer"))
    if built_with == tokenizer.identity:
        return
    if database.read_only:
        raise StoreError(
            f"The text index of {schema.shown(database.path)} was built with tokenizer {built_with}, this Glassbox "
            f"uses {tokenizer.identity}; open it once for writing, which builds it anew."
        )
    database.write(lambda cursor: rebuild_text(cursor, tokenizer))


def replace(
    cursor: duckdb.DuckDBPyConnection,
    condition: str,
    values: Sequence[Any],
    rows: Sequence[ChunkRow] = (),
    vectors: Sequence[Any] | Vectors = (),
    tokenizer: Tokenizer = DEFAULT,
    document_id: str = "",
) -> Change:
    """Takes out the chunks for which the SQL condition holds and puts the rows in, inside the caller's transaction.

    What the shelf keeps of texts that are gone goes too, and what waits there for `document_id`.
    """
    hashes = shelf.hashes_of(cursor, condition, values)
    gone = take(cursor, condition, values)
    added = put(cursor, rows, vectors, tokenizer)
    shelf.let_go(cursor, hashes, document_id)
    return Change(gone, added.numbers, added.ids, added.vectors)


def put(
    cursor: duckdb.DuckDBPyConnection, rows: Sequence[ChunkRow], vectors: Sequence[Any] | Vectors, tokenizer: Tokenizer
) -> Change:
    """Stores and indexes these chunks, inside the caller's transaction."""
    if not rows:
        return Change()
    numbers = chunks.insert(cursor, rows, vectors)
    postings.add(cursor, numbers, [row.indexed_text() for row in rows], tokenizer.tokens)
    _count_up(cursor)
    if isinstance(vectors, np.ndarray):
        return Change(numbers=numbers, ids=[row.node_id for row in rows], vectors=vectors)
    have = [index for index, vector in enumerate(vectors) if vector is not None]
    if not have:
        return Change()
    return Change(
        numbers=numbers[have],
        ids=[rows[index].node_id for index in have],
        vectors=np.asarray([vectors[index] for index in have], dtype=np.float32),
    )


def take(cursor: duckdb.DuckDBPyConnection, condition: str, values: Sequence[Any] = ()) -> Numbers:
    """Removes the chunks for which the SQL condition holds, inside the caller's transaction; returns their numbers."""
    gone = chunks.remove(cursor, condition, values)
    postings.remove(cursor, gone)
    if len(gone):
        _count_up(cursor)
    return gone


def rebuild_text(cursor: duckdb.DuckDBPyConnection, tokenizer: Tokenizer) -> Change:
    """Builds the text index anew from the stored texts, inside the caller's transaction."""
    postings.clear(cursor)
    numbers = chunks.numbers(cursor, "true")
    for start in range(0, len(numbers), _BATCH):
        part = numbers[start : start + _BATCH]
        listed = ",".join(map(str, part.tolist()))
        rows = {row.number: row for row in chunks.stored(cursor, f"number IN ({listed})")}
        postings.add(cursor, part, [rows[int(number)].indexed_text() for number in part], tokenizer.tokens)
    write_meta(cursor, "tokenizer", tokenizer.identity)
    _count_up(cursor)
    return Change()


def faults(cursor: duckdb.DuckDBPyConnection) -> list[str]:
    """What does not fit together in the file, one sentence each; empty when all is well."""
    questions = {
        "chunks without text index": "SELECT count(*) FROM documents WHERE number NOT IN (SELECT doc_id FROM lengths)",
        "text index entries without chunk": "SELECT count(DISTINCT doc_id) FROM "
        "(SELECT doc_id FROM postings UNION ALL SELECT doc_id FROM lengths) "
        "WHERE doc_id NOT IN (SELECT number FROM documents)",
        "chunks with words but without postings": "SELECT count(*) FROM lengths WHERE len > 0 "
        "AND doc_id NOT IN (SELECT doc_id FROM postings)",
        "chunks counted twice in the text index": "SELECT count(*) - count(DISTINCT doc_id) FROM lengths",
        "chunks without vector": "SELECT count(*) FROM documents WHERE embedding IS NULL",
        "chunks without document": "SELECT count(*) FROM documents "
        "WHERE document_id NOT IN (SELECT document_id FROM files)",
    }
    counted = [(what, cursor.execute(sql).fetchall()[0][0]) for what, sql in questions.items()]
    return [f"{n} {what}." for what, n in counted if n]


def revision(cursor: duckdb.DuckDBPyConnection) -> int:
    """Goes up with every change of the chunks: what an index outside the transaction compares itself with."""
    return int(read_meta(cursor, "revision") or 0)


def _count_up(cursor: duckdb.DuckDBPyConnection) -> None:
    write_meta(cursor, "revision", str(revision(cursor) + 1))
