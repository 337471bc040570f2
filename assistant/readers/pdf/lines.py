"""One page as lines with their places, turned so that the main text runs from left to right."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assistant.readers.pdf.tables import Table, tables_of

_BULLET_FONTS = ("symbol", "wingdings", "zapfdingbats")
_DINGBATS = str.maketrans("345678lnu", "✓✔✕✖✗✘●■◆")  # ticked boxes of forms, which their font writes as digits
_BETWEEN_HAN = re.compile(
    r"(?<=[\u3001-\u30ff\u3400-\u9fff\uff01-\uff60])[ \u00a0](?=[\u3001-\u30ff\u3400-\u9fff\uff01-\uff60])"
)
_SPACED_OUT = re.compile(r"(?<=[\u3400-\u9fff])[ \u00a0\u3000]+(?=[\u3400-\u9fff])")
_NUMBERED_TITLE = re.compile(
    r"(第\s*[一二三四五六七八九十百零〇\d]{1,5}\s*[编篇部卷章节条])[ \u00a0\u3000]*(?=[\u3400-\u9fff])"
)
_LOST_FF = re.compile(r"(?<=[a-z])↵(?=[a-z])")  # TeX's ff ligature in fonts without a character map
_LEADER = re.compile(r"(?:[.．·…_]\s?){5,}")
_PRESENTATION = re.compile(r"[\ufb00-\ufb06\u2f00-\u2fdf]")
# NFKC knows only two of the CJK Radicals Supplement, which faulty fonts give in place of ideographs
_RADICALS = str.maketrans(
    "⺁⺈⺊⺌⺍⺕⺗⺜⺝⺟⺠⺩⺫⺬⺭⺮⺻⺼⺾⻁⻄⻅⻆⻉⻋⻓⻔⻘⻙⻚⻛⻜⻢⻣⻤⻥⻦⻧⻨⻩⻬⻮⻰⻳",
    "厂刀卜小小彐心日月母民王罒示礻竹聿肉艹虎西见角贝车长门青韦页风飞马骨鬼鱼鸟卤麦黄齐齿龙龟",
)


@dataclass(frozen=True, slots=True)
class Line:
    """A run of text on one baseline; x to the right, y down, in points. `size`: of most of its characters."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    size: float
    bold: bool
    aside: bool = False

    @property
    def middle(self) -> float:
        return (self.y0 + self.y1) / 2


@dataclass(frozen=True, slots=True)
class Page:
    """A page's lines and tables.

    `picture`: it shows an image or drawing and (almost) no text; `recognised`: its text lies over a picture of the
    page, as an OCR program leaves it; `broken`: it could not be opened.
    """

    number: int
    height: float
    lines: tuple[Line, ...]
    tables: tuple[Table, ...] = ()
    picture: bool = False
    broken: bool = False
    recognised: bool = False

    @property
    def text(self) -> str:
        return "\n".join([*(line.text for line in self.lines), *(table.text for table in self.tables)])

    def emptied(self) -> Page:
        """The page without its text."""
        return replace(self, lines=(), tables=(), picture=True)


def page_of(pdf: Any, number: int, tables: bool = True) -> Page:
    """The page of this number (from 1). A page that cannot be opened is empty and broken."""
    import pymupdf

    try:
        page = pdf[number - 1]
        lines, main = _lines(page, pymupdf)
        little = sum(len(line.text) for line in lines) < 60 or (main == (1, 0) and _at_edges(lines, page.rect.height))
        picture = _shows_picture(page) if little else False
        if picture and _covered(page):
            lines = []  # a stamp of the scanning program or of a library is not the text of the page
        found = tables_of(page, lambda box: upright(box, main), clean) if tables and lines else []
        lines = [line for line in lines if not any(table.holds(line.x0, line.x1, line.middle) for table in found)]
        lines += _annotations(page, lines)
        recognised = bool(lines) and len(page.get_images()) == 1 and _covered(page)
        return Page(number, float(page.rect.height), tuple(lines), tuple(found), picture, recognised=recognised)
    except Exception:  # one damaged page does not cost the others; it is named in the warnings
        return Page(number, 0.0, (), broken=True)


def _lines(page: Any, pymupdf: Any) -> tuple[list[Line], tuple[int, int]]:
    """The lines, upright, and the direction in which most of the text ran; ligatures expanded, doubles once."""
    flags = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP
    raw = [line for block in page.get_text("dict", flags=flags)["blocks"] for line in block.get("lines", ())]
    weights: Counter[tuple[int, int]] = Counter()
    for line in raw:
        weights[_direction(line)] += sum(len(span["text"]) for span in line["spans"])
    main = weights.most_common(1)[0][0] if weights else (1, 0)
    once: dict[tuple[str, int, int], Line] = {}
    for line in raw:
        made = _line(line, main)
        if made:
            once.setdefault((made.text, round(made.x0 / 2), round(made.y0 / 2)), made)
    return list(once.values()), main


def _direction(line: Any) -> tuple[int, int]:
    return round(line["dir"][0]), round(line["dir"][1])


def _line(raw: Any, main: tuple[int, int]) -> Line | None:
    spans = [span for span in raw["spans"] if span["text"]]
    text = clean("".join(_glyphs(span) for span in spans))
    if not text:
        return None
    visible = [span for span in spans if span["text"].strip()]
    heaviest = max(visible, key=lambda span: len(span["text"]))
    bold = all(span["flags"] & 16 or "bold" in span["font"].lower() for span in visible)
    x0, y0, x1, y1 = upright(raw["bbox"], main)
    return Line(text, x0, y0, x1, y1, round(heaviest["size"] * 2) / 2, bold, aside=_direction(raw) != main)


def _glyphs(span: Any) -> str:
    text: str = span["text"]
    if any(font in span["font"].lower() for font in _BULLET_FONTS):
        text = "".join("•" if "\ue000" <= c <= "\uf8ff" else c for c in text)
        return text.translate(_DINGBATS) if "dingbats" in span["font"].lower() else text
    return text


def upright(box: Sequence[float], main: tuple[int, int]) -> tuple[float, float, float, float]:
    """The box in coordinates in which text of this direction runs to the right."""
    x0, y0, x1, y1 = box
    if main == (0, -1):
        return -y1, x0, -y0, x1
    if main == (0, 1):
        return y0, -x1, y1, -x0
    if main == (-1, 0):
        return -x1, -y1, -x0, -y0
    return x0, y0, x1, y1


def clean(text: str) -> str:
    """The line without zero-width and stray characters, with plain spaces, none between ideographs."""
    if text.isascii() and text.isprintable() and "  " not in text and not _LEADER.search(text):
        return text.strip()
    text = text.replace("\u200b", "").replace("\ufeff", "").replace("\u00a0", " ").replace("\t", " ").strip()
    text = _PRESENTATION.sub(lambda m: unicodedata.normalize("NFKC", m[0]), text).translate(_RADICALS)
    text = "".join(c for c in text if c.isprintable() or c in "\u00ad\ufffd\ufffe" or "\ue000" <= c <= "\uf8ff")
    text = _LOST_FF.sub("ff", _LEADER.sub(" … ", text))
    gaps, han = len(_SPACED_OUT.findall(text)), len(re.findall(r"[\u3400-\u9fff]", text))
    text = _SPACED_OUT.sub("", text) if han > 3 and gaps >= 0.6 * (han - 1) else _BETWEEN_HAN.sub("", text)
    if len(text) < 40:
        text = _NUMBERED_TITLE.sub(r"\1 ", text) if re.match(r"第\s*\S{1,5}\s*[编篇部卷章节]", text) else text
    return re.sub(r" {2,}", " ", text).strip()


def _shows_picture(page: Any) -> bool:
    return bool(page.get_images(full=True)) or bool(page.get_cdrawings())


def _at_edges(lines: Sequence[Line], height: float) -> bool:
    """Whether there is a line or two at the upper or lower edge and nothing between."""
    return len(lines) <= 4 and all(line.y1 < 0.1 * height or line.y0 > 0.9 * height for line in lines)


def _covered(page: Any) -> bool:
    """Whether one picture takes most of the page."""
    area = abs(page.rect.width * page.rect.height) or 1.0
    boxes: Iterable[Any] = (info["bbox"] for info in page.get_image_info())
    return any(abs((b[2] - b[0]) * (b[3] - b[1])) > 0.6 * area for b in boxes)


def _annotations(page: Any, lines: Sequence[Line]) -> Iterator[Line]:
    """Comments and values of form fields that the page text does not show; comments on the text stand aside."""
    shown = "\n".join(line.text for line in lines)
    notes = [(note.info.get("content") or "", note.rect, note.type[1] != "FreeText") for note in page.annots() or ()]
    notes += [
        (str(field.field_value or ""), field.rect, False)
        for field in page.widgets() or ()
        if field.field_type_string == "Text"
    ]
    for text, box, aside in notes:
        for n, line in enumerate(text.splitlines()):
            if line.strip() and line.strip() not in shown:
                yield Line(clean(line), box.x0, box.y0 + n * 12, box.x1, box.y0 + n * 12 + 10, 10.0, False, aside)
