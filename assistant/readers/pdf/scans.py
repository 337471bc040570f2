"""Pages without a usable text layer, read by OCR: one page at a time, everything else in the document stays."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from assistant.readers import ocr
from assistant.readers.ocr import Seen
from assistant.readers.pdf.lines import Line, Page, clean
from assistant.settings import Reading

MOST_IMAGE_PIXELS = 200_000_000
"""In one picture of a page: unpacking more costs gigabytes (a JBIG2 of a few bytes can claim 10 billion)."""

Outcome = Literal["read", "blank", "illegible", "slow", "late", "large", "broken"]

_INK_HEIGHT = 0.72
"""Type size over the height of the engine's box, which stands a little off the letters (measured at 9–40 points)."""
_SAME_SIZE = 0.22
_BLANK_SHARE = 0.0001
_SLOW_IN_A_ROW = 2


@dataclass(frozen=True)
class Recognised:
    """Pages with the text that OCR found, and what came of each page that it looked at, by its number."""

    pages: tuple[Page, ...]
    outcomes: dict[int, Outcome]

    def numbers(self, *outcomes: Outcome) -> list[int]:
        return [number for number, outcome in self.outcomes.items() if outcome in outcomes]


def recognised(pdf: Any, pages: Sequence[Page], settings: Reading) -> Recognised:
    """The pages, those that show a picture and have no text read by OCR, as far as settings.ocr and its time allow."""
    outcomes: dict[int, Outcome] = {}
    if not settings.ocr:
        return Recognised(tuple(pages), outcomes)
    stop = time.monotonic() + 60 * settings.ocr_minutes_per_file
    slow = 0
    done: list[Page] = []
    for page in pages:
        if page.lines or page.tables or not page.picture:
            done.append(page)
            continue
        ocr.PAGE_DONE.get()()
        late = time.monotonic() > stop or slow >= _SLOW_IN_A_ROW
        lines, outcome = ((), "late") if late else _read(pdf, page.number, settings.seconds_per_ocr_page)
        slow = slow + 1 if outcome in ("slow", "late") else 0
        outcomes[page.number] = outcome
        done.append(replace(page, lines=lines, picture=outcome != "blank", recognised=True))
    ocr.PAGE_DONE.get()()
    return Recognised(tuple(done), outcomes)


def _read(pdf: Any, number: int, seconds: float) -> tuple[tuple[Line, ...], Outcome]:
    from assistant.readers.pdf.quality import garbled

    try:
        drawn = _drawn(pdf[number - 1])
    except Exception:  # PyMuPDF raises several classes for a page it cannot draw; the page is named in the warnings
        return (), "broken"
    if drawn is None:
        return (), "large"
    picture, points = drawn
    if blank(picture):
        return (), "blank"
    try:
        lines = lines_of(ocr.recognise(picture, seconds), points)
    except ocr.TooSlow:
        return (), "slow"
    if not lines or garbled("\n".join(line.text for line in lines), recognised=True):
        return (), "illegible"
    return lines, "read"


def _drawn(page: Any) -> tuple[Any, float] | None:
    """The page as RGB pixels and the points that one pixel measures; None when its pictures are too large."""
    import numpy as np

    if any(info["width"] * info["height"] > MOST_IMAGE_PIXELS for info in page.get_image_info()):
        return None
    scale = scale_for(page.rect.width, page.rect.height)
    drawn = page.get_pixmap(matrix=(scale, 0, 0, scale, 0, 0), alpha=False, colorspace="rgb")
    return np.frombuffer(drawn.samples, np.uint8).reshape(drawn.height, drawn.width, 3), 1 / scale


def scale_for(width: float, height: float) -> float:
    """Pixels per point: 200 dpi, less when the page would have too many pixels or too long a side."""
    area = max(1.0, width * height)
    return min(ocr.DPI / 72, math.sqrt(ocr.MOST_PIXELS / area), 20_000 / max(1.0, width, height))


def blank(picture: Any) -> bool:
    """Whether hardly any pixel stands out from the ground, light or dark."""
    import numpy as np

    grey = picture.mean(axis=2, dtype=np.float32)
    return bool((np.abs(grey - np.median(grey)) > 48).mean() < _BLANK_SHARE)


def lines_of(seen: Sequence[Seen], points: float) -> tuple[Line, ...]:
    """What OCR saw as lines of a page, sizes evened out; `points` per pixel."""
    sizes = {id(line): (line.y1 - line.y0) * points * _INK_HEIGHT for line in seen}
    usual = _usual([(sizes[id(line)], len(line.text)) for line in seen])
    found = []
    for line in seen:
        text, size = clean(line.text), sizes[id(line)]
        size = usual if abs(size / usual - 1) <= _SAME_SIZE else size
        box = (line.x0 * points, line.y0 * points, line.x1 * points, line.y1 * points)
        if text:
            found.append(Line(text, *box, round(size * 2) / 2, False))
    return tuple(found)


def _usual(sizes: Sequence[tuple[float, int]]) -> float:
    """The size that half of all characters do not exceed; at least a point."""
    half = sum(count for _, count in sizes) / 2
    for size, count in sorted(sizes):
        half -= count
        if half <= 0:
            return max(1.0, size)
    return 10.0
