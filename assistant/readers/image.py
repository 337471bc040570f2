"""Pictures (PNG, JPEG, TIFF, BMP, WebP, GIF): their text by OCR, frame by frame."""

from __future__ import annotations

import io
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from assistant.documents import Document
from assistant.errors import UnreadableFile
from assistant.language import language_of
from assistant.readers import ocr
from assistant.readers.builder import TextBuilder
from assistant.readers.pdf.lines import Line, Page
from assistant.readers.pdf.margins import without_running_lines
from assistant.readers.pdf.paragraphs import write
from assistant.readers.pdf.quality import garbled
from assistant.readers.pdf.scans import MOST_IMAGE_PIXELS, blank, lines_of
from assistant.settings import Reading

LEAST_SIDE = 16
"""Pixels: a smaller picture is an icon or a line."""
_ILLEGIBLE = "is a picture in which OCR finds no legible text; if there is text in it, add a larger picture."
_POINTS = 72 / ocr.DPI
_TAKEN = 306  # EXIF: date and time of the file


def read(path: Path, data: bytes, settings: Reading) -> Document:
    """The Document of the text in the picture; `pages` counts the frames of a TIFF, of an animation only the first.

    Raises UnreadableFile: scan (settings.ocr is off, or no legible text), too_large (over 200 million pixels), corrupt.
    """
    if not settings.ocr:
        raise UnreadableFile(f"{path.name} is a picture; set reading.ocr = true to read the text in it.", "scan")
    with _opened(path.name, data) as picture:
        frames = picture.n_frames if picture.format == "TIFF" else 1
        taken = _time(str(picture.getexif().get(_TAKEN, "")))
        pages, unread = _pages(path.name, picture, frames, settings)
    builder = TextBuilder()
    write(builder, without_running_lines(pages))
    if not builder.text:
        raise UnreadableFile(f"{path.name} {_ILLEGIBLE}", "scan")
    headings = [block for block in builder.blocks if block.kind == "heading"]
    return Document(
        path=str(path),
        name=path.name,
        title=headings[0].text if headings else "",
        media="image",
        text=builder.text,
        blocks=tuple(builder.blocks),
        language=language_of(builder.text),
        pages=frames,
        modified=taken,
        warnings=(*unread, "The text was recognised from a picture and may hold errors."),
        unread=unread,
    )


def _opened(name: str, data: bytes) -> Any:
    from PIL import Image

    Image.MAX_IMAGE_PIXELS = None  # its own limit only warns; ours is asked before anything is unpacked
    try:
        picture = Image.open(io.BytesIO(data))
    except Exception as err:  # Pillow raises several classes, all of them for a picture it cannot open
        raise UnreadableFile(f"{name} cannot be read as a picture; save it again as PNG.", "corrupt") from err
    width, height = picture.size
    if width * height > MOST_IMAGE_PIXELS:
        size = f"{width} × {height} pixels"
        raise UnreadableFile(f"{name} has {size}, too many for OCR; make it smaller.", "too_large")
    if min(width, height) < LEAST_SIDE:
        raise UnreadableFile(f"{name} {_ILLEGIBLE}", "scan")
    return picture


def _pages(name: str, picture: Any, frames: int, settings: Reading) -> tuple[list[Page], tuple[str, ...]]:
    """The frames with text, and a sentence for each that could not be read."""
    stop = time.monotonic() + 60 * settings.ocr_minutes_per_file
    pages: list[Page] = []
    unread: list[str] = []
    for number in range(1, frames + 1):
        ocr.PAGE_DONE.get()()
        if time.monotonic() > stop:
            unread.append(f"Pages {number}–{frames} have not been read, because OCR took too long.")
            break
        try:
            lines = _lines(picture, number - 1, settings)
        except ocr.TooSlow as err:
            if frames == 1:
                limit = f"reading.seconds_per_ocr_page = {settings.seconds_per_ocr_page}"
                raise UnreadableFile(f"{name} took OCR longer than {limit}; raise it.", "too_slow") from err
            unread.append(f"Page {number} has not been read, because OCR took too long.")
            continue
        except (OSError, ValueError, SyntaxError, EOFError) as err:  # what Pillow raises for damaged pixels
            if frames == 1:
                raise UnreadableFile(f"{name} cannot be read as a picture; save it again as PNG.", "corrupt") from err
            unread.append(f"Page {number} has no text: they cannot be opened.")
            continue
        if lines is None:
            unread.append(f"Page {number} has no text that OCR can read.")
        else:
            pages.append(Page(number, picture.height * _POINTS, lines, picture=True, recognised=True))
    return pages, tuple(unread) if pages else ()


def _lines(picture: Any, frame: int, settings: Reading) -> tuple[Line, ...] | None:
    """The lines of a frame, () when it is blank, None when nothing on it is legible."""
    picture.seek(frame)
    pixels = _pixels(picture)
    if blank(pixels):
        return ()
    lines = lines_of(ocr.recognise(pixels, settings.seconds_per_ocr_page), _POINTS)
    if not lines or garbled("\n".join(line.text for line in lines), recognised=True):
        return None
    return lines


def _pixels(picture: Any) -> Any:
    """RGB pixels, turned as the camera says, on white where it is transparent, not more than OCR takes."""
    import numpy as np
    from PIL import Image, ImageOps

    width, height = picture.size
    scale = min(1.0, (ocr.MOST_PIXELS / (width * height)) ** 0.5)
    if scale < 1:
        picture.draft("RGB", (int(width * scale), int(height * scale)))  # JPEG: unpacks fewer pixels
    upright = ImageOps.exif_transpose(picture)
    if upright.mode in ("RGBA", "LA", "PA") or "transparency" in upright.info:
        upright = upright.convert("RGBA")
        ground = Image.new("RGBA", upright.size, "white")
        upright = Image.alpha_composite(ground, upright)
    if upright.mode.startswith("I;16") or upright.mode in ("I", "F"):
        upright = _eight_bits(upright)
    upright = upright.convert("RGB")
    if scale < 1:
        upright.thumbnail((int(upright.width * scale), int(upright.height * scale)))
    return np.asarray(upright)


def _eight_bits(picture: Any) -> Any:
    import numpy as np
    from PIL import Image

    values = np.asarray(picture, dtype=np.float32)
    low, high = float(values.min()), float(values.max())
    return Image.fromarray(((values - low) / max(1.0, high - low) * 255).astype(np.uint8))


def _time(stated: str) -> datetime | None:
    """2024:03:15 10:15:00, as cameras write it, taken for UTC."""
    try:
        return datetime.strptime(stated.strip("\0 "), "%Y:%m:%d %H:%M:%S").replace(tzinfo=UTC)
    except ValueError:
        return None
