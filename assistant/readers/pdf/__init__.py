"""PDF through PyMuPDF: lines, columns, tables, paragraphs, with the page of everything."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, timezone
from importlib import import_module
from pathlib import Path
from re import match
from typing import Any

from assistant.documents import Document
from assistant.errors import UnreadableFile
from assistant.language import language_of
from assistant.readers.builder import TextBuilder
from assistant.readers.pdf.lines import Page, page_of
from assistant.readers.pdf.margins import without_running_lines
from assistant.readers.pdf.paragraphs import write
from assistant.readers.pdf.quality import garbled
from assistant.readers.pdf.scans import Recognised, recognised
from assistant.settings import Reading


def read(path: Path, data: bytes, settings: Reading) -> Document:
    """The Document of the text layer; pages without a usable one are recognised by OCR (settings.ocr).

    Raises UnreadableFile: encrypted (a password is needed to open it), scan (no page has usable text), unsupported
    (an XFA form), empty, corrupt. Single pages without text, and those not reached in time, are named in
    `warnings` and `unread`.
    """
    with _opened(path.name, data) as pdf:
        pages, late = _pages(pdf, settings)
        bad = [page.number for page in pages if page.lines and garbled(page.text, page.recognised)]
        _refuse_forms(pdf, path.name, pages)
        seen = recognised(pdf, [page.emptied() if page.number in bad else page for page in pages], settings)
        bad = [number for number in bad if seen.outcomes.get(number) != "read"]
        _refuse_without_text(path.name, seen, bad, settings)
        builder = TextBuilder()
        write(builder, without_running_lines(seen.pages))
        properties = {key: str(value) for key, value in (pdf.metadata or {}).items() if value}
        count = pdf.page_count
    text, unread = builder.text, _warnings(seen, bad, late)
    return Document(
        path=str(path),
        name=path.name,
        title=_title(properties, builder),
        media="pdf",
        text=text,
        blocks=tuple(builder.blocks),
        language=language_of(text),
        pages=count,
        modified=_date(properties.get("modDate") or properties.get("creationDate", "")),
        meta=properties,
        warnings=(*unread, *_recognised(seen.pages)),
        unread=unread,
    )


@contextmanager
def _opened(name: str, data: bytes) -> Iterator[Any]:
    pymupdf: Any = import_module("pymupdf")  # heavy: only when a PDF is read; its types are incomplete
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    pymupdf.no_recommend_layout()
    try:
        pdf = pymupdf.open(stream=data, filetype="pdf")
    except Exception as err:  # PyMuPDF raises several classes, all of them for a file it cannot open
        raise _corrupt(name, "its structure is broken") from err
    with pdf:
        if pdf.needs_pass:
            raise UnreadableFile(
                f"{name} is protected by a password; save a copy without it and add that.", "encrypted"
            )
        if pdf.page_count == 0:
            raise _corrupt(name, "it has no pages")
        yield pdf


def _corrupt(name: str, why: str) -> UnreadableFile:
    return UnreadableFile(f"{name} cannot be read as PDF: {why}; get the file again from where it came.", "corrupt")


def _pages(pdf: Any, settings: Reading) -> tuple[list[Page], list[int]]:
    """The pages read within four fifths of the time for the file, and the numbers of those that were not reached."""
    stop = time.monotonic() + settings.seconds_per_file * 0.8
    pages: list[Page] = []
    for number in range(1, pdf.page_count + 1):
        now = time.monotonic()
        if now > stop:
            break
        pages.append(page_of(pdf, number, tables=now < stop - settings.seconds_per_file * 0.4))
    return pages, list(range(len(pages) + 1, pdf.page_count + 1))


def _refuse_forms(pdf: Any, name: str, pages: Sequence[Page]) -> None:
    text = " ".join(page.text for page in pages)
    if _is_xfa(pdf) and (len(text) < 300 or "please wait" in text[:2000].lower()):
        raise UnreadableFile(
            f"{name} is an XFA form, whose text only Adobe's program shows; print it to PDF.", "unsupported"
        )


def _refuse_without_text(name: str, seen: Recognised, bad: Sequence[int], settings: Reading) -> None:
    if any(page.lines or page.tables for page in seen.pages):
        return
    if seen.numbers("late", "slow"):
        limit = f"reading.seconds_per_ocr_page = {settings.seconds_per_ocr_page}"
        raise UnreadableFile(
            f"{name} consists of pictures of pages, and OCR took longer than {limit}; raise it.", "scan"
        )
    if seen.numbers("large"):
        raise UnreadableFile(f"{name} holds pictures that are too large to unpack; make them smaller.", "too_large")
    if seen.numbers("illegible", "broken"):
        raise UnreadableFile(
            f"{name} consists of pictures of pages in which OCR finds no legible text; scan it again at 300 dpi.",
            "scan",
        )
    if bad:
        raise UnreadableFile(
            f"{name} has a text layer that is not readable (wrong letters); set reading.ocr = true.", "scan"
        )
    if any(page.picture for page in seen.pages):
        raise UnreadableFile(f"{name} consists of pictures of pages; set reading.ocr = true to read them.", "scan")
    if all(page.broken for page in seen.pages):
        raise _corrupt(name, "none of its pages can be opened")
    raise UnreadableFile(f"{name} has pages but no text on them; there is nothing to index.", "empty")


def _is_xfa(pdf: Any) -> bool:
    try:
        return bool(pdf.xref_get_key(pdf.pdf_catalog(), "AcroForm/XFA")[0] != "null")
    except Exception:  # a damaged catalogue has no form
        return False


def _warnings(seen: Recognised, bad: Sequence[int], late: Sequence[int]) -> tuple[str, ...]:
    silent = [page for page in seen.pages if not page.lines and not page.tables and page.number not in bad]
    told = (
        ("no text: pictures that need OCR", [p.number for p in silent if p.picture and p.number not in seen.outcomes]),
        ("no text that OCR can read", _without(seen.numbers("illegible"), bad)),
        ("no text: they cannot be opened", [p.number for p in silent if p.broken]),
        ("no text: they cannot be drawn for OCR", _without(seen.numbers("broken"), bad)),
        ("no text: pictures too large for OCR", _without(seen.numbers("large"), bad)),
        ("an unreadable text layer (wrong letters) and were left out", bad),
        ("not been read, because OCR took too long", _without(seen.numbers("slow", "late"), bad)),
        ("not been read, because reading took too long", late),
    )
    return tuple(f"{_numbers(numbers)} {_have(numbers)} {what}." for what, numbers in told if numbers)


def _without(numbers: Sequence[int], others: Sequence[int]) -> list[int]:
    return [number for number in numbers if number not in others]


def _recognised(pages: Sequence[Page]) -> tuple[str, ...]:
    numbers = [page.number for page in pages if page.recognised and page.lines]
    return (f"{_numbers(numbers)}: the text was recognised from a picture and may hold errors.",) if numbers else ()


def _have(numbers: Sequence[int]) -> str:
    return "has" if len(numbers) == 1 else "have"


def _numbers(numbers: Sequence[int]) -> str:
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    shown = ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs)
    return f"Page {shown}" if len(numbers) == 1 else f"Pages {shown}"


def _title(properties: dict[str, str], builder: TextBuilder) -> str:
    """The first heading of the highest level on the first page, else the title property unless it is a file name."""
    first = [b for b in builder.blocks if b.kind == "heading" and (b.page or 1) == 1]
    if first:
        return min(first, key=lambda b: (b.level, b.start)).text
    stated = properties.get("title", "").strip()
    return (
        "" if match(r"(?i)^(?:untitled|microsoft word|.*\.(?:docx?|pdf|tex|indd|dvi|pptx?|xlsx?)$)", stated) else stated
    )


def _date(stated: str) -> datetime | None:
    """D:20240315101500+08'00' as a time with its zone (UTC when none is stated)."""
    found = match(r"(?:D:)?(\d{4})(\d\d)(\d\d)(\d\d)?(\d\d)?(\d\d)?(?:([+-])(\d\d)'?(\d\d)?)?", stated)
    if not found:
        return None
    numbers = [int(part or 0) for part in found.groups()[:6]]
    offset = timedelta(hours=int(found[8] or 0), minutes=int(found[9] or 0)) * (-1 if found[7] == "-" else 1)
    try:
        return datetime(*numbers, tzinfo=timezone(offset) if found[7] else UTC)  # type: ignore[misc, arg-type]
    except ValueError:
        return None
