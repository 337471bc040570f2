"""What paragraph styles say: headings, lists, hidden text; and the numbers Word computes for lists and headings."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from assistant.readers.package import Package, child, local, switched_on, value

_HEADING = re.compile(r"(?:heading|标题|überschrift|titre|título|見出し)\s*([1-9])", re.IGNORECASE)
_DIGITS = "〇一二三四五六七八九"


@dataclass(frozen=True)
class Style:
    """`level`: 1–6 for headings, 0 for the document title, None otherwise. `numbering`: (list id, list level)."""

    name: str = ""
    level: int | None = None
    numbering: tuple[str, int] | None = None
    hidden: bool = False
    bold: bool = False

    @property
    def contents(self) -> bool:
        """Whether it is a line of the table of contents, which only repeats the headings."""
        return bool(re.match(r"(?:toc|目录)\s*\d", self.name, re.IGNORECASE))


def styles_of(package: Package) -> dict[str, Style]:
    """Styles by id, with what they inherit."""
    root = package.beside("styles.xml")
    elements = {value(e, "styleId") or "": e for e in root if local(e) == "style"} if root is not None else {}
    made: dict[str, Style] = {}
    for key in elements:
        _style(key, elements, made, 0)
    return made


def _style(key: str, elements: dict[str, Any], made: dict[str, Style], depth: int) -> Style:
    if key in made or key not in elements or depth > 20:
        return made.get(key, Style())
    element = elements[key]
    based = child(element, "basedOn")
    above = _style(value(based) or "", elements, made, depth + 1) if based is not None else Style()
    named = child(element, "name")
    name = (value(named) if named is not None else None) or key
    level = _level(name, child(element, "pPr", "outlineLvl"))
    made[key] = Style(
        name=name,
        level=above.level if level is None else level,
        numbering=numbering_of(child(element, "pPr"), above.numbering),
        hidden=above.hidden or switched_on(child(element, "rPr", "vanish")),
        bold=above.bold or switched_on(child(element, "rPr", "b")),
    )
    return made[key]


def _level(name: str, outline: Any | None) -> int | None:
    heading = _HEADING.match(name)
    if heading:
        return min(6, int(heading[1]))
    if name.lower() in ("title", "标题", "标题1"):
        return 0
    stated = int(value(outline) or 9) if outline is not None else 9
    return min(6, stated + 1) if stated < 9 else None


def numbering_of(properties: Any | None, inherited: tuple[str, int] | None) -> tuple[str, int] | None:
    """List id and level of a paragraph; list id 0 switches an inherited list off."""
    number = child(properties, "numPr") if properties is not None else None
    if number is None:
        return inherited
    key, level = child(number, "numId"), child(number, "ilvl")
    list_id = (value(key) if key is not None else None) or (inherited[0] if inherited else "0")
    depth = int(value(level) or 0) if level is not None else (inherited[1] if inherited else 0)
    return None if list_id == "0" else (list_id, depth)


class Numbering:
    """Counts the lists of a document; `next` gives the number or bullet that Word would print."""

    def __init__(self, package: Package) -> None:
        root = package.beside("numbering.xml")
        elements = list(root) if root is not None else []
        abstract = {value(e, "abstractNumId"): _levels(e) for e in elements if local(e) == "abstractNum"}
        self._levels: dict[str, dict[int, tuple[str, str, int]]] = {}
        self._counted_as: dict[str, str] = {}
        for element in elements:
            reference = child(element, "abstractNumId") if local(element) == "num" else None
            if reference is not None:
                key = value(element, "numId") or ""
                self._levels[key] = abstract.get(value(reference), {})
                restarts = child(element, "lvlOverride", "startOverride") is not None
                self._counted_as[key] = key if restarts else f"abstract {value(reference)}"
        self._counts: defaultdict[str, dict[int, int]] = defaultdict(dict)

    def next(self, list_id: str, level: int) -> str:
        """Such as "3.", "第二条" or "-" for bullets; "-" also for a list that is not defined."""
        kind, pattern, start = self._levels.get(list_id, {}).get(level, ("bullet", "", 1))
        if kind in ("bullet", "none"):
            return "-" if kind == "bullet" else ""
        counts = self._counts[self._counted_as[list_id]]
        counts[level] = counts.get(level, start - 1) + 1
        for deeper in [other for other in counts if other > level]:
            del counts[deeper]
        return re.sub(r"%([1-9])", lambda m: self._number(list_id, counts, int(m[1]) - 1), pattern)

    def _number(self, list_id: str, counts: dict[int, int], level: int) -> str:
        kind, _, start = self._levels[list_id].get(level, ("decimal", "", 1))
        return written(counts.get(level, start), kind)


def _levels(abstract: Any) -> dict[int, tuple[str, str, int]]:
    """Number format, pattern and first number of each level."""
    found = {}
    for level in abstract:
        if local(level) == "lvl":
            kind, pattern, start = (child(level, tag) for tag in ("numFmt", "lvlText", "start"))
            found[int(value(level, "ilvl") or 0)] = (
                (value(kind) if kind is not None else None) or "decimal",
                (value(pattern) if pattern is not None else None) or "",
                int((value(start) if start is not None else None) or 1),
            )
    return found


def written(number: int, kind: str) -> str:
    """A number in one of Word's formats; formats that are not known give digits."""
    if kind in ("lowerLetter", "upperLetter") and number > 0:
        letter = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
        return letter.upper() if kind == "upperLetter" else letter
    if kind in ("lowerRoman", "upperRoman") and 0 < number < 4000:
        roman = _roman(number)
        return roman if kind == "upperRoman" else roman.lower()
    if kind.startswith(("chinese", "ideograph", "taiwanese", "japanese")) and 0 < number < 100:
        return _chinese(number)
    return str(number)


def _roman(number: int) -> str:
    parts = zip(
        (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1),
        ("M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"),
        strict=True,
    )
    text = ""
    for size, letters in parts:
        text += letters * (number // size)
        number %= size
    return text


def _chinese(number: int) -> str:
    tens, ones = divmod(number, 10)
    head = "" if tens == 0 else ("十" if tens == 1 else f"{_DIGITS[tens]}十")
    return head + (_DIGITS[ones] if ones else "")
