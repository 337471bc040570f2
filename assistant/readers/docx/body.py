"""The walk over a Word document: paragraphs, tables, text boxes, notes, comments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from assistant.documents import BlockKind
from assistant.readers.builder import TextBuilder, one_line
from assistant.readers.docx.styles import Numbering, Style, numbering_of, styles_of
from assistant.readers.headings import level_of_numbered
from assistant.readers.package import Package, child, local, switched_on, value

# Deleted and moved-away text, field codes, pronunciation marks, properties: not what a reader sees
_UNSEEN = frozenset(
    ["del", "moveFrom", "delText", "instrText", "rt", "pPr", "rPr", "sdtPr", "tcPr", "trPr", "tblPr", "rPrChange"]
)
_BREAKS = {"tab": " ", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "ptab": " "}
_NOTES = {"footnoteReference": "footnotes.xml", "endnoteReference": "endnotes.xml", "commentReference": "comments.xml"}


class Body:
    """Writes a document's blocks into a builder, in document order."""

    def __init__(self, package: Package, builder: TextBuilder) -> None:
        self._package, self._builder = package, builder
        self._styles = styles_of(package)
        self._numbering = Numbering(package)
        self._notes = {part: self._entries(part) for part in _NOTES.values()}
        self._shift = 0

    def write(self) -> None:
        """Appends the whole document."""
        body = self._package.body()
        titled = [p for p in body if local(p) == "p" and self._style(p).level == 0 and _plain(self._text(p))]
        self._shift = 1 if titled else 0
        self._blocks(body)

    def _entries(self, part: str) -> dict[str, Any]:
        """Notes or comments by id, without Word's separator lines."""
        root = self._package.beside(part)
        entries = root if root is not None else ()
        return {value(e, "id") or "": e for e in entries if value(e, "type") in (None, "normal")}

    def _blocks(self, container: Any) -> None:
        for element in container:
            tag = local(element)
            if tag == "p":
                self._paragraph(element)
            elif tag == "tbl":
                self._table(element)
            elif tag == "AlternateContent":
                self._blocks(_alternative(element))
            elif tag not in _UNSEEN:  # content controls, custom XML, insertions: what they hold
                self._blocks(element)

    def _paragraph(self, paragraph: Any) -> None:
        style = self._style(paragraph)
        text = self._text(paragraph)
        if _plain(text) and not style.contents:
            numbering = numbering_of(child(paragraph, "pPr"), style.numbering)
            number = self._numbering.next(*numbering) if numbering else ""
            kind, level = self._kind(paragraph, style, text, number)
            shown = f"{number} {text.strip()}" if number and not (number == "-" and kind == "heading") else text
            self._builder.add(kind, one_line(shown) if kind == "heading" else shown, level=level)
        self._attached(paragraph)

    def _attached(self, element: Any) -> None:
        """What hangs on a paragraph: text boxes, then notes and comments."""
        for found in _seen(element):
            tag = local(found)
            if tag == "txbxContent":
                self._blocks(found)
            elif tag in _NOTES and (entry := self._notes[_NOTES[tag]].get(value(found, "id") or "")) is not None:
                author = value(entry, "author") if tag == "commentReference" else None
                text = " ".join(filter(None, (_plain(self._text(p)) for p in entry.iter() if local(p) == "p")))
                self._builder.add("paragraph", f"[{author}] {text}" if author and text else text)

    def _style(self, paragraph: Any) -> Style:
        named = child(paragraph, "pPr", "pStyle")
        style = self._styles.get(value(named) or "", Style()) if named is not None else Style()
        outline = child(paragraph, "pPr", "outlineLvl")
        stated = int(value(outline) or 9) if outline is not None else 9
        return Style(style.name, min(6, stated + 1), style.numbering) if stated < 9 and style.level is None else style

    def _kind(self, paragraph: Any, style: Style, text: str, number: str) -> tuple[BlockKind, int]:
        if style.level is not None and len(text) <= 200:
            return "heading", max(1, min(6, style.level + self._shift))
        line = _plain(text)
        bold = _bold(paragraph) or style.bold
        level = level_of_numbered(f"{number} {line}" if number and number != "-" else line)
        if level and (bold or re.match(r"第\s*\S{1,6}\s*[编篇部卷章节]", line)):
            return "heading", level
        if bold and not number and len(line) <= 40 and not re.search(r"[。；，,;.:：!?！？]$", line):
            return "heading", 6
        return ("list" if number else "paragraph"), 0

    def _text(self, element: Any) -> str:
        """The visible text of a paragraph without its text boxes."""
        return "".join(self._pieces(element))

    def _pieces(self, element: Any) -> Iterator[str]:
        for inner in element:
            tag = local(inner)
            if tag == "t":
                yield inner.text or ""
            elif tag in _BREAKS:
                yield _BREAKS[tag]
            elif tag == "AlternateContent":
                yield from self._pieces(_alternative(inner))
            elif tag in _UNSEEN or tag in ("txbxContent", "tbl") or (tag == "r" and self._hidden(inner)):
                continue
            else:
                yield from self._pieces(inner)

    def _hidden(self, run: Any) -> bool:
        if switched_on(child(run, "rPr", "vanish")):
            return True
        named = child(run, "rPr", "rStyle")
        return named is not None and self._styles.get(value(named) or "", Style()).hidden

    def _table(self, table: Any) -> None:
        """Rows of cells; a cell over several columns stands once, one over several rows in each of them."""
        rows, held, nested, attached = [], dict[int, str](), list[Any](), list[Any]()
        elements = [row for row in _children(table, "tr") if child(row, "trPr", "del") is None]
        cells = [list(_children(row, "tc")) for row in elements]
        if max(map(len, cells), default=0) <= 1:  # a frame around ordinary text
            for cell in (cell for row in cells for cell in row):
                self._blocks(cell)
            return
        for element, row in zip(elements, cells, strict=True):
            texts, column = [], int(_number(child(element, "trPr", "gridBefore"), 0))
            for cell in row:
                merged = child(cell, "tcPr", "vMerge")
                if merged is None or value(merged) == "restart":
                    held[column] = self._cell(cell)
                texts.append(held.get(column, ""))
                column += int(_number(child(cell, "tcPr", "gridSpan"), 1))
                nested += _children(cell, "tbl")
                attached.append(cell)
            rows.append(texts)
        headers = sum(child(row, "trPr", "tblHeader") is not None for row in elements[:4])
        self._builder.add_table(rows, header_rows=max(1, headers))
        for inner in nested:
            self._table(inner)
        for cell in attached:
            self._attached(cell)

    def _cell(self, cell: Any) -> str:
        lines = [one_line(self._text(p)) for p in _children(cell, "p")]
        return " ".join(line for line in lines if line)


def _children(element: Any, tag: str) -> Iterator[Any]:
    """Children of this tag, looked for through content controls and insertions too."""
    for inner in element:
        if local(inner) == tag:
            yield inner
        elif local(inner) in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag"):
            yield from _children(inner, tag)


def _seen(element: Any) -> Iterator[Any]:
    """Every element below, alternatives once, deletions left out; not into text boxes and nested tables."""
    for inner in element:
        tag = local(inner)
        if tag in _UNSEEN or tag == "tbl":
            continue
        yield inner
        if tag != "txbxContent":
            yield from _seen(_alternative(inner) if tag == "AlternateContent" else inner)


def _alternative(element: Any) -> Any:
    """The first alternative that holds text: a text box stands in the file once for new and once for old programs."""
    choices: Iterable[Any] = [inner for inner in element if local(inner) in ("Choice", "Fallback")]
    for choice in choices:
        if any(local(inner) == "t" and inner.text for inner in choice.iter()):
            return choice
    return ()


def _bold(paragraph: Any) -> bool:
    runs = [run for run in _children(paragraph, "r") if any(local(t) == "t" and (t.text or "").strip() for t in run)]
    return bool(runs) and all(switched_on(child(run, "rPr", "b")) for run in runs)


def _number(element: Any | None, default: int) -> int:
    stated = value(element) if element is not None else None
    return int(stated) if stated and stated.isdigit() else default


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()
