"""Word (.docx), read from its parts in document order."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from assistant.documents import Document
from assistant.language import language_of
from assistant.readers.builder import TextBuilder
from assistant.readers.docx.body import Body
from assistant.readers.package import Package
from assistant.readers.questions import fold
from assistant.settings import Reading


def read(path: Path, data: bytes, settings: Reading) -> Document:
    """The Document of body, tables, text boxes, foot- and endnotes and comments, as if all changes were accepted.

    Page headers, footers, hidden text and the table of contents are left out; links and pictures are not followed.
    Raises UnreadableFile: corrupt, too_large (it would unpack to far more than its size).
    """
    package = Package(path.name, data)
    builder = TextBuilder()
    Body(package, builder).write()
    properties = package.properties()
    text = builder.text
    blocks = fold(text, builder.blocks)
    headings = [block for block in blocks if block.kind == "heading"]
    return Document(
        path=str(path),
        name=path.name,
        title=headings[0].text if headings else properties.get("title", ""),
        media="docx",
        text=text,
        blocks=tuple(blocks),
        language=language_of(text),
        modified=_time(properties.get("modified", "")),
        meta=properties,
    )


def _time(stated: str) -> datetime | None:
    try:
        time = datetime.fromisoformat(stated)
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)
