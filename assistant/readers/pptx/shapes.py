"""The shapes of a slide in the order in which they are looked at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assistant.readers.builder import one_line
from assistant.readers.package import Package, child, local, value

Place = tuple[int, int]
_SHAPES = frozenset(["sp", "pic", "graphicFrame", "grpSp", "AlternateContent"])


def shapes_of(tree: Any, places: dict[str, Place]) -> Iterator[Any]:
    """The text shapes, pictures and frames below, from top to bottom, then from left to right, groups kept together.

    `places`: where the layout puts the placeholders that state no place of their own, by `placeholder`.
    """
    shapes = [element for element in tree if local(element) in _SHAPES]
    for shape in sorted(shapes, key=lambda shape: _place(shape, places)):
        if local(shape) == "grpSp":
            yield from shapes_of(shape, places)
        elif local(shape) == "AlternateContent":
            yield from shapes_of(_alternative(shape), places)
        else:
            yield shape


def _alternative(element: Any) -> Any:
    """What new programs show; what old ones show only when there is nothing else."""
    return next((part for part in element if any(local(inner) in _SHAPES for inner in part)), ())


def _place(shape: Any, places: dict[str, Place]) -> Place:
    for inner in shape.iter():
        if local(inner) == "off":
            return _number(value(inner, "y")), _number(value(inner, "x"))
    return places.get(placeholder(shape), (0, 0))


def _number(stated: str | None) -> int:
    try:
        return int(stated or 0)
    except ValueError:
        return 0


def placeholder(shape: Any) -> str:
    """What a shape stands for: "title", "ctrTitle", "dt", "ftr", "sldNum", "body 1", …; "" when it is none."""
    for properties in shape:
        mark = child(properties, "nvPr", "ph")
        if mark is not None:
            kind = value(mark, "type") or "body"
            return kind if kind in ("title", "ctrTitle", "dt", "ftr", "sldNum") else f"body {value(mark, 'idx')}"
    return ""


def places_of(package: Package, slide: str) -> dict[str, Place]:
    """Where the layout of a slide puts its placeholders."""
    layouts = package.related(slide, "/slideLayout").values()
    roots = [root for layout in layouts if (root := package.part(layout)) is not None]
    shapes = [e for root in roots for e in root.iter() if local(e) == "sp" and placeholder(e)]
    return {placeholder(shape): _place(shape, {}) for shape in shapes}


def lines_of(body: Any | None) -> list[tuple[int, str]]:
    """Depth from 0 and text of each paragraph that has one; [] of a shape without a text body."""
    lines = [(_level(p), line(p)) for p in body if local(p) == "p"] if body is not None else []
    return [(level, text) for level, text in lines if text]


def _level(paragraph: Any) -> int:
    properties = child(paragraph, "pPr")
    return min(8, _number(value(properties, "lvl"))) if properties is not None else 0


def line(paragraph: Any) -> str:
    """The text of a paragraph on one line; the number of the slide is none of it."""
    texts = []
    for element in paragraph.iter():
        if local(element) == "t" and value(element.getparent(), "type") != "slidenum":
            texts.append(element.text or "")
        elif local(element) == "br":
            texts.append("\n")
    return one_line("".join(texts))
