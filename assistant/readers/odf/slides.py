"""Slides and drawings of OpenDocument: title first, then texts and tables, then the speaker's notes."""

from __future__ import annotations

from typing import Any

from assistant.readers.builder import TextBuilder, one_line
from assistant.readers.odf.body import Body, text_of
from assistant.readers.odf.styles import Styles
from assistant.readers.package import local, value

_NO_TEXT = frozenset(["page", "handout", "header", "footer", "date-time", "page-number"])


def write_slides(builder: TextBuilder, body: Any, styles: Styles) -> int:
    """Appends the slides that are shown, each with its number (from 1); the number of all slides comes back."""
    slides = [page for page in body if local(page) == "page"]
    for number, slide in enumerate(slides, start=1):
        if not styles.hidden(value(slide, "style-name")):
            _write(builder, slide, styles, (number, number))
    return len(slides)


def _write(builder: TextBuilder, slide: Any, styles: Styles, pages: tuple[int, int]) -> None:
    shapes = [shape for shape in slide if local(shape) not in ("notes", "forms")]
    titles = [shape for shape in shapes if value(shape, "class") == "title"]
    title = " ".join(filter(None, (one_line(_all_text(shape, styles)) for shape in titles)))
    builder.add("heading", title, level=1, pages=pages)
    writer = Body(builder, styles, pages)
    writer.inside([shape for shape in shapes if shape not in titles and value(shape, "class") not in _NO_TEXT])
    for notes in (shape for shape in slide if local(shape) == "notes"):
        writer.inside([shape for shape in notes if value(shape, "class") not in _NO_TEXT])


def _all_text(shape: Any, styles: Styles) -> str:
    return "\n".join("".join(text_of(p, styles)) for p in shape.iter() if local(p) == "p")
