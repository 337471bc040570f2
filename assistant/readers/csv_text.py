"""Tables as text: comma, semicolon, tab or bar between the cells."""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import Path

from assistant.documents import Document
from assistant.language import language_of
from assistant.readers.builder import TextBuilder
from assistant.readers.encoding import decode
from assistant.readers.sheets import Sheet, write_sheets
from assistant.settings import Reading

_DELIMITERS = "\t|;,"  # a comma last: in the others' files it stands in decimals, on every line as well
_SAMPLE = 100_000
_MOST_LINES_IN_CELL = 200


def read(path: Path, data: bytes, settings: Reading) -> Document:
    """The Document of one table, a line per row; lines of one cell above it are its title.

    The delimiter is the one that gives most rows the same number of cells; numbers stay as they are written.
    """
    text, encoding = decode(data, settings.legacy_encoding, path.name)
    delimiter, text = _stated(text)
    rows = rows_of(text, delimiter or delimiter_of(text[:_SAMPLE]))
    builder = TextBuilder()
    write_sheets(builder, [Sheet("", rows)])
    title = next((block.text for block in builder.blocks if block.kind == "heading"), "")
    return Document(
        path=str(path),
        name=path.name,
        title=title,
        media="csv",
        text=builder.text,
        blocks=tuple(builder.blocks),
        language=language_of(builder.text),
        encoding=encoding,
    )


def _stated(text: str) -> tuple[str, str]:
    """The delimiter of a first line "sep=;", which Excel writes, and the rest; "" when there is none."""
    first, _, rest = text.partition("\n")
    line = first.strip("\r \"'")
    return (line[4:], rest) if line.lower().startswith("sep=") and len(line) == 5 else ("", text)


def delimiter_of(sample: str) -> str:
    """The delimiter by which most rows have the same number of cells, at least two; a comma when there is none."""
    scores = {delimiter: _regular(rows_of(sample, delimiter)) for delimiter in _DELIMITERS if delimiter in sample}
    return max(scores, key=lambda delimiter: scores[delimiter], default=",")


def _regular(rows: list[list[str]]) -> float:
    """The share of the rows that have the most usual number of cells; 0 when that is one."""
    counts = Counter(len(row) for row in rows if row)
    usual, often = max(counts.items(), key=lambda pair: (pair[0] > 1, pair[1]), default=(0, 0))
    return often / counts.total() if usual > 1 else 0.0


def rows_of(text: str, delimiter: str) -> list[list[str]]:
    """The rows of stripped cells. A quotation mark that is never closed does not swallow the rest of the file."""
    escape = "\\" if '\\"' in text and '""' not in text else None
    source = io.StringIO(text, newline="")
    try:
        rows = [
            [cell.strip() for cell in row]
            for row in csv.reader(source, delimiter=delimiter, escapechar=escape, skipinitialspace=delimiter != "\t")
        ]
        whole = all(cell.count("\n") <= _MOST_LINES_IN_CELL for row in rows for cell in row if len(cell) > 200)
    except csv.Error:  # a cell of more than 131,072 characters
        whole = False
    if whole:
        return rows
    return [[cell.strip().strip('"') for cell in line.split(delimiter)] for line in text.splitlines()]
