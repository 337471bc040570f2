"""The knowledge base: one DuckDB file in a folder, with documents, chunks, vectors and text index in step."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np

from assistant.documents import Chunk, FileRow
from assistant.errors import WrongModel
from assistant.settings import Settings
from assistant.store import chunks as stored
from assistant.store import fitting, fts, index, nodes, postings, schema, shelf, sql_vectors
from assistant.store.chunks import Change
from assistant.store.database import Database
from assistant.store.found import Counts, TextFound, VectorFound
from assistant.store.matrix import Numbers, Vectors
from assistant.store.postings import Matched
from assistant.store.schema import Embedder
from assistant.store.shelf import Shelf
from assistant.tokens import DEFAULT, Tokenizer
from assistant.trace import Passage

if TYPE_CHECKING:
    from assistant.store.vector_store import GlassboxVectorStore

FILE = "base.duckdb"
_COMPACT_AT = 0.2
_COMPACT_DURING_WRITE_AT = 0.6


class Base:
    """The product's own door to a knowledge base. Safe to use from several threads; `close` it, or use it in `with`.

    A scope is a collection of document ids or LlamaIndex MetadataFilters; None is the whole base.
    """

    def __init__(self, database: Database, settings: Settings, tokenizer: Tokenizer = DEFAULT) -> None:
        self.settings = settings
        self.tokenizer = tokenizer
        self._database = database
        self._embedder: Embedder | None = None
        self._vector_store: GlassboxVectorStore | None = None
        self._last_matched: tuple[int, Matched | None] = (-1, None)
        self._closed = False

    @classmethod
    def open(
        cls,
        folder: Path,
        embedder_identity: Any,
        settings: Settings,
        read_only: bool = False,
        tokenizer: Tokenizer = DEFAULT,
    ) -> Base:
        """The knowledge base in this folder, created when there is none.

        `embedder_identity`: any record with model_dump() and fingerprint(); None opens whatever model it was built
        with. Raises WrongModel when it holds chunks of another model, BaseInUse when another process has it open,
        StoreError when the file is foreign, damaged or newer; the file is left as it is in all these cases.
        """
        database = Database.open(Path(folder).expanduser() / FILE, read_only)
        base = cls(database, settings, tokenizer)
        try:
            base._prepare(None if embedder_identity is None else Embedder.of(embedder_identity))
        except BaseException:
            database.close()
            raise
        return base

    @property
    def folder(self) -> Path | None:
        """Where the base is."""
        return None if self._database.path is None else self._database.path.parent

    @property
    def embedder(self) -> Embedder | None:
        """The model the base is built with, as recorded in it."""
        return self._embedder

    @property
    def shelf(self) -> Shelf:
        """Vectors of other models, and of unfinished files."""
        return Shelf(self._database)

    @property
    def turn(self) -> threading.Lock:
        """Held by one long job at a time: an ingest, or the exchange of the vectors."""
        return self._database.turn

    @property
    def vector_store(self) -> GlassboxVectorStore:
        """The same base as a LlamaIndex vector store: VectorStoreIndex.from_vector_store(base.vector_store)."""
        if self._vector_store is None:
            from assistant.store.vector_store import GlassboxVectorStore

            self._vector_store = GlassboxVectorStore.over(self._database, self.tokenizer)
        return self._vector_store

    def take_model(self, embedder_identity: Any) -> None:
        """Makes this the model of an empty base. Raises WrongModel when it holds chunks of another one."""
        self._take(Embedder.of(embedder_identity))

    def exchange(self, embedder_identity: Any, pipelines: tuple[str, str] = ("", "")) -> None:
        """Puts the vectors on the shelf in place of the base's, in one transaction, and the base's on the shelf.

        `pipelines`: see `assistant.store.shelf.exchange`. Raises StoreError when a chunk has no vector of this model.
        """
        chosen = Embedder.of(embedder_identity)
        self._database.exchange(lambda cursor: shelf.exchange(cursor, chosen, pipelines))
        self._embedder, self._vector_store = chosen, None

    def release(self, model: str) -> None:
        """No question needs the vectors of this model from before an exchange any more."""
        self._database.release(model)

    def close(self) -> None:
        """Gives the file up. Closing twice does nothing."""
        if not self._closed:
            self._closed = True
            self._database.close()

    def __enter__(self) -> Base:
        return self

    def __exit__(self, kind: type[BaseException] | None, err: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    # documents

    def replace_document(
        self, row: FileRow, chunks: Sequence[Chunk], vectors: Any, embedder_identity: Any = None
    ) -> None:
        """Puts this version of a document in place of the one before, in one transaction.

        `vectors`: one row per chunk. Raises StoreError when they do not fit the base (dimension, model, not finite),
        or when there are no chunks: a document without any is not indexed.
        """
        rows = fitting.fitting(chunks, vectors, self._embedder)
        fingerprint = self._embedder.fingerprint if self._embedder else ""
        if embedder_identity is not None:
            fingerprint = str(embedder_identity.fingerprint())
        fresh = [nodes.chunk_row(row, chunk) for chunk in chunks]

        def work(cursor: duckdb.DuckDBPyConnection) -> Change:
            fitting.require_model(cursor, fingerprint)
            own = [row.document_id]
            change = index.replace(cursor, "document_id = ?", own, fresh, rows, self.tokenizer, row.document_id)
            stored.write_file(cursor, row)
            return change

        self._database.write(work)
        self._compact_above(_COMPACT_DURING_WRITE_AT)

    def set_state(self, row: FileRow) -> None:
        """Keeps the file's row only (queued, failed, …); chunks of an earlier version stay."""
        self._change(lambda cursor: stored.write_file(cursor, row))

    def change_state(self, row: FileRow) -> None:
        """Like `set_state`, unless the document was deleted in the meantime: then it stays deleted."""

        def work(cursor: duckdb.DuckDBPyConnection) -> None:
            if stored.file_rows(cursor, {row.document_id}):
                stored.write_file(cursor, row)

        self._change(work)

    def delete_document(self, document_id: str) -> None:
        """Removes the document: its row, chunks, vectors (those on the shelf too) and postings, in one transaction.

        Unknown ids do nothing.
        """

        def work(cursor: duckdb.DuckDBPyConnection) -> Change:
            cursor.execute("DELETE FROM files WHERE document_id = ?", [document_id])
            return index.replace(cursor, "document_id = ?", [document_id], document_id=document_id)

        self._database.write(work)
        self._compact_above(_COMPACT_DURING_WRITE_AT)

    def rename_document(self, document_id: str, path: str, name: str) -> None:
        """Gives the document another path and name; chunks, ids and vectors stay. Unknown ids do nothing."""

        def work(cursor: duckdb.DuckDBPyConnection) -> None:
            row = stored.file_rows(cursor, {document_id}).get(document_id)
            if row is not None:
                stored.write_file(cursor, row.model_copy(update={"path": path, "name": name}))
                nodes.rename(cursor, document_id, path, name)

        self._change(work)

    def documents(self) -> tuple[FileRow, ...]:
        """All files by name; `chunks` is counted now."""
        return tuple(self._database.read(stored.all_files))

    def document(self, document_id: str) -> FileRow | None:
        """One file's row with its chunks counted, None when there is none."""

        def work(cursor: duckdb.DuckDBPyConnection) -> FileRow | None:
            row = stored.file_rows(cursor, {document_id}).get(document_id)
            counted = len(stored.numbers(cursor, "document_id = ?", [document_id]))
            return None if row is None else row.model_copy(update={"chunks": counted})

        return self._database.read(work)

    def document_titles(self, limit: int = 50) -> tuple[str, ...]:
        """Titles (or names) of documents that have chunks, by name."""
        rows = [row for row in self.documents() if row.chunks]
        return tuple(row.title or row.name for row in rows[:limit])

    def languages(self) -> dict[str, int]:
        """Language (zh, en, mixed, other) → documents with chunks in it, the most frequent first; {} when empty."""
        counted = Counter(row.language or "other" for row in self.documents() if row.chunks)
        return dict(counted.most_common())

    def counts(self) -> Counts:
        """Counted now: documents with chunks (each has exactly one first chunk), chunks, chunks in the text index."""
        sql = (
            "SELECT (SELECT count(*) FROM documents WHERE ordinal = 0), (SELECT count(*) FROM documents), "
            "(SELECT count(*) FROM lengths)"
        )
        return self._database.read(lambda cursor: Counts(*cursor.execute(sql).fetchall()[0]))

    # chunks

    def vectors_for(self, hashes: Iterable[str]) -> dict[str, Vectors]:
        """Text hash → stored vector of this base's model, for chunks that need no new embedding.

        Those that wait on the shelf for an unfinished file count too.
        """
        wanted = list(hashes)

        def work(cursor: duckdb.DuckDBPyConnection) -> dict[str, Vectors]:
            return shelf.waiting(cursor, self._embedder, wanted) | stored.vectors_for(cursor, wanted)

        return self._database.read(work)

    def passages(self, chunk_ids: Sequence[str]) -> list[Passage]:
        """The chunks of these ids in this order; those that no longer exist are left out."""
        return self._database.read(lambda cursor: stored.passages(cursor, chunk_ids))

    def neighbours(self, chunk_id: str, n: int = 1) -> list[Passage]:
        """Up to `n` chunks before and after in the same document, in order, without the chunk itself."""

        def work(cursor: duckdb.DuckDBPyConnection) -> list[Passage]:
            rows = stored.stored(cursor, "node_id = ?", [chunk_id])
            place = "d.document_id = ? AND d.ordinal BETWEEN ? AND ? AND d.node_id <> ?"
            around = [[row.document_id, row.ordinal - n, row.ordinal + n, chunk_id] for row in rows]
            return [passage for values in around for passage in stored.page(cursor, place, values, 0, 2 * n)]

        return self._database.read(work)

    def chunks(
        self, document_id: str | None = None, offset: int = 0, limit: int = 50, containing: str | None = None
    ) -> list[Passage]:
        """One page of chunks in document order. `containing`: only those with these characters, case aside."""
        condition, values = stored.browsed(document_id, containing)
        return self._database.read(lambda cursor: stored.page(cursor, condition, values, offset, limit))

    def chunk_count(self, document_id: str | None = None, containing: str | None = None) -> int:
        """How many chunks `chunks` would page through."""
        condition, values = stored.browsed(document_id, containing)
        sql = f"SELECT count(*) FROM documents d WHERE {condition}"
        return int(self._database.read(lambda cursor: cursor.execute(sql, values).fetchall()[0][0]))

    # search

    def search_vector(self, vector: Any, depth: int, scope: Any = None, model: str | None = None) -> VectorFound:
        """The nearest chunks by cosine (−1…1), exact, and the background over all chunks of the scope.

        `model`: fingerprint of the model of the vector; WrongModel is raised when the base has another one. A question
        that began before an exchange still searches the vectors of then.
        """
        query = np.asarray(vector, dtype=np.float32).reshape(-1)
        if model is None:
            fitting.require_dimension(self._embedder, len(query))
        allowed = self._allowed(scope)
        if self.settings.index.vector_index == "sql":
            return self._database.read(lambda cursor: sql_vectors.search(cursor, query, depth, allowed, model))
        return self._database.snapshot(model).search(query, depth, allowed)

    def search_text(self, terms: Sequence[str], depth: int, scope: Any = None) -> TextFound:
        """The best chunks for these terms by BM25. Terms are the tokenizer's; repeated ones count once."""
        allowed = self._allowed(scope)
        if self.settings.index.text_index == "fts":
            fts.load(self._database)
            return fts.search(self._database, terms, depth, allowed, self.tokenizer)
        before = self._database.writes

        def work(cursor: duckdb.DuckDBPyConnection) -> TextFound:
            size = postings.size(cursor)
            return postings.rank(cursor, self._matched(cursor, terms, before), size, depth, allowed)

        return self._database.read(work)

    def term_matches(self, chunk_ids: Sequence[str], terms: Sequence[str]) -> dict[str, frozenset[str]]:
        """Chunk id → those of the terms it holds; chunks that do not exist hold none."""
        before = self._database.writes

        def work(cursor: duckdb.DuckDBPyConnection) -> dict[str, frozenset[str]]:
            numbers = stored.numbers_of(cursor, list(dict.fromkeys(chunk_ids)))
            found = postings.holders(self._matched(cursor, terms, before), numbers.values())
            return {id_: frozenset(found[numbers[id_]] if id_ in numbers else ()) for id_ in chunk_ids}

        return self._database.read(work)

    def warm(self) -> None:
        """Loads the vectors now instead of at the first question (about 2 s per 100,000 chunks)."""
        if self.settings.index.vector_index == "matrix":
            self._database.snapshot()

    # care

    def compact(self, force: bool = False) -> bool:
        """Sorts the text index when more than a fifth of it came in since the last time, and gives unused disk back.

        True when something was done. For the end of an ingest or of many deletions: 100,000 chunks take some seconds,
        during which others can read but not write.
        """
        done = self._compact_above(-1.0 if force else _COMPACT_AT)
        return self._database.shrink() or done

    def faults(self) -> tuple[str, ...]:
        """What does not fit together in the file, one sentence each; empty when all is well."""
        return tuple(self._database.read(index.faults))

    def disk_bytes(self) -> int:
        """Bytes the base takes on disk, with its log."""
        return self._database.disk_bytes()

    def snapshot(self, folder: Path) -> Path:
        """Copies the base as it is now into another folder, where others can open it read-only; returns the file."""
        return self._database.copy_to(Path(folder).expanduser() / FILE)

    def _matched(self, cursor: duckdb.DuckDBPyConnection, terms: Sequence[str], before: int) -> Matched:
        """The terms' postings; those of the last query again while nothing was written: they cost most of a search.

        `before`: the count of writes from before the transaction. It has had its first statement, so its view is fixed:
        when the count still is what it was before the last query, and even (no write under way), both see the same.
        """
        known, last = self._last_matched
        if last is not None and known == self._database.writes and set(last.words) == set(terms):
            return last
        matched = postings.look_up(cursor, terms)
        if before % 2 == 0:
            self._last_matched = (before, matched)
        return matched

    def _change(self, work: Any) -> None:
        def changed(cursor: duckdb.DuckDBPyConnection) -> Change:
            work(cursor)
            return Change()

        self._database.write(changed)

    def _compact_above(self, share: float) -> bool:
        if self._database.read(postings.unsorted_share) <= share:
            return False
        self._change(postings.compact)
        return True

    def _allowed(self, scope: Any) -> Numbers | None:
        if scope is None:
            return None
        condition, values = self._condition(scope)
        return self._database.read(lambda cursor: stored.numbers(cursor, condition, values))

    def _condition(self, scope: Any) -> tuple[str, list[str]]:
        if hasattr(scope, "filters"):
            return self.vector_store.condition(scope), []
        ids = [scope] if isinstance(scope, str) else list(scope)
        return (f"document_id IN ({','.join('?' * len(ids))})" if ids else "false"), ids

    def _prepare(self, chosen: Embedder | None) -> None:
        index.prepare(self._database, chosen.dimension if chosen else None, self.tokenizer)
        self._embedder = self._database.read(schema.read_embedder)
        if chosen is not None:
            self._take(chosen)
        if self.settings.index.text_index == "fts":
            fts.load(self._database)

    def _take(self, chosen: Embedder) -> None:
        known = self._embedder
        if known is not None and known.fingerprint == chosen.fingerprint:
            return
        held = self.counts().chunks
        if held:
            raise WrongModel(schema.mismatch(self.folder, held, known, chosen.label))
        if not self._database.read_only:
            self._change(lambda cursor: schema.adopt(cursor, chosen))
            self._database.forget_vectors()
        self._embedder = chosen
