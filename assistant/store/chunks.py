"""The rows of chunks and files: in, out, and looked up."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from assistant.documents import Chunk, FileRow
from assistant.store.matrix import BLOCK, Numbers, Vectors
from assistant.store.schema import registered
from assistant.trace import Passage

_PASSAGE = (
    "node_id, document_id, text, start_at, end_at, heading, page_first, page_last, kind, language, context, ordinal, "
    "number"
)


def _none() -> Numbers:
    return np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class Change:
    """What a transaction did to the chunks: numbers taken out, and rows put in."""

    removed: Numbers = field(default_factory=_none)
    numbers: Numbers = field(default_factory=_none)
    ids: Sequence[str] = ()
    vectors: Vectors = field(default_factory=lambda: np.empty((0, 0), dtype=np.float32))


@dataclass(frozen=True)
class ChunkRow:
    """One chunk as stored."""

    node_id: str
    text: str
    metadata: str
    document_id: str
    ordinal: int
    text_hash: str
    start: int
    end: int
    heading: tuple[str, ...] = ()
    pages: tuple[int, int] | None = None
    kind: str = "paragraph"
    language: str = "other"
    context: str = ""
    number: int = 0

    def indexed_text(self) -> str:
        """What the text index sees: the same as the embedder."""
        chunk = Chunk(ordinal=0, text=self.text, start=0, end=0, heading=self.heading, context=self.context)
        return chunk.embedded_text()

    def passage(self, row: FileRow | None) -> Passage:
        """As a passage of its file."""
        return Passage(
            chunk_id=self.node_id,
            document_id=self.document_id,
            document=row.name if row else self.document_id,
            path=row.path if row else "",
            title=row.title if row else "",
            heading=self.heading,
            pages=self.pages,
            start=self.start,
            end=self.end,
            kind=self.kind,
            language=self.language,
            modified=row.modified if row else None,
            authority=row.authority if row else 0.5,
            context=self.context,
            text=self.text,
        )


def text_hash(text: str) -> str:
    """32 hexadecimal digits of what is embedded: with the model's fingerprint the identity of a vector."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def insert(cursor: duckdb.DuckDBPyConnection, rows: Sequence[ChunkRow], vectors: Sequence[Any] | Vectors) -> Numbers:
    """Puts the rows in and returns their new numbers. A row whose vector is None is not found by the vector route."""
    drawn = cursor.execute(f"SELECT nextval('chunk_numbers') AS number FROM range({len(rows)})").fetchnumpy()
    numbers = np.asarray(drawn["number"], dtype=np.int64)
    with registered(cursor, fresh_chunks=_table(rows, numbers, vectors)):
        cursor.execute("INSERT INTO documents BY NAME SELECT * FROM fresh_chunks")
    return numbers


def _table(rows: Sequence[ChunkRow], numbers: Numbers, vectors: Sequence[Any] | Vectors) -> pa.Table:
    return pa.table(
        {
            "node_id": [row.node_id for row in rows],
            "text": [row.text for row in rows],
            "embedding": vector_column(vectors),
            "metadata_": [row.metadata for row in rows],
            "number": pa.array(numbers, pa.int32()),
            "document_id": [row.document_id for row in rows],
            "ordinal": pa.array([row.ordinal for row in rows], pa.int32()),
            "text_hash": [row.text_hash for row in rows],
            "start_at": pa.array([row.start for row in rows], pa.int32()),
            "end_at": pa.array([row.end for row in rows], pa.int32()),
            "heading": pa.array([list(row.heading) for row in rows], pa.list_(pa.string())),
            "page_first": pa.array([row.pages[0] if row.pages else None for row in rows], pa.int32()),
            "page_last": pa.array([row.pages[1] if row.pages else None for row in rows], pa.int32()),
            "kind": [row.kind for row in rows],
            "language": [row.language for row in rows],
            "context": [row.context for row in rows],
        }
    )


def vector_column(vectors: Sequence[Any] | Vectors) -> pa.Array:
    """The vectors as an arrow column; None where there is none."""
    if isinstance(vectors, np.ndarray):
        flat = pa.array(np.ascontiguousarray(vectors, dtype=np.float32).reshape(-1))
        return pa.FixedSizeListArray.from_arrays(flat, vectors.shape[1])
    return pa.array(
        [None if vector is None else [float(x) for x in vector] for vector in vectors], pa.list_(pa.float32())
    )


def remove(cursor: duckdb.DuckDBPyConnection, condition: str, values: Sequence[Any] = ()) -> Numbers:
    """Takes out the chunks for which the SQL condition holds and returns the numbers they had."""
    gone = numbers(cursor, condition, values)
    if len(gone):
        cursor.execute(f"DELETE FROM documents WHERE {condition}", values)
    return gone


def numbers(cursor: duckdb.DuckDBPyConnection, condition: str, values: Sequence[Any] = ()) -> Numbers:
    """Numbers of the chunks for which the SQL condition holds."""
    found = cursor.execute(f"SELECT number FROM documents WHERE {condition}", values).fetchnumpy()
    return np.asarray(found["number"], dtype=np.int64)


def vectors(cursor: duckdb.DuckDBPyConnection) -> Iterator[tuple[Numbers, Sequence[str], Vectors]]:
    """All vectors, in batches, with their numbers and ids."""
    result = cursor.execute("SELECT number, node_id, embedding FROM documents WHERE embedding IS NOT NULL")
    for batch in result.fetch_record_batch(BLOCK):
        if batch.num_rows:
            flat = batch.column("embedding").flatten().to_numpy(zero_copy_only=False)
            rows = flat.reshape(batch.num_rows, -1)
            yield batch.column("number").to_numpy().astype(np.int64), batch.column("node_id").to_pylist(), rows


def ids_of(cursor: duckdb.DuckDBPyConnection, numbers: Sequence[int]) -> dict[int, str]:
    """Chunk number → chunk id."""
    if not numbers:
        return {}
    listed = ",".join(map(str, numbers))
    return dict(cursor.execute(f"SELECT number, node_id FROM documents WHERE number IN ({listed})").fetchall())


def numbers_of(cursor: duckdb.DuckDBPyConnection, ids: Sequence[str]) -> dict[str, int]:
    """Chunk id → chunk number, for those that exist."""
    if not ids:
        return {}
    marks = ",".join("?" * len(ids))
    return dict(cursor.execute(f"SELECT node_id, number FROM documents WHERE node_id IN ({marks})", ids).fetchall())


def passages(cursor: duckdb.DuckDBPyConnection, ids: Sequence[str]) -> list[Passage]:
    """The chunks of these ids in this order; those that no longer exist are left out."""
    if not ids:
        return []
    # by the index on node_id: 0.7 ms for 20 of 100,000; any other way reads the texts of all
    marks = ",".join("?" * len(ids))
    found = {p.chunk_id: p for p in _passages(cursor, f"node_id IN ({marks})", list(ids))}
    return [found[id_] for id_ in dict.fromkeys(ids) if id_ in found]


def page(
    cursor: duckdb.DuckDBPyConnection, condition: str, values: Sequence[Any], offset: int, limit: int
) -> list[Passage]:
    """One page of the chunks for which the SQL condition holds, in the order of their documents."""
    # first the keys, then their texts: sorting the texts of 50,000 chunks for one page takes seconds
    keys = cursor.execute(
        f"SELECT d.node_id FROM documents d LEFT JOIN files f USING (document_id) WHERE {condition} "
        "ORDER BY coalesce(f.name, d.document_id), d.document_id, d.ordinal, d.number LIMIT ? OFFSET ?",
        [*values, limit, offset],
    ).fetchall()
    return passages(cursor, [key for (key,) in keys])


def browsed(document_id: str | None, containing: str | None) -> tuple[str, list[str]]:
    """The SQL condition, with its values, for chunks of this document that hold these characters, case aside."""
    conditions, values = ["true"], []
    if document_id is not None:
        conditions.append("d.document_id = ?")
        values.append(document_id)
    if containing:
        conditions.append("contains(lower(d.text), lower(?))")
        values.append(containing)
    return " AND ".join(conditions), values


def _passages(cursor: duckdb.DuckDBPyConnection, condition: str, values: Sequence[Any]) -> list[Passage]:
    rows = stored(cursor, condition, values)
    files = file_rows(cursor, {row.document_id for row in rows})
    return [row.passage(files.get(row.document_id)) for row in rows]


def stored(cursor: duckdb.DuckDBPyConnection, condition: str, values: Sequence[Any] = ()) -> list[ChunkRow]:
    """The rows for which the SQL condition holds, without their metadata."""
    found = cursor.execute(f"SELECT {_PASSAGE} FROM documents WHERE {condition}", values).fetchall()
    return [_chunk_row(row) for row in found]


def _chunk_row(row: Sequence[Any]) -> ChunkRow:
    id_, document_id, text, start, end, heading, first, last, kind, language, context, ordinal, number = row
    pages = None if first is None else (first, last)
    names = tuple(heading or ())
    return ChunkRow(
        id_, text, "", document_id, ordinal, "", start, end, names, pages, kind, language, context or "", number
    )


def file_rows(cursor: duckdb.DuckDBPyConnection, document_ids: set[str]) -> dict[str, FileRow]:
    """The files of these documents as last stored; `chunks` is not counted here."""
    if not document_ids:
        return {}
    marks = ",".join("?" * len(document_ids))
    found = cursor.execute(f"SELECT document_id, record FROM files WHERE document_id IN ({marks})", list(document_ids))
    return {document_id: FileRow.model_validate_json(record) for document_id, record in found.fetchall()}


def all_files(cursor: duckdb.DuckDBPyConnection) -> list[FileRow]:
    """All files by name, their chunks counted."""
    found = cursor.execute(
        "SELECT f.record, coalesce(c.n, 0) FROM files f "
        "LEFT JOIN (SELECT document_id, count(*) n FROM documents GROUP BY document_id) c USING (document_id) "
        "ORDER BY f.name, f.document_id"
    ).fetchall()
    return [FileRow.model_validate_json(record).model_copy(update={"chunks": n}) for record, n in found]


def write_file(cursor: duckdb.DuckDBPyConnection, row: FileRow) -> None:
    """Keeps the file's row, in place of an earlier one of the same document."""
    cursor.execute("DELETE FROM files WHERE document_id = ?", [row.document_id])
    record = row.model_copy(update={"chunks": 0}).model_dump_json()
    cursor.execute("INSERT INTO files VALUES (?, ?, ?, ?)", [row.document_id, row.name, row.path, record])


def vectors_for(cursor: duckdb.DuckDBPyConnection, hashes: Sequence[str]) -> dict[str, Vectors]:
    """Text hash → stored vector, for those that have one."""
    if not hashes:
        return {}
    with registered(cursor, wanted=pa.table({"text_hash": list(dict.fromkeys(hashes))})):
        found = cursor.execute(
            "SELECT text_hash, embedding FROM documents SEMI JOIN wanted USING (text_hash) WHERE embedding IS NOT NULL"
        ).fetchall()
    return {text_hash: np.asarray(vector, dtype=np.float32) for text_hash, vector in found}
