"""The text of one slide."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from assistant.errors import UnreadableFile
from assistant.language import language_of
from assistant.readers.builder import TextBuilder, one_line
from assistant.readers.charts import chart_of
from assistant.readers.package import Package, child, local, value
from assistant.readers.pptx.shapes import line, lines_of, placeholder, places_of, shapes_of

_LONGEST_TITLE = 60
_FILE_NAME = re.compile(r"\.(?:png|jpe?g|gif|bmp|emf|wmf|svg|tiff?)\b", re.IGNORECASE)


class Slide:
    """One slide; `page` from 1.

    After `write`: `title` ("" when it has none), `broken` (there is something on it that cannot be read) and
    `is_picture` (there is a picture and no text at all).
    """

    def __init__(self, package: Package, part: str, page: int) -> None:
        self._package, self._part, self.page = package, part, page
        self.title = ""
        self.is_picture = False
        try:
            self._root = package.part(part)
        except UnreadableFile:  # one damaged slide does not cost the deck; it is named
            self._root = None
        self.broken = self._root is None or part in package.damaged
        self.hidden = self._root is not None and self._root.get("show") in ("0", "false")

    def write(self, builder: TextBuilder) -> None:
        """Appends the title, the shapes from top to bottom, notes and comments."""
        if self._root is None:
            return
        content = TextBuilder()
        shapes = self._shapes()
        title = _title_of(shapes)
        for shape in shapes:
            if shape is not title:
                self._shape(shape, content)
        self._attached(content)
        self.title = " ".join(text for _, text in lines_of(child(title, "txBody"))) if title is not None else ""
        self.is_picture = not content.blocks and not self.title and any(local(shape) == "pic" for shape in shapes)
        if content.blocks or self.title:
            builder.add("heading", self.title or self._name(content), level=1, pages=self._pages)
            builder.add_blocks(content.blocks, content.text)

    @property
    def _pages(self) -> tuple[int, int]:
        return self.page, self.page

    def _shapes(self) -> list[Any]:
        tree = child(self._root, "cSld", "spTree")
        found = shapes_of(tree, places_of(self._package, self._part)) if tree is not None else ()
        # date, footer and number are the same on every slide
        return [shape for shape in found if placeholder(shape) not in ("dt", "ftr", "sldNum")]

    def _name(self, content: TextBuilder) -> str:
        """What stands for a missing title, so that the text does not belong to the slide before."""
        return f"第 {self.page} 页" if language_of(content.text) == "zh" else f"Slide {self.page}"

    def _shape(self, shape: Any, builder: TextBuilder) -> None:
        if local(shape) == "pic":
            self._described(shape, builder)
        elif local(shape) == "graphicFrame":
            self._frame(shape, builder)
        elif (body := child(shape, "txBody")) is not None:
            self._text(body, builder)

    def _described(self, picture: Any, builder: TextBuilder) -> None:
        """What the author wrote about a picture; a file's name is no description."""
        properties = child(picture, "nvPicPr", "cNvPr")
        about = one_line(value(properties, "descr") or "") if properties is not None else ""
        if not _FILE_NAME.search(about):
            builder.add("caption", about, pages=self._pages)

    def _text(self, body: Any, builder: TextBuilder) -> None:
        """One paragraph as such, several as the points of a list."""
        lines = lines_of(body)
        if len(lines) == 1:
            builder.add("paragraph", lines[0][1], pages=self._pages)
        else:
            builder.add("list", "\n".join(f"{'  ' * level}- {text}" for level, text in lines), pages=self._pages)

    def _frame(self, frame: Any, builder: TextBuilder) -> None:
        """A table, a chart, or a diagram, whose texts stand in a part of its own."""
        parts = self._package.related(self._part)
        for element in frame.iter():
            if local(element) == "tbl":
                self._table(element, builder)
            elif local(element) == "chart":
                self._chart(parts.get(value(element, "id") or "", ""), builder)
            elif local(element) == "relIds":
                self._diagram(parts.get(value(element, "dm") or "", ""), builder)

    def _table(self, table: Any, builder: TextBuilder) -> None:
        """A cell over several columns stands once, one over several rows in each of them."""
        rows: list[list[str]] = []
        for row in (element for element in table if local(element) == "tr"):
            texts: list[str] = []
            for cell in (element for element in row if local(element) == "tc"):
                text = " ".join(text for _, text in lines_of(child(cell, "txBody")) if text)
                goes_on = value(cell, "vMerge") in ("1", "true") and rows and len(texts) < len(rows[-1])
                texts.append(rows[-1][len(texts)] if goes_on else text)
            rows.append(texts)
        builder.add_table(rows, header_rows=1, pages=self._pages)

    def _chart(self, part: str, builder: TextBuilder) -> None:
        space = self._package.part(part)
        chart = chart_of(space) if space is not None else None
        if chart is None or not chart.rows:
            self.broken = True
        if chart:
            builder.add("caption", chart.title, pages=self._pages)
            builder.add_table(chart.rows, header_rows=1, pages=self._pages)

    def _diagram(self, part: str, builder: TextBuilder) -> None:
        data = self._package.part(part)
        bodies = [e for e in data.iter() if local(e) == "t" and len(e)] if data is not None else []
        points = [text for body in bodies for _, text in lines_of(body)]
        builder.add("list", "\n".join(f"- {text}" for text in points), pages=self._pages)

    def _attached(self, builder: TextBuilder) -> None:
        for part in self._package.related(self._part, "/notesSlide").values():
            notes = self._package.part(part)
            for shape in notes.iter() if notes is not None else ():
                if local(shape) == "sp" and placeholder(shape).startswith("body"):
                    for _, text in lines_of(child(shape, "txBody")):
                        builder.add("paragraph", text, pages=self._pages)
        for author, text in _comments(self._package, self._part):
            builder.add("paragraph", f"[{author}] {text}" if author else text, pages=self._pages)


def _title_of(shapes: list[Any]) -> Any | None:
    """The title placeholder, else the topmost shape when it is one short line above others."""
    for shape in shapes:
        if placeholder(shape) in ("title", "ctrTitle") and lines_of(child(shape, "txBody")):
            return shape
    lines = lines_of(child(shapes[0], "txBody")) if len(shapes) > 1 else []
    if len(lines) != 1 or len(lines[0][1]) > _LONGEST_TITLE or re.search(r"[。；;，,.：:]$", lines[0][1]):
        return None
    return shapes[0]


def _comments(package: Package, slide: str) -> Iterator[tuple[str, str]]:
    """Author and text of the comments on a slide, in the form before and since 2021."""
    authors = _authors(package)
    for part in package.related(slide, "/comments").values():
        root = package.part(part)
        for comment in root if root is not None else ():
            text = " ".join(filter(None, (line(p) for p in comment.iter() if local(p) == "p")))
            text = text or one_line("".join(t.text or "" for t in comment.iter() if local(t) == "text"))
            if text:
                yield authors.get(value(comment, "authorId") or "", ""), text


def _authors(package: Package) -> dict[str, str]:
    found = {}
    related = package.related(package.document, "/commentAuthors") | package.related(package.document, "/authors")
    for part in related.values():
        root = package.part(part)
        for author in root if root is not None else ():
            found[value(author, "id") or ""] = value(author, "name") or ""
    return found
