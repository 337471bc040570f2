"""Text from pictures of pages: what OCR finds, as lines with their places, turned upright.

The models (PP-OCRv6: Chinese, English, Japanese) lie in the wheel of rapidocr; nothing is ever fetched.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

DPI = 200
"""At 150 whole lines were lost; the engine itself goes down to 2,000 pixels on the longer side."""
MOST_PIXELS = 9_000_000
"""Rendered, per page: an A3 page at 200 dpi. Larger ones are made smaller."""
LEAST_SCORE = 0.85
"""Below this mean score (0–1, weighted by length) a page is taken for illegible: a script or hand the models lack.

Poor scans that are read well have 0.95 and more, Greek 0.83.
"""
LEAST_FILLED = 0.4
"""Letters per height of a line along its length: Chinese has 1.2, English 2.2, Russian, which the models skip, 0.05."""

PAGE_DONE: ContextVar[Callable[[], None]] = ContextVar("page_done", default=lambda: None)
"""Called when recognising begins and after each page, so that whoever waits knows that the reading goes on."""

_MODELS = {
    "Det": "PP-OCRv6_det_small.onnx",
    "Rec": "PP-OCRv6_rec_small.onnx",
    "Cls": "ch_ppocr_mobile_v2.0_cls_mobile.onnx",
}
_THREADS = min(2, os.cpu_count() or 1)
_TALL = 1.5  # height over width, from which the engine turns a line by a quarter
_PROBES = 3
_MARGIN = 40
_lock = threading.Lock()

Quad = Sequence[tuple[float, float]]
"""The corners of a line, from the upper left one clockwise."""


@dataclass(frozen=True)
class Seen:
    """A recognised line: the box around it in pixels of the upright page (it may lie left of or above 0), score 0–1."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    score: float


class TooSlow(Exception):
    """A page was not recognised within its time."""


def recognise(picture: Any, seconds: float) -> list[Seen]:
    """The lines of an RGB picture (height × width × 3 bytes), straightened and turned so that text runs to the right.

    [] when there is no legible text. Raises TooSlow after `seconds`; the engine then ends its work on its own.
    """
    found: list[list[Seen] | BaseException] = []

    def work() -> None:
        try:
            found.append(_recognise(picture))
        except Exception as err:  # handed on to the thread that waits
            found.append(err)

    thread = threading.Thread(target=work, name="ocr", daemon=True)
    thread.start()
    thread.join(seconds)
    if not found:
        raise TooSlow
    if isinstance(found[0], BaseException):
        raise found[0]
    return found[0]


def _recognise(picture: Any) -> list[Seen]:
    engine = _engine()
    pixels = picture[:, :, ::-1].copy()  # the engine takes BGR
    result, left, top = _found(engine, pixels), 0, 0
    if result is None:
        part, left, top = _inked(pixels)  # it misses a single small line on a large page
        result = _found(engine, part)
    if result is None:
        return []
    quads = [[(float(x) + left, float(y) + top) for x, y in box] for box in result.boxes]
    texts = [text.strip() for text in result.txts]
    if not _legible(quads, texts, result.scores):
        return []
    turn = _direction(engine, pixels, quads, texts)
    seen = [
        _upright(quad, text, float(score), turn)
        for quad, text, score in zip(quads, texts, result.scores, strict=True)
        if text
    ]
    return _straightened(seen, [_slope(quad, turn) for quad, text in zip(quads, texts, strict=True) if text])


def _found(engine: Any, pixels: Any) -> Any | None:
    with _lock:
        result = engine(pixels, use_det=True, use_cls=True, use_rec=True)  # it keeps what it was told last
    return None if result.txts is None or result.boxes is None else result


def _inked(pixels: Any) -> tuple[Any, int, int]:
    """The part of the picture that is not ground, with a margin around it, and where it begins (x, y)."""
    import numpy as np

    grey = pixels.mean(axis=2, dtype=np.float32)
    ink = np.abs(grey - np.median(grey)) > 48
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if not len(rows):
        return pixels, 0, 0
    left, top = max(0, int(columns[0]) - _MARGIN), max(0, int(rows[0]) - _MARGIN)
    return np.ascontiguousarray(pixels[top : rows[-1] + _MARGIN, left : columns[-1] + _MARGIN]), left, top


def _legible(quads: Sequence[Quad], texts: Sequence[str], scores: Sequence[float]) -> bool:
    letters = [sum(not c.isspace() for c in text) for text in texts]
    room = sum(max(sides) / max(1.0, min(sides)) for sides in map(_sides, quads))
    sure = sum(n * score for n, score in zip(letters, scores, strict=True))
    return sum(letters) >= LEAST_FILLED * room and sure >= LEAST_SCORE * sum(letters) > 0


@cache
def _engine() -> Any:
    import rapidocr  # heavy: only when there is a picture to read

    folder = Path(rapidocr.__file__).parent / "models"
    params: dict[str, Any] = {f"{part}.model_path": str(folder / name) for part, name in _MODELS.items()}
    params["Global.log_level"] = "critical"
    params["EngineConfig.onnxruntime.intra_op_num_threads"] = _THREADS
    params["EngineConfig.onnxruntime.inter_op_num_threads"] = 1
    return rapidocr.RapidOCR(params=params)


def _direction(engine: Any, pixels: Any, quads: Sequence[Quad], texts: Sequence[str]) -> tuple[int, int]:
    """Where text runs on the picture: (1, 0) right, (0, 1) down, (-1, 0) left (upside down), (0, -1) up.

    The engine reads each line either way up but does not say which; so a few lines are read again as they lie.
    """
    tall = sum(len(text) * (1 if _is_tall(quad) else -1) for quad, text in zip(quads, texts, strict=True)) > 0
    fitting = [n for n, quad in enumerate(quads) if _is_tall(quad) == tall and len(texts[n]) > 1]
    longest = sorted(fitting, key=lambda n: -len(texts[n]))[:_PROBES]
    votes = sum(1 if _alike(_reads(engine, pixels, quads[n], tall), texts[n]) else -1 for n in longest)
    ahead = votes >= 0
    if tall:
        return (0, 1) if ahead else (0, -1)
    return (1, 0) if ahead else (-1, 0)


def _alike(one: str, other: str) -> bool:
    """Upside down, hardly a letter is the same; cut out a little wider, one or two may differ."""
    return SequenceMatcher(None, one, other, autojunk=False).ratio() > 0.5


def _reads(engine: Any, pixels: Any, quad: Quad, tall: bool) -> str:
    """What the engine reads in this box without turning it upside down."""
    from numpy import ascontiguousarray, rot90

    xs, ys = [x for x, _ in quad], [y for _, y in quad]
    cut = pixels[max(0, int(min(ys))) : int(max(ys)) + 1, max(0, int(min(xs))) : int(max(xs)) + 1]
    with _lock:
        result = engine(ascontiguousarray(rot90(cut) if tall else cut), use_det=False, use_cls=False, use_rec=True)
    return str(result.txts[0]).strip() if result.txts else ""


def _is_tall(quad: Quad) -> bool:
    width, height = _sides(quad)
    return height >= _TALL * width


def _sides(quad: Quad) -> tuple[float, float]:
    """Width and height."""
    return _length(quad[0], quad[1]), _length(quad[0], quad[3])


def _length(a: tuple[float, float], b: tuple[float, float]) -> float:
    return math.hypot(b[0] - a[0], b[1] - a[1])


def _turned(point: tuple[float, float], turn: tuple[int, int]) -> tuple[float, float]:
    """The point in coordinates in which text that runs towards `turn` runs to the right."""
    (x, y), (dx, dy) = point, turn
    return x * dx + y * dy, y * dx - x * dy


def _upright(quad: Quad, text: str, score: float, turn: tuple[int, int]) -> Seen:
    """A box as large as the line itself around its middle, however much the line slopes."""
    points = [_turned(point, turn) for point in quad]
    x, y = sum(p[0] for p in points) / 4, sum(p[1] for p in points) / 4
    width, height = _sides(quad) if turn[0] else _sides(quad)[::-1]
    return Seen(text, x - width / 2, y - height / 2, x + width / 2, y + height / 2, score)


def _slope(quad: Quad, turn: tuple[int, int]) -> tuple[float, float]:
    """Length of the line and its angle in radians against the upright page."""
    corners = sorted(_turned(point, turn) for point in quad)
    left, right = corners[:2], corners[2:]
    dx = (right[0][0] + right[1][0] - left[0][0] - left[1][0]) / 2
    dy = (right[0][1] + right[1][1] - left[0][1] - left[1][1]) / 2
    return dx, math.atan2(dy, max(dx, 1.0))


def _straightened(seen: list[Seen], slopes: Sequence[tuple[float, float]]) -> list[Seen]:
    """The lines as if the page had been laid straight on the glass."""
    if not seen:
        return []
    longest = sorted(slopes, reverse=True)[: max(1, len(slopes) // 2)]
    angle = median(angle for _, angle in longest)
    if abs(angle) < 0.003:
        return seen
    cos, sin = math.cos(angle), math.sin(angle)

    def moved(line: Seen) -> Seen:
        x, y = (line.x0 + line.x1) / 2, (line.y0 + line.y1) / 2
        dx, dy = x * cos + y * sin - x, y * cos - x * sin - y
        return replace(line, x0=line.x0 + dx, x1=line.x1 + dx, y0=line.y0 + dy, y1=line.y1 + dy)

    return [moved(line) for line in seen]
