"""The records of what was read: a document with its blocks, its chunks, and the state of each file."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Literal

from pydantic import Field

from assistant.trace import Record

_MARKS = re.compile(r"[*`]+")

BlockKind = Literal["heading", "paragraph", "list", "code", "table", "qa", "caption"]


class Block(Record):
    """One structural unit: `text` is exactly document.text[start:end].

    `page` from 1, None where the format has none. `level`: 1–6 for headings, 0 otherwise. `header_end`: for tables,
    where the header rows end (document offset), so that a split table can repeat them; None when there is no header.
    `turns`: where each page after `page` begins in it (document offsets), () when that is not known.
    """

    kind: BlockKind
    text: str
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    page: int | None = None
    page_end: int | None = None
    level: int = 0
    header_end: int | None = None
    turns: tuple[int, ...] = ()


class Document(Record):
    """One file as read. For plain text and Markdown `text` is the decoded file itself, so offsets are the file's own.

    `media`: md, txt, html, pdf, docx, pptx, xlsx, xls, csv, ipynb, … `language`: zh, en, mixed, other. `meta`: front
    matter and properties as text.
    `warnings`: what a person should know ("page 4 has no text: it is a picture"); `unread`: those that name text which
    is not in the document, so that the file is indexed only in part. `authority` None = not stated.
    """

    path: str
    name: str
    title: str = ""
    media: str
    text: str
    blocks: tuple[Block, ...] = ()
    language: str = "other"
    pages: int | None = None
    modified: datetime | None = None
    authority: float | None = Field(default=None, ge=0, le=1)
    encoding: str = ""
    meta: dict[str, str] = {}
    warnings: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


class Chunk(Record):
    """What is indexed: `text` is exactly document.text[start:end]; `context` (a repeated table header) goes before it.

    `embedded_text` is what the embedder and the text index see: heading path, context, text. A heading that the text
    begins with is not said twice.
    """

    ordinal: int = Field(ge=0)
    text: str
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    heading: tuple[str, ...] = ()
    pages: tuple[int, int] | None = None
    kind: str = "paragraph"
    language: str = "other"
    context: str = ""

    def embedded_text(self) -> str:
        """Heading path, context and text, one below the other, the empty ones left out."""
        first_line = _MARKS.sub("", self.text.lstrip().partition("\n")[0])
        above = self.heading[:-1] if self.heading and self.heading[-1] in first_line else self.heading
        return "\n".join(part for part in (" › ".join(above), self.context, self.text) if part)


FileState = Literal["queued", "reading", "chunking", "embedding", "writing", "indexed", "partly", "failed", "cancelled"]


class FileRow(Record):
    """One file of the knowledge base: what it is and what became of it.

    A file ends in exactly one of indexed, partly (some pages unread: `reason`), failed (`reason`, `error_kind`).
    `chunks` is counted from the rows, never stored. `path` is absolute, `name` is what is shown (relative to its root).
    `modified` is the document's own date; `mtime_ns` is the file's, 0 when it proves nothing and the content is hashed.
    """

    document_id: str
    name: str
    path: str
    root: str = ""
    content_hash: str = ""
    pipeline_hash: str = ""
    size: int = 0
    modified: datetime | None = None
    state: FileState
    reason: str = ""
    error_kind: str = ""
    warnings: tuple[str, ...] = ()
    title: str = ""
    media: str = ""
    language: str = ""
    pages: int | None = None
    authority: float = Field(default=0.5, ge=0, le=1)
    version: int = 1
    chunks: int = 0
    seconds: float = 0.0
    same_content_as: str = ""
    mtime_ns: int = 0


class Progress(Record):
    """One moment of an ingest: which file is at which stage, how far the whole is. `seconds_left` None = unknown."""

    file: str
    state: FileState
    reason: str = ""
    files_done: int = 0
    files: int = 0
    chunks_done: int = 0
    chunks: int = 0
    chunks_per_second: float | None = None
    seconds_left: float | None = None


class IngestReport(Record):
    """What an ingest did. `embedded`: chunks whose vector was computed; `reused`: chunks that kept theirs.

    `failed`, `skipped`: name and reason. Skipped are formats that nothing here reads, links, and special files.
    """

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    failed: tuple[tuple[str, str], ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()
    notices: tuple[str, ...] = ()
    embedded: int = 0
    reused: int = 0
    seconds: float = 0.0
    stage_seconds: dict[str, float] = {}
    cancelled: bool = False
