"""HTML: the visible text of the page's main part, without navigation and notices."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from assistant.documents import BlockKind, Document
from assistant.errors import UnreadableFile
from assistant.language import language_of
from assistant.readers.builder import TextBuilder
from assistant.readers.encoding import decode
from assistant.readers.front_matter import date_of
from assistant.readers.html_visible import main_part, without_invisible
from assistant.readers.questions import fold
from assistant.settings import Reading

_CHARSET = re.compile(rb"""(?i)<meta[^>]+charset\s*=\s*["']?\s*([\w:-]+)|<\?xml[^>]+encoding\s*=\s*["']([\w:-]+)""")
_WIDER = {"gb2312": "gb18030", "gbk": "gb18030", "x-gbk": "gb18030", "iso-8859-1": "cp1252", "latin1": "cp1252"}
_WIDER |= {
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "x-sjis": "cp932",
    "ks_c_5601-1987": "cp949",
}

_BLOCKS = frozenset(
    re.findall(
        r"\w+",
        """address article aside body blockquote center dd details dialog div dl dt fieldset figcaption figure footer
        form
        h1 h2 h3 h4 h5 h6 header hr html legend li main menu nav ol p pre section summary table tbody td tfoot th thead
        tr ul caption""",
    )
)
_NOT_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_UNSEEN = re.compile("[\u200b\u00ad\u2060\ufeff]")
_HAN_WRAP = re.compile(
    r"(?<=[\u3001-\u30ff\u3400-\u9fff\uff00-\uffef])\s*\n\s*(?=[\u3001-\u30ff\u3400-\u9fff\uff00-\uffef])"
)
_LAYOUT = re.compile(r"^(?:h[1-6]|table|p|ul|ol|div|form|article|section)$")


def read(path: Path, data: bytes, settings: Reading) -> Document:
    """The Document of what a reader sees. Raises UnreadableFile("corrupt") when there is no element at all."""
    from lxml import html

    source, encoding = decoded(data, settings, path.name)
    source = re.sub(r"^\s*<\?xml[^>]*\?>", "", source)  # lxml refuses text that states an encoding
    try:
        root = html.document_fromstring(_NOT_XML.sub("", source))
    except Exception as err:  # lxml raises ParserError or ValueError for a page without any element
        raise UnreadableFile(f"{path.name} holds no HTML that can be read; save the page again.", "corrupt") from err
    title, fields = _head(root)
    body = without_invisible(root)
    builder = TextBuilder()
    _Walk(builder).inside(main_part(body))
    text = builder.text
    blocks = fold(text, builder.blocks)
    headings = sorted((b for b in blocks if b.kind == "heading"), key=lambda b: (b.level, b.start))
    return Document(
        path=str(path),
        name=path.name,
        title=title or (headings[0].text if headings else ""),
        media="html",
        text=text,
        blocks=tuple(blocks),
        language=language_of(text),
        modified=date_of({"date": fields.get("article:modified_time") or fields.get("date", "")}),
        encoding=encoding,
        meta=fields,
    )


def decoded(data: bytes, settings: Reading, name: str) -> tuple[str, str]:
    """Text and encoding: byte order mark, valid UTF-8, the charset that the page states, then by its bytes."""
    stated = _CHARSET.search(data[:4096])
    charset = (stated[1] or stated[2]).decode("ascii").lower() if stated else ""
    charset = _WIDER.get(charset, charset)
    if (
        charset
        and not charset.startswith(("utf", "ucs"))
        and not data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"))
    ):
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            return decode(data, charset, name)
    return decode(data, settings.legacy_encoding, name)


def _head(root: Any) -> tuple[str, dict[str, str]]:
    """The title and the description, author and date of the page."""
    title = " ".join((root.findtext(".//title") or "").split())
    fields = {}
    for meta in root.iter("meta"):
        key = (meta.get("name") or meta.get("property") or "").lower()
        if key in ("description", "author", "date", "keywords", "article:published_time", "article:modified_time"):
            fields[key] = (meta.get("content") or "").strip()
    return title, {key: text for key, text in fields.items() if text}


class _Walk:
    """Writes the blocks below an element; running text is collected until a block begins."""

    def __init__(self, builder: TextBuilder) -> None:
        self._builder = builder
        self._held: list[str] = []

    def inside(self, element: Any) -> None:
        self._walk(element)
        self._flush()

    def _flush(self, kind: BlockKind = "paragraph", level: int = 0, mark: str = "") -> None:
        text = plain("".join(self._held))
        self._held = []
        if text:
            self._builder.add(kind, mark + text, level=level)

    def _walk(self, element: Any) -> None:
        if element.text:
            self._held.append(element.text)
        for inner in element:
            if isinstance(inner.tag, str):
                self._element(inner)
            if inner.tail:
                self._held.append(inner.tail)

    def _element(self, element: Any) -> None:
        tag = element.tag.lower()
        if tag == "br":
            self._held.append("\v")  # a line end that stays
        elif tag not in _BLOCKS:
            self._walk(element)
        else:
            self._flush()
            self._block(element, tag)
            self._flush()

    def _block(self, element: Any, tag: str) -> None:
        if re.fullmatch(r"h[1-6]", tag):
            self._held.append(" ".join(element.itertext()) if len(element) == 0 else _inline(element))
            self._flush("heading", int(tag[1]))
        elif tag == "pre":
            self._builder.add("code", "".join(element.itertext()))
        elif tag == "table" and not _is_layout(element):
            self._table(element)
        elif tag in ("ul", "ol", "menu"):
            self._list(element, 0)
        elif tag == "dt":
            self._term(element)
        elif tag in ("figcaption", "caption"):
            self._walk(element)
            self._flush("caption")
        else:
            self._walk(element)

    def _term(self, element: Any) -> None:
        """A term and its explanation in one paragraph."""
        self._walk(element)
        after = element.getnext()
        if (
            after is not None
            and after.tag == "dd"
            and not any(i.tag in _BLOCKS for i in after.iter() if i is not after)
        ):
            self._held.append(": " + _inline(after))
            after.text = None
            for inner in list(after):
                after.remove(inner)

    def _list(self, element: Any, depth: int) -> None:
        number = 0
        for item in element:
            if not isinstance(item.tag, str):
                continue
            if item.tag in ("ul", "ol", "menu"):
                self._list(item, depth + 1)
                continue
            number += 1
            mark = "  " * depth + (f"{number}. " if element.tag == "ol" else "- ")
            nested = self._item(item)
            self._flush("list", mark=mark)
            for inner in nested:
                if inner.tag in ("ul", "ol", "menu"):
                    self._list(inner, depth + 1)
                else:
                    self._element(inner)

    def _item(self, item: Any) -> list[Any]:
        """Collects the text of a list item; the lists, tables and code in it come back for later."""
        nested = []
        self._held.append(item.text or "")
        for inner in item:
            if isinstance(inner.tag, str):
                if inner.tag in ("ul", "ol", "menu", "table", "pre"):
                    nested.append(inner)
                elif inner.tag in _BLOCKS:
                    self._held.append("\v")
                    nested += self._item(inner)
                    self._held.append("\v")
                elif inner.tag == "br":
                    self._held.append("\v")
                else:
                    nested += self._item(inner)
            self._held.append(inner.tail or "")
        return nested

    def _table(self, table: Any) -> None:
        """Rows of cells: one over several columns stands once, one over several rows in each of them."""
        caption = table.find("caption")
        if caption is not None:
            self._builder.add("caption", plain(_inline(caption)))
        rows: list[list[str]] = []
        below: dict[int, tuple[int, str]] = {}
        headers = 0
        nested: list[Any] = []
        for tr in (r for r in table.iter("tr") if _nearest_table(r) is table):
            cells = [cell for cell in tr if cell.tag in ("td", "th")]
            rows.append(_row(cells, below))
            heads = bool(cells) and all(cell.tag == "th" for cell in cells)
            headers += (heads or tr.getparent().tag == "thead") and headers == len(rows) - 1
            nested += [
                inner for cell in cells for inner in cell.iter("table") if _nearest_table(inner.getparent()) is table
            ]
        self._builder.add_table(rows, header_rows=max(1, headers))
        for inner in nested:
            self._table(inner)


def _row(cells: list[Any], below: dict[int, tuple[int, str]]) -> list[str]:
    texts: list[str] = []
    column = 0
    waiting = list(cells)
    while waiting or column in below:
        if column in below:
            left, text = below.pop(column)
            if left > 1:
                below[column] = (left - 1, text)
            texts.append(text)
            column += 1
            continue
        cell = waiting.pop(0)
        text = plain(_inline(cell)).replace("\n", " ")
        texts.append(text)
        rows = _count(cell.get("rowspan"))
        if rows > 1:
            below[column] = (rows - 1, text)
        column += _count(cell.get("colspan"))
    return texts


def _count(stated: str | None) -> int:
    return min(1000, int(stated)) if stated and stated.isdigit() and int(stated) else 1


def _nearest_table(element: Any) -> Any:
    while element is not None and element.tag != "table":
        element = element.getparent()
    return element


def _inline(element: Any) -> str:
    """The text of an element on one flow; what is a block inside is set apart, nested tables are left out."""
    parts = [element.text or ""]
    for inner in element:
        if isinstance(inner.tag, str) and inner.tag != "table":
            apart = inner.tag in _BLOCKS or inner.tag == "br"
            parts += ["\v" if apart else "", _inline(inner), "\v" if apart else ""]
        parts.append(inner.tail or "")
    return "".join(parts)


def _is_layout(table: Any) -> bool:
    """A table that only places things: one column or row, or cells with headings, tables, and long text in them."""
    if table.get("role") in ("presentation", "none"):
        return True
    rows = [[c for c in tr if c.tag in ("td", "th")] for tr in table.iter("tr") if _nearest_table(tr) is table]
    if max(map(len, rows), default=0) <= 1:
        return True
    if any(cell.tag == "th" for row in rows for cell in row):
        return False
    cells = [cell for row in rows for cell in row]
    longest = max(len("".join(cell.itertext())) for cell in cells)
    holds = any(
        isinstance(e.tag, str) and re.fullmatch(r"h[1-6]|table|form|article|section", e.tag)
        for c in cells
        for e in c.iter()
    )
    return longest > 1500 or (holds and longest > 300)


def plain(text: str) -> str:
    """White space as a browser shows it; \\v marks a line end that stays."""
    text = _HAN_WRAP.sub("", _UNSEEN.sub("", text).replace("\u00a0", " "))
    lines = [" ".join(line.split()) for line in text.split("\v")]
    return "\n".join(line for line in lines if line)
