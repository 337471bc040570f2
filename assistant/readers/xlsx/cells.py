"""The cells of one sheet as texts, in one pass over its part."""

from __future__ import annotations

import re
from typing import Any

from assistant.readers.cell_values import shown
from assistant.readers.package import local, value
from assistant.readers.sheets import Merged
from assistant.readers.xlsx.book import Book, text_of

REFERENCE = re.compile(r"\$?([A-Z]{1,3})\$?(\d{1,7})(?::\$?([A-Z]{1,3})\$?(\d{1,7}))?")


class Cells:
    """`rows` up to the last cell that holds text; the size that the file states is not believed.

    `uncounted`: formulas whose value the file does not hold, because nothing has calculated them.
    """

    def __init__(self, book: Book, part: str) -> None:
        self._book = book
        self.rows: list[list[str]] = []
        self.merged: list[Merged] = []
        self.uncounted = 0
        for element in book.package.elements(part, "row", "mergeCell"):
            if local(element) == "row":
                self._row(element)
            else:
                self.merged += _merged(value(element, "ref") or "")
        while self.rows and not self.rows[-1]:
            self.rows.pop()

    def _row(self, element: Any) -> None:
        stated = element.get("r") or ""
        y = int(stated) - 1 if stated.isdigit() else len(self.rows)
        if not len(self.rows) <= y < 1_048_576:  # out of order or off the sheet
            y = len(self.rows)
        texts: list[str] = []
        for cell in element:
            text = self._text(cell)
            if text:
                found = REFERENCE.fullmatch(cell.get("r") or "")
                x = column_of(found[1]) if found else len(texts)
                texts += [""] * (x + 1 - len(texts))
                texts[x] = text
            elif not cell.get("r"):
                texts.append("")
        if any(texts):
            self.rows += [[] for _ in range(y - len(self.rows))]
            self.rows.append(texts)

    def _text(self, cell: Any) -> str:
        kind, held, formula, inline = cell.get("t"), None, False, None
        for inner in cell:
            tag = inner.tag.rpartition("}")[2] if isinstance(inner.tag, str) else ""
            if tag == "v":
                held = inner.text
            elif tag == "f":
                formula = True
            elif tag == "is":
                inline = inner
        if inline is not None:
            return text_of(inline)
        if held is None:
            self.uncounted += formula and kind != "str"
            return ""
        return self._shown(held, kind, cell.get("s"))

    def _shown(self, held: str, kind: str | None, style: str | None) -> str:
        if kind == "s":
            texts = self._book.texts
            return texts[int(held)] if held.strip().isdigit() and int(held) < len(texts) else ""
        if kind == "b":
            return shown(held.strip() == "1")
        if kind == "d":  # ISO 8601, in strict files
            return held.strip().removesuffix("T00:00:00").replace("T", " ")
        if kind in ("str", "e", "inlineStr"):
            return shown(held)
        form = self._book.format(style)
        try:
            number = float(held)
        except ValueError:
            return shown(held)
        if form.is_date or form.is_duration:
            return self._book.moment(number, form)
        return shown(number, form.code)


def _merged(reference: str) -> list[Merged]:
    found = REFERENCE.fullmatch(reference)
    if not found or not found[3]:
        return []
    return [Merged(int(found[2]) - 1, int(found[4]), column_of(found[1]), column_of(found[3]) + 1)]


def column_of(letters: str) -> int:
    """The column of these letters, from 0: A is 0, AA is 26."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1
