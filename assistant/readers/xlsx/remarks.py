"""What hangs on a sheet: comments, text boxes, charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from assistant.readers.builder import one_line
from assistant.readers.charts import title_of
from assistant.readers.package import Package, local, value
from assistant.readers.xlsx.book import text_of
from assistant.readers.xlsx.cells import REFERENCE, column_of


@dataclass(frozen=True)
class Comment:
    """A comment at a cell; row and column from 0."""

    cell: str
    row: int
    column: int
    author: str
    text: str

    def line(self, rows: Sequence[Sequence[str]]) -> str:
        """Such as "[Li] B7 (Pump): price to be confirmed"."""
        row = rows[self.row] if self.row < len(rows) else []
        held = row[self.column] if self.column < len(row) else ""
        at = f"{self.cell} ({held[:60]})" if held else self.cell
        return f"[{self.author}] {at}: {self.text}" if self.author else f"{at}: {self.text}"


def remarks_of(package: Package, part: str, rows: Sequence[Sequence[str]]) -> list[str]:
    """Comments with the cell they stand at, in order of the cells, then the texts of boxes and titles of charts."""
    if not part:
        return []
    comments = sorted(_comments(package, part), key=lambda comment: (comment.row, comment.column))
    return [*(comment.line(rows) for comment in comments), *filter(None, _drawn(package, part))]


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
    reference = REFERENCE.fullmatch(value(entry, "ref") or "")
    text = one_line(text_of(entry) or "".join(t.text or "" for t in entry if local(t) == "text"))
    text = text.removeprefix(f"{author}:").strip() if author else text  # Excel writes the author into the note too
    if reference and text:
        yield Comment(reference[0], int(reference[2]) - 1, column_of(reference[1]), author, text)


def _drawn(package: Package, part: str) -> Iterator[str]:
    for drawing in package.related(part, "/drawing").values():
        for shape in _entries(package, drawing, "sp"):
            lines = [text_of(paragraph) for paragraph in shape.iter() if local(paragraph) == "p"]
            yield "\n".join(filter(None, lines))
        for chart in package.related(drawing, "/chart").values():
            if (space := package.part(chart)) is not None and (title := title_of(space)):
                yield title
