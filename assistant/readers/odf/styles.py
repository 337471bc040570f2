"""What the styles of an OpenDocument file say that matters for its text: titles, hidden parts, numbered lists."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assistant.readers.package import local, value

_TITLES = {"title": 1, "subtitle": 2}


class Styles:
    """Lookups by style name; parents are followed."""

    def __init__(self, *roots: Any | None) -> None:
        self._styles: dict[str, Any] = {}
        self._lists: dict[str, Any] = {}
        for root in roots:
            for element in root.iter() if root is not None else ():
                if local(element) == "style":
                    self._styles[value(element, "name") or ""] = element
                elif local(element) == "list-style":
                    self._lists[value(element, "name") or ""] = element

    def title_level(self, name: str | None) -> int:
        """1 for Title, 2 for Subtitle and what is made of them, 0 otherwise."""
        names = (value(style, "name") or "" for style in self._lineage(name))
        return next((_TITLES[n.lower()] for n in names if n.lower() in _TITLES), 0)

    def hidden(self, name: str | None) -> bool:
        """Whether the text, sheet or slide of this style is not shown."""
        for style in self._lineage(name):
            for properties in style:
                shown = value(properties, "display")
                if shown is not None:
                    return shown in ("none", "false")
                if value(properties, "visibility") == "hidden":
                    return True
        return False

    def numbered(self, name: str | None, level: int) -> bool:
        """Whether lists of this style count on this level (from 1)."""
        for element in self._lists.get(name or "", ()):
            if value(element, "level") == str(level):
                return local(element) == "list-level-style-number" and bool(value(element, "num-format"))
        return False

    def _lineage(self, name: str | None) -> Iterator[Any]:
        seen = set()
        while name and name in self._styles and name not in seen:
            seen.add(name)
            yield self._styles[name]
            name = value(self._styles[name], "parent-style-name")
