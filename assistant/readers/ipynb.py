"""Notebooks (.ipynb): the Markdown and code of their cells, and what the code printed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assistant.documents import Document
from assistant.errors import UnreadableFile
from assistant.language import language_of
from assistant.readers.builder import TextBuilder
from assistant.readers.encoding import decode
from assistant.readers.markdown import blocks_of
from assistant.readers.questions import fold
from assistant.settings import Reading

LONGEST_OUTPUT = 2000
"""Characters of one output: what is longer is a log or a dump, and the code beside it tells more."""

_EMBEDDED = re.compile(r"data:[\w/+.-]+;base64,[A-Za-z0-9+/=\s]+")
_TERMINAL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_DRAWN = re.compile(r"<(?:Figure|Axes|matplotlib|IPython\.|AxesSubplot)[^\n]*>|\[<matplotlib[^\n]*>\]|Figure\([^\n]*\)")


def read(path: Path, data: bytes, settings: Reading) -> Document:
    """The Document of the cells in order: Markdown as Markdown, code and short text outputs as code.

    Pictures and whatever else is not text are left out. Raises UnreadableFile("corrupt") when it is no notebook.
    """
    text, encoding = decode(data, settings.legacy_encoding, path.name)
    notebook = _parsed(text, path.name)
    builder = TextBuilder()
    cut = sum(_write(builder, cell) for cell in _cells(notebook))
    blocks = fold(builder.text, builder.blocks)
    headings = sorted((b for b in blocks if b.kind == "heading"), key=lambda b: (b.level, b.start))
    said = (f"Outputs were cut to {LONGEST_OUTPUT} characters each: {cut}.",) if cut else ()
    return Document(
        path=str(path),
        name=path.name,
        title=_stated_title(notebook) or (headings[0].text if headings else ""),
        media="ipynb",
        text=builder.text,
        blocks=tuple(blocks),
        language=language_of(builder.text),
        encoding=encoding,
        warnings=said,
    )


def _parsed(text: str, name: str) -> dict[str, Any]:
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError) as err:
        raise _no_notebook(name, "it is no whole JSON text") from err
    if not isinstance(notebook, dict) or not any(
        isinstance(notebook.get(key), list) for key in ("cells", "worksheets")
    ):
        raise _no_notebook(name, "it has no cells")
    return notebook


def _no_notebook(name: str, why: str) -> UnreadableFile:
    return UnreadableFile(f"{name} cannot be read as notebook: {why}; open it in Jupyter and save it again.", "corrupt")


def _cells(notebook: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The cells, also those of format 3, which had sheets of them."""
    sheets = [sheet for sheet in notebook.get("worksheets") or [] if isinstance(sheet, dict)]
    for cells in (notebook.get("cells"), *(sheet.get("cells") for sheet in sheets)):
        yield from (cell for cell in cells or [] if isinstance(cell, dict))


def _stated_title(notebook: dict[str, Any]) -> str:
    metadata = notebook.get("metadata")
    title = metadata.get("title") if isinstance(metadata, dict) else ""
    return title.strip() if isinstance(title, str) else ""


def _write(builder: TextBuilder, cell: dict[str, Any]) -> int:
    """Appends a cell; how many of its outputs were cut comes back."""
    source = _joined(cell.get("source", cell.get("input")))
    kind = cell.get("cell_type")
    if kind == "code":
        builder.add("code", source)
        return sum(_write_output(builder, output) for output in cell.get("outputs") or [] if isinstance(output, dict))
    if kind == "heading":  # format 3
        level = cell.get("level")
        builder.add("heading", source, level=level if isinstance(level, int) and 1 <= level <= 6 else 1)
    elif kind == "raw":
        builder.add("paragraph", source)
    else:
        _write_markdown(builder, source)
    return 0


def _write_markdown(builder: TextBuilder, source: str) -> None:
    text = _EMBEDDED.sub("", source).strip()
    if text:
        builder.add_blocks(list(blocks_of(text)), text)


def _write_output(builder: TextBuilder, output: dict[str, Any]) -> int:
    text = _EMBEDDED.sub("", _TERMINAL.sub("", _output_text(output))).strip("\r\n").rstrip()
    if not text or _DRAWN.fullmatch(text.strip()):
        return 0
    if len(text) <= LONGEST_OUTPUT:
        builder.add("code", text)
        return 0
    builder.add("code", text[:LONGEST_OUTPUT].rpartition("\n")[0] or text[:LONGEST_OUTPUT])
    return 1


def _output_text(output: dict[str, Any]) -> str:
    """What was printed, the text form of a value, or an error in one line without the way to it."""
    if output.get("output_type") in ("error", "pyerr"):
        return f"{_joined(output.get('ename'))}: {_joined(output.get('evalue'))}"
    data = output.get("data", output)
    if not isinstance(data, dict):
        return ""
    return next((text for key in ("text/markdown", "text/plain", "text") if (text := _joined(data.get(key)))), "")


def _joined(lines: object) -> str:
    """Text, which notebooks keep as one string or as a list of lines; "" for everything else."""
    if isinstance(lines, list):
        return "".join(line for line in lines if isinstance(line, str))
    return lines if isinstance(lines, str) else ""
