"""The walk over OpenDocument text: headings, paragraphs, lists, tables, text boxes, notes, comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from assistant.readers.builder import TextBuilder, one_line
from assistant.readers.odf.styles import Styles
from assistant.readers.odf.tables import cells_of, count, header_rows, repeated, rows_of
from assistant.readers.package import child, local, value

# Not what a reader of the page sees: deleted text, the table of contents, forms, pronunciation marks, sequences
_UNSEEN = frozenset(
    re.findall(
        r"[\w-]+",
        """tracked-changes table-of-content illustration-index table-index alphabetical-index forms sequence-decls
        variable-decls user-field-decls ruby-text script event-listeners title desc shapes notes""",
    )
)
_BREAKS = {"tab": " ", "line-break": "\n"}
_ATTACHED = ("note", "annotation", "text-box", "table", "list")


class Body:
    """Writes what an element holds into a builder; `pages` is put on every block."""

    def __init__(self, builder: TextBuilder, styles: Styles, pages: tuple[int, int] | None = None) -> None:
        self._builder, self._styles, self._pages = builder, styles, pages
        self._shift = 0

    def write(self, element: Any) -> None:
        """Appends everything below the element; headings go one level down when the text has a title."""
        paragraphs = (e for e in element.iter() if local(e) == "p" and self._text(e).strip())
        self._shift = int(any(self._styles.title_level(value(p, "style-name")) == 1 for p in paragraphs))
        self.inside(element)

    def inside(self, element: Any) -> None:
        """Appends everything below the element."""
        for inner in element:
            tag = local(inner)
            if tag == "h":
                self._heading(inner)
            elif tag == "p":
                self._paragraph(inner)
            elif tag == "list":
                self._list(inner, 1, value(inner, "style-name"))
            elif tag == "table":
                self._table(inner)
            elif tag == "annotation":
                self._comment(inner)
            elif tag == "section" and value(inner, "display") == "none":
                continue
            elif tag and tag not in _UNSEEN:  # sections, frames, groups: what they hold
                self.inside(inner)

    def _heading(self, heading: Any) -> None:
        stated = value(heading, "outline-level") or ""
        level = (int(stated) if stated.isdigit() else 1) + self._shift
        self._builder.add("heading", one_line(self._text(heading)), level=max(1, min(6, level)), pages=self._pages)
        self._attached(heading)

    def _paragraph(self, paragraph: Any) -> None:
        level = self._styles.title_level(value(paragraph, "style-name"))
        text = self._text(paragraph)
        if level and len(text) <= 200:
            self._builder.add("heading", one_line(text), level=level, pages=self._pages)
        else:
            self._builder.add("paragraph", text, pages=self._pages)
        self._attached(paragraph)

    def _list(self, element: Any, level: int, style: str | None) -> None:
        numbered = self._styles.numbered(style, level)
        start = 0
        for item in element:
            if local(item) not in ("list-item", "list-header"):
                continue
            start += local(item) == "list-item"
            mark = "  " * (level - 1) + (f"{start}. " if numbered else "- ")
            self._item(item, mark, level, style)

    def _item(self, item: Any, mark: str, level: int, style: str | None) -> None:
        texts = [inner for inner in item if local(inner) in ("p", "h")]
        if [local(inner) for inner in texts] == ["h"]:  # numbered headings stand in lists
            self._heading(texts[0])
        else:
            text = "\n".join(filter(None, (self._text(inner).strip() for inner in texts)))
            if text:
                self._builder.add("list", mark.strip() + " " + text if level == 1 else mark + text, pages=self._pages)
            for inner in texts:
                self._attached(inner)
        for inner in item:
            if local(inner) == "list":
                self._list(inner, level + 1, value(inner, "style-name") or style)
            elif local(inner) == "table":
                self._table(inner)

    def _table(self, table: Any) -> None:
        """Rows of cells; a cell over several columns stands once, one over several rows in each of them."""
        rows = [[cell for cell in cells_of(row) for _ in range(repeated(cell, "columns"))] for row in rows_of(table)]
        if max(map(len, rows), default=0) <= 1:  # a frame around ordinary text
            for cell in (cell for row in rows for cell in row):
                self.inside(cell)
            return
        held: dict[int, str] = {}
        texts = [list(self._row(row, held)) for row in rows]
        self._builder.add_table(texts, header_rows=max(1, header_rows(table)), pages=self._pages)
        for cell in (cell for row in rows for cell in row):
            for part in cell:
                self._attached(part)

    def _row(self, row: list[Any], held: dict[int, str]) -> Iterator[str]:
        wide = 0
        for column, cell in enumerate(row):
            if local(cell) == "covered-table-cell":
                if not wide and column in held:
                    yield held[column]
                wide = max(0, wide - 1)
                continue
            text = one_line("\n".join(self._text(p) for p in cell if local(p) in ("p", "h", "list")))
            wide = count(value(cell, "number-columns-spanned")) - 1
            if count(value(cell, "number-rows-spanned")) > 1:
                held[column] = text
            else:
                held.pop(column, None)
            yield text

    def _attached(self, element: Any) -> None:
        """What hangs on a paragraph: text boxes and their tables, then notes and comments."""
        for inner in element:
            tag = local(inner)
            if tag == "note":
                body = child(inner, "note-body")
                if body is not None:
                    self.inside(body)
            elif tag == "annotation":
                self._comment(inner)
            elif tag == "text-box":
                self.inside(inner)
            elif tag and tag not in _UNSEEN:
                self._attached(inner)

    def _comment(self, annotation: Any) -> None:
        author = next((e.text or "" for e in annotation if local(e) == "creator"), "")
        text = " ".join(filter(None, (one_line(self._text(e)) for e in annotation if local(e) in ("p", "list"))))
        self._builder.add("paragraph", f"[{author}] {text}" if author and text else text, pages=self._pages)

    def _text(self, element: Any) -> str:
        """The visible text of a paragraph without what hangs on it."""
        return "".join(text_of(element, self._styles))


def text_of(element: Any, styles: Styles) -> Iterator[str]:
    """The pieces of text below an element in order; white space counts as one space, as the format says."""
    if element.text:
        yield " ".join(element.text.split("\n"))
    for inner in element:
        tag = local(inner)
        if tag == "s":
            yield " " * min(100, count(value(inner, "c")))
        elif tag in _BREAKS:
            yield _BREAKS[tag]
        elif (
            tag and tag not in _UNSEEN and tag not in _ATTACHED and tag != "hidden-text" and not _hidden(inner, styles)
        ):
            yield from text_of(inner, styles)
        if inner.tail:
            yield " ".join(inner.tail.split("\n"))


def _hidden(element: Any, styles: Styles) -> bool:
    return local(element) == "span" and styles.hidden(value(element, "style-name"))
