"""What the sheets of a workbook share: their names and parts, texts, number formats."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from assistant.errors import UnreadableFile
from assistant.readers.cell_values import CHINESE_DATES, shown
from assistant.readers.package import Package, child, local, value


@dataclass(frozen=True)
class SheetPart:
    """One entry of the workbook; `part` is "" when the file has none for it."""

    name: str
    part: str
    hidden: bool


@dataclass(frozen=True)
class Format:
    """A number format, and whether it makes a number a date or a duration."""

    code: str = "General"
    is_date: bool = False
    is_duration: bool = False


class Book:
    """The workbook part and what it refers to. Raises UnreadableFile("corrupt") when there is none."""

    def __init__(self, package: Package) -> None:
        self.package = package
        root = package.part(package.document)
        if root is None:
            raise UnreadableFile(
                f"{package.name} cannot be read as Excel file: it has no document part; open it in Excel and save it "
                "again.",
                "corrupt",
            )
        self._root: Any = root
        self._formats = self._read_formats()

    def sheets(self) -> list[SheetPart]:
        """In the order of their tabs."""
        targets = self.package.related(self.package.document)
        return [
            SheetPart(
                value(sheet, "name") or "",
                targets.get(value(sheet, "id") or "", ""),
                value(sheet, "state") in ("hidden", "veryHidden"),
            )
            for sheet in self._root.iter()
            if local(sheet) == "sheet"
        ]

    @cached_property
    def texts(self) -> list[str]:
        """The texts that cells refer to by number."""
        parts = self.package.related(self.package.document, "/sharedStrings").values()
        return [text_of(entry) for part in parts for entry in self.package.elements(part, "si")]

    @cached_property
    def epoch(self) -> datetime:
        """The day from which dates are counted."""
        from openpyxl.utils.datetime import MAC_EPOCH, WINDOWS_EPOCH

        properties = child(self._root, "workbookPr")
        from_1904 = properties is not None and value(properties, "date1904") in ("1", "true")
        epoch: datetime = MAC_EPOCH if from_1904 else WINDOWS_EPOCH
        return epoch

    def format(self, style: str | None) -> Format:
        """The number format of a cell's style; the general one for a style that is not defined."""
        number = int(style) if style and style.isdigit() else 0
        return self._formats[number] if number < len(self._formats) else Format()

    def moment(self, number: float, form: Format) -> str:
        """The date or duration that a number stands for; the number when it is out of the calendar."""
        from openpyxl.utils.datetime import from_excel

        try:
            return shown(from_excel(number, self.epoch, timedelta=form.is_duration), form.code)
        except (ValueError, OverflowError):
            return shown(number)

    def _read_formats(self) -> list[Format]:
        parts = self.package.related(self.package.document, "/styles").values()
        roots = [root for part in parts if (root := self.package.part(part)) is not None]
        codes = {
            value(entry, "numFmtId"): value(entry, "formatCode") or ""
            for root in roots
            for entry in root.iter()
            if local(entry) == "numFmt"
        }
        cells = [child(root, "cellXfs") for root in roots]
        return [_format(value(xf, "numFmtId") or "0", codes) for held in cells if held is not None for xf in held]


def _format(key: str, codes: dict[str | None, str]) -> Format:
    from openpyxl.styles.numbers import BUILTIN_FORMATS, is_date_format, is_timedelta_format

    number = int(key) if key.isdigit() else 0
    code = codes.get(key) or CHINESE_DATES.get(number) or BUILTIN_FORMATS.get(number, "General")
    return Format(code, is_date_format(code), is_timedelta_format(code))


def text_of(element: Any) -> str:
    """The text of all runs below, without what only tells the pronunciation."""
    runs = (inner for inner in element.iter() if local(inner) == "t" and local(inner.getparent()) != "rPh")
    return shown("".join(run.text or "" for run in runs))
