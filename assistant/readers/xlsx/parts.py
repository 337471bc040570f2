"""What openpyxl leaves out when it only reads: merged cells, comments, drawings, formulas without a value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from assistant.readers.builder import one_line
from assistant.readers.charts import title_of
from assistant.readers.package import Package, child, local, value
from assistant.readers.sheets import Merged

_REFERENCE = re.compile(r"\$?([A-Z]{1,3})\$?(\d+)(?::\$?([A-Z]{1,3})\$?(\d+))?")


@dataclass(frozen=True)
class Comment:
    """A comment at a cell; row and column from 0."""

    cell: str
    row: int
    column: int
    author: str
    text: str


@dataclass(frozen=True)
class SheetParts:
    """`uncounted`: formulas whose value the file does not hold. `drawn`: texts of text boxes, titles of charts."""

    merged: tuple[Merged, ...] = ()
    comments: tuple[Comment, ...] = ()
    drawn: tuple[str, ...] = ()
    uncounted: int = 0


def parts_of(package: Package, name: str) -> SheetParts:
    """What belongs to the sheet of this name; nothing when it has no part."""
    part = _part_of(package, name)
    if not part:
        return SheetParts()
    merged, uncounted = [], 0
    for element in package.elements(part, "c", "mergeCell"):
        if local(element) == "mergeCell":
            merged += _merged(value(element, "ref") or "")
        elif child(element, "f") is not None:
            held = child(element, "v")
            uncounted += held is None or (not held.text and value(element, "t") != "str")
    return SheetParts(tuple(merged), tuple(_comments(package, part)), tuple(_drawn(package, part)), uncounted)


def _part_of(package: Package, name: str) -> str:
    book = package.part(package.document)
    targets = package.related(package.document)
    for sheet in book.iter() if book is not None else ():
        if local(sheet) == "sheet" and value(sheet, "name") == name:
            return targets.get(value(sheet, "id") or "", "")
    return ""


def _merged(reference: str) -> list[Merged]:
    found = _REFERENCE.fullmatch(reference)
    if not found or not found[3]:
        return []
    return [Merged(int(found[2]) - 1, int(found[4]), column_of(found[1]), column_of(found[3]) + 1)]


def column_of(letters: str) -> int:
    """The column of these letters, from 0: A is 0, AA is 26."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


def _comments(package: Package, part: str) -> Iterator[Comment]:
    """Threads first; the notes that Excel writes beside them for old programs say the same and are left out."""
    persons = _persons(package)
    threaded = set()
    for name in package.related(part, "/threadedComment").values():
        for entry in _entries(package, name, "threadedComment"):
            threaded.add(value(entry, "ref"))
            yield from _comment(entry, persons.get(value(entry, "personId") or "", ""))
    for name in package.related(part, "/comments").values():
        authors = [(author.text or "").strip() for author in _entries(package, name, "author")]
        for entry in _entries(package, name, "comment"):
            if value(entry, "ref") not in threaded:
                number = value(entry, "authorId") or ""
                author = authors[int(number)] if number.isdigit() and int(number) < len(authors) else ""
                yield from _comment(entry, author)


def _entries(package: Package, part: str, tag: str) -> Iterator[Any]:
    root = package.part(part)
    return (entry for entry in (root.iter() if root is not None else ()) if local(entry) == tag)


def _persons(package: Package) -> dict[str, str]:
    found = {}
    for name in package.related(package.document, "/person").values():
        for person in _entries(package, name, "person"):
            found[value(person, "id") or ""] = value(person, "displayName") or ""
    return found


def _comment(entry: Any, author: str) -> Iterator[Comment]:
    reference = _REFERENCE.fullmatch(value(entry, "ref") or "")
    text = one_line(texts_of(entry, "t") or "".join(t.text or "" for t in entry if local(t) == "text"))
    text = text.removeprefix(f"{author}:").strip() if author else text  # Excel writes the author into the note too
    if reference and text:
        yield Comment(reference[0], int(reference[2]) - 1, column_of(reference[1]), author, text)


def _drawn(package: Package, part: str) -> Iterator[str]:
    for drawing in package.related(part, "/drawing").values():
        for shape in _entries(package, drawing, "sp"):
            lines = [texts_of(paragraph, "t") for paragraph in shape.iter() if local(paragraph) == "p"]
            yield "\n".join(filter(None, lines))
        for chart in package.related(drawing, "/chart").values():
            if (space := package.part(chart)) is not None and (title := title_of(space)):
                yield title


def texts_of(element: Any, tag: str) -> str:
    """The text in all elements of this tag below, without what only tells the pronunciation."""
    return "".join(
        inner.text or "" for inner in element.iter() if local(inner) == tag and local(inner.getparent()) != "rPh"
    )
