"""PowerPoint (.pptx): one slide is one page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assistant.documents import Document
from assistant.errors import UnreadableFile
from assistant.language import language_of
from assistant.readers.builder import TextBuilder
from assistant.readers.front_matter import date_of
from assistant.readers.package import Package, local
from assistant.readers.pptx.slide import Slide
from assistant.readers.questions import fold
from assistant.settings import Reading


def read(path: Path, data: bytes, settings: Reading) -> Document:
    """The Document of the slides: titles, texts, tables, figures of charts, notes and comments, each with its page.

    Hidden slides are read and named in `warnings` (they are kept for a later talk); slides that are only a picture, and
    slides with a part that cannot be read, in `unread`. Raises UnreadableFile: corrupt, too_large (it would unpack to
    far more than its size).
    """
    package = Package(path.name, data, "PowerPoint")
    slides = [Slide(package, part, n) for n, part in enumerate(_slides(package), start=1)]
    builder = TextBuilder()
    for slide in slides:
        slide.write(builder)
    properties = package.properties()
    text = builder.text
    titles = [slide.title for slide in slides if slide.title]
    unread = _unread(slides)
    hidden = [slide.page for slide in slides if slide.hidden]
    if not text and any(slide.is_picture for slide in slides):
        raise UnreadableFile(
            f"{path.name} consists of pictures of pages; recognise the text with an OCR program first.", "scan"
        )
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
        warnings=(*_named(hidden, "hidden in the presentation, and read."), *unread),
        unread=unread,
    )


def _slides(package: Package) -> list[str]:
    """The parts of the slides in the order in which they are shown; "" for one that is not there."""
    root = package.part(package.document)
    if root is None:
        raise UnreadableFile(
            f"{package.name} cannot be read as PowerPoint file: it has no document part; open it in PowerPoint and "
            "save it again.",
            "corrupt",
        )
    targets = package.related(package.document)
    return [targets.get(_reference(slide), "") for slide in root.iter() if local(slide) == "sldId"]


def _reference(slide: Any) -> str:
    """A slide has two ids; the one in a namespace refers to its part."""
    return next((text for key, text in slide.attrib.items() if key.endswith("}id")), "")


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
