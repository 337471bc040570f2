"""Chunks as LlamaIndex nodes and back: what a stock DuckDBVectorStore reads from the same table."""

from __future__ import annotations

import json
from typing import Any

import duckdb
import pyarrow as pa

from assistant.documents import Chunk, FileRow
from assistant.store.chunks import ChunkRow, text_hash
from assistant.store.schema import registered


def chunk_id(document_id: str, ordinal: int) -> str:
    """Stable as long as the chunk keeps its place in its document."""
    return f"{document_id}:{ordinal}"


def chunk_row(row: FileRow, chunk: Chunk) -> ChunkRow:
    """One chunk of a file, ready to be stored."""
    return ChunkRow(
        node_id=chunk_id(row.document_id, chunk.ordinal),
        text=chunk.text,
        metadata=node_metadata(row, chunk),
        document_id=row.document_id,
        ordinal=chunk.ordinal,
        text_hash=text_hash(chunk.embedded_text()),
        start=chunk.start,
        end=chunk.end,
        heading=chunk.heading,
        pages=chunk.pages,
        kind=chunk.kind,
        language=chunk.language,
        context=chunk.context,
    )


def node_metadata(row: FileRow, chunk: Chunk) -> str:
    """The metadata_ column: what LlamaIndex needs to build the node again, and fields to filter by.

    Written by hand because LlamaIndex takes 2 s to import and the store does not need it otherwise; a test holds it
    equal to llama_index's node_to_metadata_dict.
    """
    fields: dict[str, Any] = {
        "document": row.name,
        "path": row.path,
        "title": row.title,
        "media": row.media,
        "language": chunk.language,
        "heading": " › ".join(chunk.heading),
        "kind": chunk.kind,
        "page": chunk.pages[0] if chunk.pages else None,
        "modified": row.modified.isoformat() if row.modified else None,
        "authority": row.authority,
        "ordinal": chunk.ordinal,
    }
    node: dict[str, Any] = {
        "id_": chunk_id(row.document_id, chunk.ordinal),
        "embedding": None,
        "metadata": fields,
        "excluded_embed_metadata_keys": list(fields),
        "excluded_llm_metadata_keys": [],
        "relationships": {
            "1": {
                "node_id": row.document_id,
                "node_type": "4",
                "metadata": {},
                "hash": None,
                "class_name": "RelatedNodeInfo",
            }
        },
        "metadata_template": "{key}: {value}",
        "metadata_separator": "\n",
        "text": "",
        "mimetype": "text/plain",
        "start_char_idx": chunk.start,
        "end_char_idx": chunk.end,
        "text_template": "{metadata_str}\n\n{content}",
        "class_name": "TextNode",
    }
    stored = {**fields, "_node_content": json.dumps(node, ensure_ascii=False), "_node_type": "TextNode"}
    references = dict.fromkeys(("document_id", "doc_id", "ref_doc_id"), row.document_id)
    return json.dumps({**stored, **references}, ensure_ascii=False)


def rename(cursor: duckdb.DuckDBPyConnection, document_id: str, path: str, name: str) -> None:
    """Writes the new path and name into the metadata of the document's chunks, inside the caller's transaction."""
    found = cursor.execute("SELECT node_id, metadata_ FROM documents WHERE document_id = ?", [document_id]).fetchall()
    renamed = [(node_id, _renamed(metadata, path, name)) for node_id, metadata in found]
    fresh = pa.table({"node_id": [key for key, _ in renamed], "metadata_": [text for _, text in renamed]})
    with registered(cursor, fresh_names=fresh):
        cursor.execute(
            "UPDATE documents SET metadata_ = fresh_names.metadata_ FROM fresh_names "
            "WHERE documents.node_id = fresh_names.node_id"
        )


def _renamed(metadata: str, path: str, name: str) -> str:
    data = json.loads(metadata)
    node = json.loads(data["_node_content"])
    for fields in (data, node["metadata"]):
        fields.update({"path": path, "document": name})
    data["_node_content"] = json.dumps(node, ensure_ascii=False)
    return json.dumps(data, ensure_ascii=False)
