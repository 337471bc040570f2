"""OpenDocument: texts (.odt), sheets (.ods) and slides (.odp), read from content.xml in document order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assistant.documents import Document
from assistant.errors import UnreadableFile
from assistant.language import language_of
from assistant.readers.builder import TextBuilder
from assistant.readers.front_matter import date_of
from assistant.readers.odf.body import Body
from assistant.readers.odf.slides import write_slides
from assistant.readers.odf.styles import Styles
from assistant.readers.odf.tables import sheets_of
from assistant.readers.package import Package, child, local
from assistant.readers.questions import fold
from assistant.readers.sheets import write_sheets
from assistant.settings import Reading

_MEDIA = {"text": "odt", "spreadsheet": "ods", "presentation": "odp", "drawing": "odg"}


def read(path: Path, data: bytes, settings: Reading) -> Document:
    """The Document of text, tables, notes and comments, as if all changes were accepted; a slide is a page.

    Hidden text, sheets and slides and the table of contents are left out. Raises UnreadableFile: corrupt, too_large,
    encrypted.
    """
    package = Package(path.name, data, "LibreOffice")
    _refuse_encrypted(package)
    content = _content(package)
    kind, body = _body(package.name, content)
    styles = Styles(package.part("styles.xml"), content)
    builder = TextBuilder()
    pages = None
    if kind == "spreadsheet":
        write_sheets(builder, sheets_of(body, styles))
    elif kind in ("presentation", "drawing"):
        pages = write_slides(builder, body, styles)
    else:
        Body(builder, styles).write(body)
    fields = _fields(package)
    blocks = fold(builder.text, builder.blocks)
    headings = sorted((block for block in blocks if block.kind == "heading"), key=lambda b: (b.level, b.start))
    return Document(
        path=str(path),
        name=path.name,
        title=headings[0].text if headings else fields.get("title", ""),
        media=_MEDIA[kind],
        text=builder.text,
        blocks=tuple(blocks),
        language=language_of(builder.text),
        pages=pages,
        modified=date_of({"date": fields.get("date", "")}),
        meta=fields,
    )


def _refuse_encrypted(package: Package) -> None:
    manifest = package.part("META-INF/manifest.xml")
    if manifest is not None and any(local(element) == "encryption-data" for element in manifest.iter()):
        raise UnreadableFile(
            f"{package.name} is protected by a password; remove it and add the file again.", "encrypted"
        )


def _content(package: Package) -> Any:
    content = package.part("content.xml")
    if content is None:
        raise UnreadableFile(
            f"{package.name} cannot be read as LibreOffice file: it has no document part; open it in LibreOffice and "
            "save it again.",
            "corrupt",
        )
    return content


def _body(name: str, content: Any) -> tuple[str, Any]:
    """The kind of the document and the element that holds it."""
    body = child(content, "body")
    for element in body if body is not None else ():
        if local(element) in _MEDIA:
            return local(element), element
    raise UnreadableFile(
        f"{name} is an OpenDocument file of another kind (a formula, a chart, a database), which is not read; save it "
        "as PDF, and add that.",
        "unsupported",
    )


def _fields(package: Package) -> dict[str, str]:
    """title, creator, date, keyword, … as text."""
    meta = child(root, "meta") if (root := package.part("meta.xml")) is not None else None
    found: dict[str, str] = {}
    for element in meta if meta is not None else ():
        text = (element.text or "").strip() if local(element) else ""
        if text:
            found.setdefault(local(element), text)
    return found
