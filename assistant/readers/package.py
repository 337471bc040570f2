"""The parts of an Office file (.docx, .pptx, .xlsx), or of another format in a ZIP archive, unpacked within limits."""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any

from assistant.errors import UnreadableFile

MOST_MEMBERS = 10_000
MOST_BYTES = 1_000_000_000
"""Unpacked, over all members."""
SUSPECT_BYTES, SUSPECT_RATIO = 50_000_000, 100
"""More than this and packed more than a hundredfold: a bomb (0.8 MB can unpack to 290 MB)."""

_MAIN_PARTS = {"Word": "word/document.xml", "Excel": "xl/workbook.xml", "PowerPoint": "ppt/presentation.xml"}
_SAFE: dict[str, Any] = {"resolve_entities": False, "no_network": True, "recover": True, "huge_tree": True}


class Package:
    """The XML parts by name; `program` is what people open the file in.

    `document`: name of the main part. `damaged`: the parts, among those asked for, that are only readable in part.
    Raises UnreadableFile (corrupt, too_large).
    """

    def __init__(self, name: str, data: bytes, program: str = "Word") -> None:
        self.name = name
        self._program = program
        self.damaged: set[str] = set()
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as err:
            raise self._corrupt("it is not a whole ZIP archive") from err
        self._refuse_bombs(len(data))
        self._names = {member.lower(): member for member in self._zip.namelist()}
        self.document = self._main_part()

    def _refuse_bombs(self, packed: int) -> None:
        members = self._zip.infolist()
        size = sum(member.file_size for member in members)
        bomb = size > SUSPECT_BYTES and size > SUSPECT_RATIO * packed
        if bomb or size > MOST_BYTES or len(members) > MOST_MEMBERS:
            what = f"{len(members)} parts, {size / 1_000_000:.0f} MB unpacked"
            raise UnreadableFile(
                f"{self.name} is too large to unpack ({what}); split it or check where it is from.", "too_large"
            )

    def _main_part(self) -> str:
        rels = self.part("_rels/.rels")
        for rel in rels if rels is not None else ():
            if rel.get("Type", "").endswith("/officeDocument"):
                return posixpath.normpath(str(rel.get("Target", "")).lstrip("/"))
        return _MAIN_PARTS.get(self._program, "content.xml")

    def member(self, name: str) -> bytes | None:
        """The bytes of a member of the archive, None when there is none."""
        member = self._names.get(name.lower())
        if member is None:
            return None
        try:
            return self._zip.read(member)
        except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError) as err:
            raise self._corrupt(f"its part {member} is damaged") from err
        except Exception as err:  # zlib.error and what else a damaged member raises
            raise self._corrupt(f"its part {member} cannot be unpacked") from err

    def part(self, name: str) -> Any | None:
        """The root element of a part, None when there is none."""
        from lxml import etree

        data = self.member(name)
        if data is None:
            return None
        try:
            parser = etree.XMLParser(**_SAFE)
            root = etree.fromstring(data, parser)
        except etree.XMLSyntaxError as err:
            raise self._corrupt(f"its part {name} is damaged") from err
        if root is None:  # the parser mends what it can, and nothing is left
            raise self._corrupt(f"its part {name} is damaged")
        self._note_damage(name, parser.error_log)
        return root

    def _note_damage(self, name: str, errors: Any) -> None:
        if any(error.level_name == "FATAL" for error in errors):
            self.damaged.add(name)

    def elements(self, name: str, *tags: str) -> Iterator[Any]:
        """The elements of these tags, one after the other and emptied then, so that a part of any size fits."""
        from lxml import etree

        member = self._names.get(name.lower())
        if member is None:
            return
        try:
            with self._zip.open(member) as source:
                wanted = [f"{{*}}{tag}" for tag in tags]
                parts = etree.iterparse(source, tag=wanted, **_SAFE)
                for _, element in parts:
                    yield element
                    element.clear()
                    while element.getprevious() is not None:
                        del element.getparent()[0]
                self._note_damage(name, parts.error_log)
        except (etree.XMLSyntaxError, zipfile.BadZipFile, OSError, EOFError, NotImplementedError, zlib.error) as err:
            raise self._corrupt(f"its part {member} is damaged") from err

    def related(self, part: str, kind: str = "") -> dict[str, str]:
        """Names of the parts that this one refers to, by the id of the reference; `kind` is how its type ends.

        References to nothing and to what is outside the file are left out.
        """
        folder, _, file = part.rpartition("/")
        rels = self.part(posixpath.join(folder, "_rels", f"{file}.rels"))
        found = {}
        for rel in rels if rels is not None else ():
            target = str(rel.get("Target", ""))
            name = posixpath.normpath(target.lstrip("/") if target.startswith("/") else posixpath.join(folder, target))
            if str(rel.get("Type", "")).endswith(kind) and name.lower() in self._names:
                found[str(rel.get("Id"))] = name
        return found

    def beside(self, name: str) -> Any | None:
        """The part of this file name in the folder of the main part: styles.xml, footnotes.xml, …"""
        return self.part(posixpath.join(posixpath.dirname(self.document), name))

    def body(self) -> Any:
        """The element that holds the text."""
        root = self.part(self.document)
        found = next((child for child in root if local(child) == "body"), None) if root is not None else None
        if found is None:
            raise self._corrupt("it has no document part")
        return found

    def properties(self) -> dict[str, str]:
        """title, creator, modified, … as text."""
        core = self.part("docProps/core.xml")
        children = core if core is not None else ()
        return {local(child): child.text.strip() for child in children if child.text and child.text.strip()}

    def _corrupt(self, why: str) -> UnreadableFile:
        return UnreadableFile(
            f"{self.name} cannot be read as {self._program} file: {why}; open it in {self._program} and save it again.",
            "corrupt",
        )


def local(element: Any) -> str:
    """The tag without its namespace (transitional and strict files differ only there); "" for comments."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def value(element: Any, name: str = "val") -> str | None:
    """An attribute by its name without namespace."""
    return next((text for key, text in element.attrib.items() if key.rpartition("}")[2] == name), None)


def child(element: Any, *path: str) -> Any | None:
    """The first element down this path of tags, None when there is none."""
    for tag in path:
        element = next((inner for inner in element if local(inner) == tag), None)
        if element is None:
            return None
    return element


def switched_on(element: Any | None) -> bool:
    """Whether a property like <w:b/> is present and not val="0"."""
    return element is not None and value(element) not in ("0", "false", "off", "none")
