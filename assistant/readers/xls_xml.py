"""Workbooks as one XML text (Excel 2003), which many programs write and name .xls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assistant.documents import Document
from assistant.errors import UnreadableFile
from assistant.readers.builder import TextBuilder
from assistant.readers.package import child, local, value
from assistant.readers.sheets import Merged, Sheet, write_sheets
from assistant.readers.xlsx import document_of
from assistant.settings import Reading

_WIDEST = 16_384


def read(path: Path, data: bytes, settings: Reading) -> Document:
    """The Document of all visible sheets; hidden ones are named in `warnings`. Raises UnreadableFile("corrupt")."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True, huge_tree=True)
    root = etree.fromstring(data, parser)
    if root is None:
        raise UnreadableFile(
            f"{path.name} cannot be read as Excel file: its structure is broken; open it in Excel and save it again.",
            "corrupt",
        )
    sheets = [element for element in root if local(element) == "Worksheet"]
    hidden = [sheet for sheet in sheets if _text(child(sheet, "WorksheetOptions", "Visible")).startswith("Sheet")]
    builder = TextBuilder()
    write_sheets(builder, [_sheet(sheet) for sheet in sheets if sheet not in hidden])
    return document_of(path, "xls", builder, {}, [value(sheet, "Name") or "" for sheet in hidden])


def _sheet(element: Any) -> Sheet:
    rows: list[list[str]] = []
    merged: list[Merged] = []
    table = child(element, "Table")
    for row in (inner for inner in (table if table is not None else ()) if local(inner) == "Row"):
        y = max(len(rows), _number(row, "Index") - 1)
        if y > 1_048_575:
            break
        rows += [[] for _ in range(y + 1 - len(rows))]
        for cell in (inner for inner in row if local(inner) == "Cell"):
            x = max(len(rows[y]), _number(cell, "Index") - 1)
            across, down = _number(cell, "MergeAcross"), _number(cell, "MergeDown")
            if x + across >= _WIDEST:
                break
            rows[y] += [""] * (x - len(rows[y])) + [_shown(child(cell, "Data"))] + [""] * across
            if across or down:
                merged.append(Merged(y, y + down + 1, x, x + across + 1))
    return Sheet(value(element, "Name") or "", rows, merged)


def _number(element: Any, name: str) -> int:
    stated = value(element, name) or ""
    return int(stated) if stated.isdigit() and len(stated) < 8 else 0


def _shown(data: Any | None) -> str:
    text = _text(data)
    if data is not None and value(data, "Type") == "DateTime":
        return text.removesuffix(".000").removesuffix("T00:00:00").replace("T", " ")
    return text


def _text(element: Any | None) -> str:
    return "".join(element.itertext()).strip() if element is not None else ""
