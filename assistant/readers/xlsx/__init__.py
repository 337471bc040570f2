"""Excel workbooks (.xlsx, .xlsm): values as they were last calculated."""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assistant.documents import Document
from assistant.errors import UnreadableFile
from assistant.language import language_of
from assistant.readers.builder import TextBuilder
from assistant.readers.cell_values import CHINESE_DATES, shown
from assistant.readers.front_matter import date_of
from assistant.readers.package import Package
from assistant.readers.sheets import Sheet, write_sheets
from assistant.readers.xlsx.parts import SheetParts, parts_of
from assistant.settings import Reading


def read(path: Path, data: bytes, settings: Reading) -> Document:
    """The Document of all visible sheets: titles, tables, comments, texts of drawings and titles of charts.

    Hidden sheets are left out and named in `warnings`; formulas that were never calculated in `unread`.
    Raises UnreadableFile: corrupt, too_large (it would unpack to far more than its size), empty.
    """
    package = Package(path.name, data, "Excel")
    with warnings.catch_warnings(action="ignore"):  # openpyxl names what it does not keep: styles, validations
        book = _opened(data)
        sheets, uncounted = _sheets(book, package)
    builder = TextBuilder()
    write_sheets(builder, sheets)
    hidden = [sheet.title for sheet in [*book.worksheets, *book.chartsheets] if sheet.sheet_state != "visible"]
    unread = tuple(
        f"Sheet {name}: {_formulas(count)} never calculated; open the file in Excel and save it."
        for name, count in uncounted
    )
    if not builder.text and (uncounted or hidden):
        what = "only formulas that were never calculated" if uncounted else "only hidden sheets"
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


def _opened(data: bytes) -> Any:
    from openpyxl import load_workbook

    return load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)


def _sheets(book: Any, package: Package) -> tuple[list[Sheet], list[tuple[str, int]]]:
    """The visible sheets, and how many formulas have no value, by the name of their sheet."""
    sheets, uncounted = [], []
    for sheet in (book[name] for name in book.sheetnames):
        if sheet.sheet_state != "visible":
            continue
        parts = parts_of(package, sheet.title)
        rows = _rows(sheet) if hasattr(sheet, "iter_rows") else []
        sheets.append(Sheet(sheet.title, rows, parts.merged, _remarks(parts, rows)))
        if parts.uncounted:
            uncounted.append((sheet.title, parts.uncounted))
    return sheets, uncounted


def _rows(sheet: Any) -> list[list[str]]:
    """The rows up to the last cell with text; the size that the file states is not believed."""
    sheet.reset_dimensions()
    rows: list[list[str]] = []
    filled = 0
    for row in sheet.iter_rows():
        texts = [_text(cell) for cell in row]
        while texts and not texts[-1]:
            texts.pop()
        rows.append(texts)
        filled = len(rows) if texts else filled
    return rows[:filled]


def _text(cell: Any) -> str:
    value = cell.value
    if value is None or isinstance(value, str):
        return shown(value)
    number_format = cell.number_format
    if number_format == "General" and isinstance(value, int | float) and not isinstance(value, bool):
        return _chinese_date(cell, value)
    return shown(value, number_format)


def _chinese_date(cell: Any, value: float) -> str:
    from openpyxl.utils.datetime import from_excel

    number_format = CHINESE_DATES.get(cell._style_id and cell.style_array.numFmtId)
    return shown(from_excel(value, cell.parent.parent.epoch), number_format) if number_format else shown(value)


def _remarks(parts: SheetParts, rows: Sequence[Sequence[str]]) -> list[str]:
    """Comments with the cell they stand at, then the texts of drawings."""
    remarks = []
    for remark in parts.comments:
        line = rows[remark.row] if remark.row < len(rows) else []
        cell = line[remark.column] if remark.column < len(line) else ""
        at = f"{remark.cell} ({cell[:60]})" if cell else remark.cell
        remarks.append(f"[{remark.author}] {at}: {remark.text}" if remark.author else f"{at}: {remark.text}")
    return [*remarks, *parts.drawn]
