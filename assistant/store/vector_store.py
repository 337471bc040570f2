"""The knowledge base as a LlamaIndex vector store: DuckDBVectorStore with text and hybrid search, offline."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from duckdb import Expression
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.schema import BaseNode, MetadataMode
from llama_index.core.vector_stores.types import (
    BasePydanticVectorStore,
    FilterOperator,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
    VectorStoreQueryResult,
)
from llama_index.core.vector_stores.utils import node_to_metadata_dict
from llama_index.vector_stores.duckdb import DuckDBVectorStore

from assistant.errors import StoreError, WrongModel
from assistant.store import chunks, index, postings, schema
from assistant.store.chunks import Change, ChunkRow
from assistant.store.database import Database
from assistant.store.matrix import Numbers
from assistant.tokens import DEFAULT, Tokenizer

_TEXT_MODES = (VectorStoreQueryMode.TEXT_SEARCH, VectorStoreQueryMode.SPARSE)
_HYBRID_DEPTH = 50
_ALPHA = 0.5


class GlassboxVectorStore(DuckDBVectorStore):
    """A DuckDBVectorStore that also serves text search (BM25) and hybrid search, and works without a network.

    Adding a node again replaces it. Its table can be read by a stock DuckDBVectorStore. Metadata filters hold in every
    mode. Similarities: cosine (default), BM25 (text_search), or alpha × cosine + (1 − alpha) × BM25 / best BM25
    (hybrid; alpha 0.5 unless given; a negative cosine and a chunk that one side did not find count 0 there).
    """

    _database: Database = PrivateAttr()
    _tokenizer: Tokenizer = PrivateAttr()

    def __init__(
        self,
        database_name: str = ":memory:",
        table_name: str = schema.TABLE,
        embed_dim: int | None = None,
        persist_dir: str = "./storage",
        database: Database | None = None,
        tokenizer: Tokenizer = DEFAULT,
        **kwargs: Any,
    ) -> None:
        """Opens or creates the file; `database` shares one that is already open. Raises StoreError."""
        if table_name != schema.TABLE:
            raise StoreError(
                f"Chunks are kept in the table {schema.TABLE!r}, not {table_name!r}; use one file per collection."
            )
        # not DuckDBVectorStore's constructor: it installs extensions from the network
        BasePydanticVectorStore.__init__(
            self,
            stores_text=True,
            database_name=database_name,
            table_name=table_name,
            embed_dim=embed_dim,
            text_search_config=None,
            persist_dir=persist_dir,
        )
        path = None if database_name == ":memory:" else Path(persist_dir) / database_name
        self._tokenizer = tokenizer
        self._database = database or Database.open(path)
        index.prepare(self._database, embed_dim, tokenizer)

    @classmethod
    def over(cls, database: Database, tokenizer: Tokenizer = DEFAULT) -> GlassboxVectorStore:
        """The store over an open knowledge base."""
        embedder = database.read(schema.read_embedder)
        name, folder = (":memory:", ".") if database.path is None else (database.path.name, str(database.path.parent))
        dimension = embedder.dimension if embedder else None
        return cls(name, embed_dim=dimension, persist_dir=folder, database=database, tokenizer=tokenizer)

    @classmethod
    def class_name(cls) -> str:
        """The name under which LlamaIndex knows it."""
        return "GlassboxVectorStore"

    @classmethod
    def _connect(cls, database_name: str, persist_dir: str) -> duckdb.DuckDBPyConnection:
        return Database.open(None if database_name == ":memory:" else Path(persist_dir) / database_name).cursor()

    @classmethod
    def _initialize_table(cls, conn: duckdb.DuckDBPyConnection, table_name: str, embed_dim: int | None) -> None:
        if not schema.exists(conn, None):
            schema.create(conn, embed_dim)

    @property
    def client(self) -> duckdb.DuckDBPyConnection:
        """This thread's cursor."""
        return self._database.cursor()

    def close(self) -> None:
        """Gives the file up."""
        self._database.close()

    def add(self, nodes: Sequence[BaseNode], **add_kwargs: Any) -> list[str]:
        """Stores and indexes the nodes, in place of earlier ones with the same id. Raises WrongModel, StoreError."""
        latest = {node.node_id: node for node in nodes}
        rows = [_row(node, place) for place, node in enumerate(latest.values())]
        vectors = [node.embedding for node in latest.values()]

        def work(cursor: duckdb.DuckDBPyConnection) -> Change:
            self._require_dimension(cursor, vectors)
            condition, ids = _among("node_id", list(latest))
            return index.replace(cursor, condition, ids, rows, vectors, self._tokenizer)

        self._database.write(work)
        return [node.node_id for node in nodes]

    def delete(self, ref_doc_id: str, **delete_kwargs: Any) -> None:
        """Removes all nodes of this document, from both indexes."""
        self._take("document_id = ?", [ref_doc_id])

    def delete_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None, **delete_kwargs: Any
    ) -> None:
        """Removes the nodes with these ids, or to which the filters apply; with both, those meeting both."""
        self._take(*self._chosen(node_ids=node_ids, filters=filters))

    def clear(self, **clear_kwargs: Any) -> None:
        """Removes all nodes."""
        self._take("true", [])

    def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        """The best nodes for the query, by its mode: default, text_search (or sparse), hybrid. Raises StoreError."""
        allowed = self._allowed(query)
        if query.mode in _TEXT_MODES:
            scores = self._by_text(query, query.sparse_top_k or query.similarity_top_k, allowed)
        elif query.mode == VectorStoreQueryMode.DEFAULT:
            scores = self._by_vector(query, query.similarity_top_k, allowed)
        elif query.mode == VectorStoreQueryMode.HYBRID:
            scores = self._by_both(query, allowed)
        else:
            raise StoreError(f"Query mode {query.mode.value!r} is not served; use default, text_search or hybrid.")
        return self._result(scores)

    def condition(self, filters: MetadataFilters) -> str:
        """The filters as an SQL condition over the table."""
        return str(self._build_metadata_filter_expressions(filters))

    def _build_metadata_filter_expression(self, key: str, value: Any, operator: FilterOperator) -> Expression:
        if value == []:
            return Expression(operator in (FilterOperator.NIN, FilterOperator.ALL))
        return super()._build_metadata_filter_expression(key, value, operator)

    def _allowed(self, query: VectorStoreQuery) -> Numbers | None:
        # VectorStoreIndex.as_retriever passes an empty list of node ids when it has none of its own: no restriction
        if not (query.node_ids or query.doc_ids or query.filters):
            return None
        condition, values = self._chosen(query.node_ids or None, query.doc_ids or None, query.filters)
        return self._database.read(lambda cursor: chunks.numbers(cursor, condition, values))

    def _chosen(
        self,
        node_ids: list[str] | None = None,
        document_ids: list[str] | None = None,
        filters: MetadataFilters | None = None,
    ) -> tuple[str, list[str]]:
        conditions, values = ["true"], []
        for column, ids in (("node_id", node_ids), ("document_id", document_ids)):
            if ids is not None:
                condition, marked = _among(column, ids)
                conditions.append(condition)
                values += marked
        if filters is not None:
            conditions.append(self.condition(filters))
        return " AND ".join(f"({condition})" for condition in conditions), values

    def _take(self, condition: str, values: list[str]) -> None:
        self._database.write(lambda cursor: index.replace(cursor, condition, values))

    def _require_dimension(self, cursor: duckdb.DuckDBPyConnection, vectors: Sequence[list[float] | None]) -> None:
        known = self.embed_dim or schema.stored_dimension(cursor)
        for vector in vectors:
            known = known or (len(vector) if vector is not None else None)
            if vector is not None and len(vector) != known:
                raise WrongModel(
                    f"A vector has {len(vector)} dimensions, but this store holds vectors of {known}; "
                    "use the embedding model it was built with, or another file."
                )

    def _by_vector(self, query: VectorStoreQuery, depth: int, allowed: Numbers | None) -> dict[str, float]:
        if query.query_embedding is None:
            raise StoreError("A vector query came without an embedding; use the mode text_search to search by words.")
        found = self._database.snapshot().search(np.asarray(query.query_embedding, dtype=np.float32), depth, allowed)
        return dict(zip(found.ids, found.cosines, strict=True))

    def _by_text(self, query: VectorStoreQuery, depth: int, allowed: Numbers | None) -> dict[str, float]:
        terms = [term.text for term in self._tokenizer.query_terms(query.query_str or "")]
        found = self._database.read(lambda cursor: postings.search(cursor, terms, depth, allowed))
        return {hit.chunk_id: hit.score for hit in found.hits}

    def _by_both(self, query: VectorStoreQuery, allowed: Numbers | None) -> dict[str, float]:
        depth = max(_HYBRID_DEPTH, query.similarity_top_k)
        near = self._by_vector(query, depth, allowed)
        worded = self._by_text(query, max(depth, query.sparse_top_k or 0), allowed)
        alpha = _ALPHA if query.alpha is None else query.alpha
        best = max(worded.values(), default=1.0)
        scores = {
            id_: alpha * max(near.get(id_, 0.0), 0.0) + (1 - alpha) * worded.get(id_, 0.0) / best
            for id_ in dict.fromkeys([*near, *worded])
        }
        ranked = sorted(scores.items(), key=lambda item: -item[1])
        return dict(ranked[: query.hybrid_top_k or query.similarity_top_k])

    def _result(self, scores: dict[str, float]) -> VectorStoreQueryResult:
        condition, ids = _among("node_id", list(scores))
        sql = f"SELECT node_id, text, metadata_ FROM documents WHERE {condition}"
        rows = self._database.read(lambda cursor: cursor.execute(sql, ids).fetchall())
        found = {
            id_: self._arrow_row_to_node({"text": text, "metadata_": metadata, "embedding": None})
            for id_, text, metadata in rows
        }
        kept = [id_ for id_ in scores if id_ in found]
        return VectorStoreQueryResult([found[id_] for id_ in kept], [scores[id_] for id_ in kept], kept)


def _among(column: str, values: Sequence[str]) -> tuple[str, list[str]]:
    if not values:
        return "false", []
    return f"{column} IN ({','.join('?' * len(values))})", list(values)


def _row(node: BaseNode, place: int) -> ChunkRow:
    text = node.get_content(metadata_mode=MetadataMode.NONE)
    start = getattr(node, "start_char_idx", None) or 0
    return ChunkRow(
        node_id=node.node_id,
        text=text,
        metadata=json.dumps(node_to_metadata_dict(node, remove_text=True, flat_metadata=True), ensure_ascii=False),
        document_id=node.ref_doc_id or "",
        ordinal=place,
        text_hash="",
        start=start,
        end=getattr(node, "end_char_idx", None) or start + len(text),
    )
