"""Old Excel workbooks (.xls, Excel 2 to 2003)."""

from __future__ import annotations

import io
import struct
from pathlib import Path
from typing import Any

from assistant.documents import Document
from assistant.errors import UnreadableFile
from assistant.readers.builder import TextBuilder, one_line
from assistant.readers.cell_values import CHINESE_DATES, shown
from assistant.readers.sheets import Merged, Sheet, write_sheets
from assistant.readers.xlsx import document_of
from assistant.settings import Reading


def read(path: Path, data: bytes, settings: Reading) -> Document:
    """The Document of all visible sheets: titles, tables, comments. Hidden sheets are named in `warnings`.

    Raises UnreadableFile: encrypted, corrupt.
    """
    book = _opened(path.name, data, settings)
    visible = [sheet for sheet in book.sheets() if sheet.visibility == 0]
    builder = TextBuilder()
    write_sheets(builder, [_sheet(book, sheet) for sheet in visible])
    hidden = [sheet.name for sheet in book.sheets() if sheet.visibility != 0]
    return document_of(path, "xls", builder, {}, hidden)


def _opened(name: str, data: bytes, settings: Reading) -> Any:
    import xlrd
    from xlrd.compdoc import CompDocError

    try:
        return xlrd.open_workbook(
            file_contents=data,
            logfile=io.StringIO(),
            formatting_info=True,  # merged cells and comments are not read without
            encoding_override=settings.legacy_encoding or None,
        )
    except (xlrd.XLRDError, CompDocError, struct.error, AssertionError, IndexError) as err:
        if "encrypted" in str(err):
            raise UnreadableFile(
                f"{name} is protected by a password; remove it and add the file again.", "encrypted"
            ) from err
        raise UnreadableFile(
            f"{name} cannot be read as Excel file: its structure is broken; open it in Excel and save it again.",
            "corrupt",
        ) from err


def _sheet(book: Any, sheet: Any) -> Sheet:
    rows = [[_text(book, sheet, y, x) for x in range(sheet.row_len(y))] for y in range(sheet.nrows)]
    merged = [Merged(*cells) for cells in sheet.merged_cells]
    return Sheet(sheet.name, rows, merged, _remarks(sheet, rows))


def _text(book: Any, sheet: Any, y: int, x: int) -> str:
    import xlrd

    cell = sheet.cell(y, x)
    if cell.ctype in (xlrd.XL_CELL_EMPTY, xlrd.XL_CELL_BLANK):
        return ""
    if cell.ctype == xlrd.XL_CELL_BOOLEAN:
        return shown(bool(cell.value))
    if cell.ctype == xlrd.XL_CELL_ERROR:
        return str(xlrd.error_text_from_code.get(cell.value, "#N/A"))
    if cell.ctype == xlrd.XL_CELL_TEXT:
        return shown(cell.value)
    key = book.xf_list[cell.xf_index].format_key
    number_format = CHINESE_DATES.get(key) or book.format_map[key].format_str
    if cell.ctype == xlrd.XL_CELL_DATE or key in CHINESE_DATES:
        return _date(cell.value, book.datemode, number_format)
    return shown(cell.value, number_format)


def _date(value: float, datemode: int, number_format: str) -> str:
    from openpyxl.utils.datetime import MAC_EPOCH, WINDOWS_EPOCH, from_excel

    try:
        moment = from_excel(value, MAC_EPOCH if datemode else WINDOWS_EPOCH)
    except (ValueError, OverflowError):  # a number out of the calendar: it shows as ####
        return shown(value)
    return shown(moment, number_format)


def _remarks(sheet: Any, rows: list[list[str]]) -> list[str]:
    from openpyxl.utils import get_column_letter

    remarks = []
    for (y, x), note in sorted(sheet.cell_note_map.items()):
        cell = rows[y][x] if y < len(rows) and x < len(rows[y]) else ""
        reference = f"{get_column_letter(x + 1)}{y + 1}"
        at = f"{reference} ({cell[:60]})" if cell else reference
        text = one_line(note.text.removeprefix(f"{note.author}:"))
        remarks.append(f"[{note.author}] {at}: {text}" if note.author else f"{at}: {text}")
    return remarks
