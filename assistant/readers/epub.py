"""E-books (.epub): the chapters in the order of the book's spine, through the HTML reader."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from assistant.documents import Document
from assistant.errors import UnreadableFile
from assistant.language import language_of
from assistant.readers import html
from assistant.readers.builder import TextBuilder
from assistant.readers.front_matter import date_of
from assistant.readers.package import Package, local, value
from assistant.settings import Reading

_PAGES = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")


def read(path: Path, data: bytes, settings: Reading) -> Document:
    """The Document of all chapters; one without a heading of its own has the title that the table of contents gives it.

    Raises UnreadableFile: corrupt, too_large, encrypted (copy protection). Chapters that cannot be read are named in
    `unread`.
    """
    book = _Book(path.name, data)
    builder = TextBuilder()
    unread: list[str] = []
    titles = book.titles()
    for name in book.chapters():
        try:
            chapter = book.chapter(name, settings)
        except UnreadableFile as err:
            unread.append(str(err))
            continue
        if chapter.text and name in titles and not any(block.kind == "heading" for block in chapter.blocks):
            builder.add("heading", titles[name], level=1)
        builder.include(chapter)
    fields = book.fields()
    return Document(
        path=str(path),
        name=path.name,
        title=fields.get("title", ""),
        media="epub",
        text=builder.text,
        blocks=tuple(builder.blocks),
        language=language_of(builder.text),
        modified=date_of({"modified": fields.get("modified", ""), "date": fields.get("date", "")}),
        meta=fields,
        warnings=tuple(unread),
        unread=tuple(unread),
    )


class _Book(Package):
    """The parts of an e-book. `document`: name of the package document (.opf)."""

    def __init__(self, name: str, data: bytes) -> None:
        super().__init__(name, data, "EPUB")
        self._folder = posixpath.dirname(self.document)
        root = self.part(self.document)
        if root is None:
            raise self._corrupt("it has no document part")
        self._root = root
        self._items = {item.get("id"): item for item in root.iter() if local(item) == "item"}
        self._refuse_protected()

    def _main_part(self) -> str:
        container = self.part("META-INF/container.xml")
        stated = (
            [e.get("full-path") for e in container.iter() if local(e) == "rootfile"] if container is not None else []
        )
        return next((name for name in [*stated, *self._names.values()] if name and name.endswith(".opf")), "")

    def _corrupt(self, why: str) -> UnreadableFile:
        return UnreadableFile(
            f"{self.name} cannot be read as EPUB: {why}; get the file again from where it came.", "corrupt"
        )

    def _refuse_protected(self) -> None:
        """Fonts may be scrambled; a scrambled chapter is copy protection."""
        listed = self.part("META-INF/encryption.xml")
        uris = (
            [str(e.get("URI", "")) for e in listed.iter() if local(e) == "CipherReference"]
            if listed is not None
            else []
        )
        if any(uri.lower().endswith((".xhtml", ".html", ".htm", ".xml")) for uri in uris):
            raise UnreadableFile(
                f"{self.name} is protected against copying; it can only be read in its own program.", "encrypted"
            )

    def chapters(self) -> Iterator[str]:
        """Names of the members to read, in order; the table of contents is left out."""
        seen = set()
        for reference in (e for e in self._root.iter() if local(e) == "itemref"):
            item = self._items.get(reference.get("idref"))
            if item is None or "nav" in (item.get("properties") or "").split():
                continue
            name = self._member_of(item.get("href", ""))
            if item.get("media-type") in _PAGES and name not in seen:
                seen.add(name)
                yield name

    def chapter(self, name: str, settings: Reading) -> Document:
        """One chapter as a document; empty when there is nothing to read in it. Raises UnreadableFile."""
        shown = Path(f"{self.name} › {posixpath.basename(name)}")
        data = self.member(name)
        if data is None:
            raise UnreadableFile(f"{shown} is missing in the file; get the file again from where it came.", "corrupt")
        return html.read(shown, data, settings)

    def titles(self) -> dict[str, str]:
        """The first title that the table of contents gives each member."""
        found: dict[str, str] = {}
        for item in self._items.values():
            if "nav" in (item.get("properties") or "").split() or item.get("media-type") == "application/x-dtbncx+xml":
                name = self._member_of(item.get("href", ""))
                for target, title in _entries(self.part(name)):
                    found.setdefault(posixpath.normpath(posixpath.join(posixpath.dirname(name), target)), title)
        return found

    def fields(self) -> dict[str, str]:
        """title, creator, language, publisher, date, modified as text."""
        found: dict[str, str] = {}
        for element in self._root.iter():
            key = local(element) if local(element) != "meta" else str(element.get("property", ""))
            if key.removeprefix("dcterms:") in ("title", "creator", "language", "publisher", "date", "modified"):
                text = " ".join("".join(element.itertext()).split())
                if text:
                    found.setdefault(key.removeprefix("dcterms:"), text)
        return found

    def _member_of(self, href: str) -> str:
        return posixpath.normpath(posixpath.join(self._folder, unquote(href.partition("#")[0])))


def _entries(contents: Any | None) -> Iterator[tuple[str, str]]:
    """Target and title of each entry of a table of contents, old (NCX) or new (HTML)."""
    for element in contents.iter() if contents is not None else ():
        if local(element) == "navPoint":
            target = next((str(e.get("src")) for e in element.iter() if local(e) == "content"), "")
            label = next((e for e in element.iter() if local(e) == "text"), None)
        elif local(element) == "a" and value(element, "href"):
            target, label = str(value(element, "href")), element
        else:
            continue
        title = " ".join("".join(label.itertext()).split()) if label is not None else ""
        if title:
            yield unquote(target.partition("#")[0]), title
