"""The tables, and what a base says about itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from assistant.errors import StoreError

VERSION = 1
TABLE = "documents"

# documents is the table of llama-index-vector-stores-duckdb (its first four columns): a stock DuckDBVectorStore can
# read it. The columns behind are ours; they make a stock writer fail instead of adding rows without text index.
# No primary keys: DuckDB 1.3.2 refuses to put a key back that another commit took out while any reader is older than
# that commit. Every write takes the old rows out first, and there is one writer, so keys are unique without being told.
_CHUNKS = """
CREATE TABLE {table}(
    node_id VARCHAR NOT NULL, text VARCHAR, embedding {embedding}, metadata_ JSON,
    number INTEGER NOT NULL, document_id VARCHAR NOT NULL, ordinal INTEGER NOT NULL, text_hash VARCHAR,
    start_at INTEGER, end_at INTEGER, heading VARCHAR[], page_first INTEGER, page_last INTEGER,
    kind VARCHAR, language VARCHAR, context VARCHAR)
"""
_REST = """
CREATE TABLE meta(key VARCHAR, value VARCHAR);
CREATE SEQUENCE chunk_numbers;
CREATE TABLE files(document_id VARCHAR NOT NULL, name VARCHAR, path VARCHAR, record VARCHAR NOT NULL);
CREATE TABLE postings(term UBIGINT, doc_id INTEGER, tf INTEGER, len INTEGER);
CREATE TABLE lengths(doc_id INTEGER, len INTEGER);
"""


@dataclass(frozen=True)
class Embedder:
    """The embedding model a base was built with, as stored: what the identity dumped, and its fingerprint."""

    record: dict[str, Any]
    fingerprint: str

    @property
    def dimension(self) -> int | None:
        """Numbers per vector."""
        value = self.record.get("dimension")
        return int(value) if value else None

    @property
    def label(self) -> str:
        """Name, engine, dimensions and the beginning of the fingerprint, for messages."""
        name = self.record.get("model") or self.record.get("name") or "unnamed model"
        engine = self.record.get("engine")
        parts = [engine] if engine else []
        return f"{name} ({', '.join([*parts, f'{self.dimension or 0} dimensions', self.fingerprint[:8]])})"

    @classmethod
    def of(cls, identity: Any) -> Embedder:
        """From any record with model_dump() and fingerprint()."""
        return cls(identity.model_dump(mode="json"), str(identity.fingerprint()))


def create(cursor: duckdb.DuckDBPyConnection, dimension: int | None) -> None:
    """All tables of an empty base. `dimension` None: not known yet."""
    create_chunks(cursor, dimension)
    index_chunks(cursor)
    cursor.execute(_REST)
    write_meta(cursor, "schema", str(VERSION))


def create_chunks(cursor: duckdb.DuckDBPyConnection, dimension: int | None, table: str = TABLE) -> None:
    """The table of the chunks, without its index."""
    cursor.execute(_CHUNKS.format(table=table, embedding=embedding_type(dimension)))


def index_chunks(cursor: duckdb.DuckDBPyConnection) -> None:
    """Chunks are looked up by their ids."""
    cursor.execute("CREATE INDEX chunk_ids ON documents(node_id)")


def adopt(cursor: duckdb.DuckDBPyConnection, embedder: Embedder) -> None:
    """Makes this the model of an empty base."""
    cursor.execute("DROP TABLE documents")
    create_chunks(cursor, embedder.dimension)
    index_chunks(cursor)
    write_embedder(cursor, embedder)


def mismatch(folder: Path | None, held: int, known: Embedder | None, chosen: str) -> str:
    """What to say when a base with chunks was built with another model."""
    built = known.label if known else "no recorded model"
    return (
        f"The knowledge base {shown(folder)} holds {held:,} chunks embedded with {built}, "
        f"but the chosen model is {chosen}; leave embedding.provider empty to keep the old model, embed the base "
        "again with the new one (launch.py reembed), or use --kb for another base."
    )


def shown(path: Path | None) -> str:
    """The path as messages name it, with ~ for the home folder."""
    if path is None:
        return "in memory"
    home = Path.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) and path != home else str(path)


def embedding_type(dimension: int | None) -> str:
    """The column type of a vector."""
    return f"FLOAT[{dimension}]" if dimension else "FLOAT[]"


def stored_dimension(cursor: duckdb.DuckDBPyConnection) -> int | None:
    """Numbers per vector as stored, None while there is none."""
    row = cursor.execute("SELECT len(embedding::FLOAT[]) FROM documents WHERE embedding IS NOT NULL LIMIT 1").fetchone()
    return None if row is None else int(row[0])


def exists(cursor: duckdb.DuckDBPyConnection, path: Path | None) -> bool:
    """Whether the tables are there; False for an empty file. Raises StoreError when the file is not one of ours."""
    names = {row[0] for row in cursor.execute("SELECT table_name FROM duckdb_tables() WHERE NOT internal").fetchall()}
    if not names:
        return False
    if not {"meta", "documents", "files", "postings", "lengths"} <= names:
        raise StoreError(
            f"{shown(path)} is a DuckDB file of another program (it holds {', '.join(sorted(names)[:5])}); "
            "nothing was changed: choose another folder with --kb."
        )
    found = read_meta(cursor, "schema") or "?"
    if found != str(VERSION):
        raise StoreError(
            f"The knowledge base {shown(path)} has schema {found}, this Glassbox reads schema {VERSION}; "
            "nothing was changed: update Glassbox, or choose another folder with --kb and ingest again."
        )
    return True


def read_meta(cursor: duckdb.DuckDBPyConnection, key: str) -> str | None:
    """The value kept under this key, None when there is none."""
    row = cursor.execute("SELECT value FROM meta WHERE key = ?", [key]).fetchone()
    return None if row is None else str(row[0])


def write_meta(cursor: duckdb.DuckDBPyConnection, key: str, value: str) -> None:
    """Keeps the value under this key."""
    cursor.execute("DELETE FROM meta WHERE key = ?", [key])
    cursor.execute("INSERT INTO meta VALUES (?, ?)", [key, value])


def read_embedder(cursor: duckdb.DuckDBPyConnection) -> Embedder | None:
    """The model the base was built with, None when it has none yet."""
    value = read_meta(cursor, "embedder")
    if value is None:
        return None
    data = json.loads(value)
    return Embedder(data["record"], data["fingerprint"])


def write_embedder(cursor: duckdb.DuckDBPyConnection, embedder: Embedder) -> None:
    """Keeps which model the base is built with."""
    value = {"record": embedder.record, "fingerprint": embedder.fingerprint}
    write_meta(cursor, "embedder", json.dumps(value, ensure_ascii=False))


@contextmanager
def registered(cursor: duckdb.DuckDBPyConnection, **tables: pa.Table) -> Iterator[None]:
    """Within the block SQL can read these arrow tables by name."""
    for name, table in tables.items():
        cursor.register(name, table)
    try:
        yield
    finally:
        for name in tables:
            cursor.unregister(name)
