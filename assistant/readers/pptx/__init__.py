"""PowerPoint (.pptx): one slide is one page."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assistant.documents import Document
from assistant.language import language_of
from assistant.readers.builder import TextBuilder
from assistant.readers.front_matter import date_of
from assistant.readers.package import Package
from assistant.readers.pptx.slide import Slide
from assistant.readers.questions import fold
from assistant.settings import Reading


def read(path: Path, data: bytes, settings: Reading) -> Document:
    """The Document of the slides: titles, texts, tables, figures of charts, notes and comments, each with its page.

    Hidden slides are left out and named in `warnings`; slides that are only a picture, and slides with a part that
    cannot be read, in `unread`. Raises UnreadableFile: corrupt, too_large (it would unpack to far more than its size).
    """
    package = Package(path.name, data, "PowerPoint")
    slides = [Slide(slide, n) for n, slide in enumerate(_slides(data), start=1)]
    builder = TextBuilder()
    shown = [slide for slide in slides if not slide.hidden]
    for slide in shown:
        slide.write(builder)
    properties = package.properties()
    text = builder.text
    titles = [slide.title for slide in shown if slide.title]
    unread = _unread(shown)
    return Document(
        path=str(path),
        name=path.name,
        title=titles[0] if titles else properties.get("title", ""),
        media="pptx",
        text=text,
        blocks=tuple(fold(text, builder.blocks)),
        language=language_of(text),
        pages=len(slides),
        modified=date_of(properties),
        meta=properties,
        warnings=(*_named([slide.page for slide in slides if slide.hidden], "hidden and left out."), *unread),
        unread=unread,
    )


def _slides(data: bytes) -> Sequence[Any]:
    from pptx import Presentation

    return list(Presentation(io.BytesIO(data)).slides)


def _unread(slides: Sequence[Slide]) -> tuple[str, ...]:
    pictures = [slide.page for slide in slides if slide.is_picture]
    broken = [slide.page for slide in slides if slide.broken]
    return (
        *_named(pictures, "without text: pictures that need OCR."),
        *_named(broken, "with an object that cannot be read."),
    )


def _named(pages: Sequence[int], what: str) -> tuple[str, ...]:
    slides = "Slide" if len(pages) == 1 else "Slides"
    return (f"{slides} {', '.join(map(str, pages))}: {what}",) if pages else ()
