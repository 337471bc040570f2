"""Excel workbooks (.xlsx, .xlsm): values as they were last calculated."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assistant.documents import Document
from assistant.errors import UnreadableFile
from assistant.language import language_of
from assistant.readers.builder import TextBuilder
from assistant.readers.front_matter import date_of
from assistant.readers.package import Package
from assistant.readers.sheets import Sheet, write_sheets
from assistant.readers.xlsx.book import Book
from assistant.readers.xlsx.cells import Cells
from assistant.readers.xlsx.remarks import remarks_of
from assistant.settings import Reading


def read(path: Path, data: bytes, settings: Reading) -> Document:
    """The Document of all visible sheets: titles, tables, comments, texts of drawings and titles of charts.

    Hidden sheets are left out and named in `warnings`; formulas that were never calculated and damaged
    sheets in `unread`.
    Raises UnreadableFile: corrupt, too_large (it would unpack to far more than its size), empty.
    """
    package = Package(path.name, data, "Excel")
    book = Book(package)
    sheets, unread = [], []
    for entry in book.sheets():
        if entry.hidden:
            continue
        cells = Cells(book, entry.part)
        sheets.append(Sheet(entry.name, cells.rows, cells.merged, remarks_of(package, entry.part, cells.rows)))
        if cells.uncounted:
            count = _formulas(cells.uncounted)
            unread.append(f"Sheet {entry.name}: {count} never calculated: open the file in Excel and save it.")
        if entry.part in package.damaged:
            unread.append(f"Sheet {entry.name}: damaged, only its first rows could be read.")
    builder = TextBuilder()
    write_sheets(builder, sheets)
    hidden = [entry.name for entry in book.sheets() if entry.hidden]
    if not builder.text and (unread or hidden):
        what = "only formulas that were never calculated" if unread else "only hidden sheets"
        raise UnreadableFile(f"{path.name} holds {what}; open it in Excel, show or calculate them, save it.", "empty")
    return document_of(path, "xlsx", builder, package.properties(), hidden, unread)


def _formulas(count: int) -> str:
    return "1 formula was" if count == 1 else f"{count} formulas were"


def document_of(
    path: Path,
    media: str,
    builder: TextBuilder,
    properties: dict[str, str],
    hidden: Sequence[str],
    unread: Sequence[str] = (),
) -> Document:
    """The Document of a workbook that was written into the builder."""
    said = (f"Hidden sheets were left out: {', '.join(hidden)}.",) if hidden else ()
    title = next((block.text for block in builder.blocks if block.kind == "heading"), "")
    return Document(
        path=str(path),
        name=path.name,
        title=properties.get("title") or title,
        media=media,
        text=builder.text,
        blocks=tuple(builder.blocks),
        language=language_of(builder.text),
        modified=date_of(properties),
        meta=properties,
        warnings=(*said, *unread),
        unread=tuple(unread),
    )
