"""The text of one slide, shape by shape."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from assistant.language import language_of
from assistant.readers.builder import TextBuilder, one_line
from assistant.readers.charts import chart_of
from assistant.readers.package import local, value

_LONGEST_TITLE = 60
_FILE_NAME = re.compile(r"\.(?:png|jpe?g|gif|bmp|emf|wmf|svg|tiff?)\b", re.IGNORECASE)


class Slide:
    """One slide. `page` from 1. After `write`: `broken` says how many shapes could not be read, `is_picture` whether
    there is a picture and no text at all; `title` is "" when it has none."""

    def __init__(self, slide: Any, page: int) -> None:
        self._slide, self.page = slide, page
        self.hidden = slide._element.get("show") in ("0", "false")
        self.title = ""
        self.broken = 0
        self.is_picture = False
        self._pictures = 0

    def write(self, builder: TextBuilder) -> None:
        """Appends title, shapes from top to bottom, notes and comments."""
        content = TextBuilder()
        title = self._title_shape()
        for shape in _ordered(self._slide.shapes):
            if title is None or shape.shape_id != title.shape_id:
                self._guarded(shape, content)
        self._alternatives(content)
        self._attached(content)
        self.title = one_line(title.text_frame.text) if title is not None else ""
        self.is_picture = bool(self._pictures) and not content.blocks and not self.title
        if not content.blocks and not self.title:
            return
        builder.add("heading", self.title or self._name(content), level=1, pages=self._pages)
        builder.add_blocks(content.blocks, content.text)

    @property
    def _pages(self) -> tuple[int, int]:
        return self.page, self.page

    def _name(self, content: TextBuilder) -> str:
        """What stands for a missing title, so that the text does not belong to the slide before."""
        return f"第 {self.page} 页" if language_of(content.text) == "zh" else f"Slide {self.page}"

    def _title_shape(self) -> Any | None:
        """The title placeholder, else the topmost text box when it is one short line among other shapes."""
        title = self._slide.shapes.title
        if title is not None and title.text_frame.text.strip():
            return title
        shapes = [shape for shape in _ordered(self._slide.shapes) if shape.has_text_frame and not _is_frame(shape)]
        first = next((shape for shape in shapes if shape.text_frame.text.strip()), None)
        if first is None or len(list(self._slide.shapes)) < 2:
            return None
        line = first.text_frame.text.strip()
        short = len(line) <= _LONGEST_TITLE and "\n" not in line and not re.search(r"[。；;，,.]$", line)
        return first if short and first is _ordered(self._slide.shapes)[0] else None

    def _guarded(self, shape: Any, builder: TextBuilder) -> None:
        try:
            self._shape(shape, builder)
        except Exception:  # one shape that python-pptx does not know does not cost the deck; the slide is named
            self.broken += 1

    def _shape(self, shape: Any, builder: TextBuilder) -> None:
        tag = local(shape._element)
        if tag == "grpSp":
            for inner in _ordered(shape.shapes):
                self._guarded(inner, builder)
        elif tag == "pic":
            self._pictures += 1
            self._described(shape, builder)
        elif shape.has_text_frame:
            if not _is_frame(shape):
                self._text(shape.text_frame._txBody, builder)
        elif shape.has_table:
            self._table(shape.table, builder)
        elif shape.has_chart:
            self._chart(shape.chart.part._element, builder)
        else:
            self._diagram(shape, builder)

    def _described(self, shape: Any, builder: TextBuilder) -> None:
        """What the author wrote about a picture; a file's name is no description."""
        about = one_line(shape._element._nvXxPr.cNvPr.get("descr") or "")
        if about and not _FILE_NAME.search(about):
            builder.add("caption", about, pages=self._pages)

    def _text(self, body: Any, builder: TextBuilder) -> None:
        """Paragraphs; several short ones in a row are the points of a list."""
        lines = [(_level(p), _line(p)) for p in body if local(p) == "p"]
        lines = [(level, line) for level, line in lines if line]
        if len(lines) == 1:
            builder.add("paragraph", lines[0][1], pages=self._pages)
        elif lines:
            builder.add("list", "\n".join(f"{'  ' * level}- {line}" for level, line in lines), pages=self._pages)

    def _table(self, table: Any, builder: TextBuilder) -> None:
        """A cell over several columns stands once, one over several rows in each of them."""
        rows: list[list[str]] = []
        for y, row in enumerate(table.rows):
            texts = []
            for x, cell in enumerate(row.cells):
                text = one_line(cell.text_frame.text)
                if cell.is_spanned and value(cell._tc, "vMerge") in ("1", "true") and y and x < len(rows[-1]):
                    text = rows[-1][x]
                texts.append(text)
            rows.append(texts)
        builder.add_table(rows, header_rows=1, pages=self._pages)

    def _chart(self, space: Any, builder: TextBuilder) -> None:
        chart = chart_of(space)
        if chart.title:
            builder.add("caption", chart.title, pages=self._pages)
        builder.add_table(chart.rows, header_rows=1, pages=self._pages)

    def _diagram(self, shape: Any, builder: TextBuilder) -> None:
        """SmartArt keeps its texts in a part of its own."""
        for element in shape._element.iter():
            if local(element) == "relIds" and (key := value(element, "dm")):
                data = _root(shape.part.related_part(key))
                for line in filter(None, (_line(p) for p in data.iter() if local(p) == "t" and len(p))):
                    builder.add("list", f"- {line}", pages=self._pages)

    def _alternatives(self, builder: TextBuilder) -> None:
        """What stands in a file once for new and once for old programs, and python-pptx passes over."""
        for element in self._slide.shapes._spTree.iter():
            if local(element) == "AlternateContent":
                texts = [[line for p in part.iter() if local(p) == "p" and (line := _line(p))] for part in element]
                builder.add("paragraph", "\n".join(next(filter(None, texts), [])), pages=self._pages)

    def _attached(self, builder: TextBuilder) -> None:
        if self._slide.has_notes_slide and (frame := self._slide.notes_slide.notes_text_frame) is not None:
            for line in map(_line, frame._txBody.iter("{*}p")):
                builder.add("paragraph", line, pages=self._pages)
        for author, text in _comments(self._slide.part):
            builder.add("paragraph", f"[{author}] {text}" if author else text, pages=self._pages)


def _ordered(shapes: Any) -> list[Any]:
    """From top to bottom, then from left to right; those without a place stay where they are among the first."""
    return sorted(shapes, key=_place)


def _place(shape: Any) -> tuple[int, int]:
    try:
        return shape.top or 0, shape.left or 0
    except (AttributeError, NotImplementedError, ValueError):
        return 0, 0


def _is_frame(shape: Any) -> bool:
    """Whether it is date, footer or page number, the same on every slide."""
    from pptx.enum.shapes import PP_PLACEHOLDER as KIND

    return shape.is_placeholder and shape.placeholder_format.type in (KIND.DATE, KIND.FOOTER, KIND.SLIDE_NUMBER)


def _line(paragraph: Any) -> str:
    """The text of a paragraph; a line break in it is a line end that does not matter."""
    texts = []
    for element in paragraph.iter():
        tag = local(element)
        texts.append((element.text or "") if tag == "t" else "\n" if tag == "br" else "")
    return one_line("".join(texts))


def _level(paragraph: Any) -> int:
    stated = next((value(p, "lvl") for p in paragraph if local(p) == "pPr"), None)
    return min(8, int(stated)) if stated and stated.isdigit() else 0


def _root(part: Any) -> Any:
    from lxml import etree

    return etree.fromstring(part.blob, etree.XMLParser(resolve_entities=False, no_network=True, recover=True))


def _comments(part: Any) -> Iterator[tuple[str, str]]:
    """Author and text of the comments on a slide, in the form before and since 2021."""
    for rel in part.rels.values():
        if rel.is_external or not rel.reltype.endswith("/comments"):
            continue
        authors = _authors(part.package)
        for comment in _root(rel.target_part):
            text = " ".join(filter(None, (_line(p) for p in comment.iter() if local(p) == "p")))
            text = text or one_line("".join(t.text or "" for t in comment.iter() if local(t) == "text"))
            if text:
                yield authors.get(value(comment, "authorId") or "", ""), text


def _authors(package: Any) -> dict[str, str]:
    found = {}
    for rel in package.main_document_part.rels.values():
        if not rel.is_external and rel.reltype.endswith(("/commentAuthors", "/authors")):
            for author in _root(rel.target_part):
                found[value(author, "id") or ""] = value(author, "name") or ""
    return found
