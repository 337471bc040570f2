"""What a file is: magic bytes first, extension second (a PDF named .txt is read as PDF, never as bytes)."""

from __future__ import annotations

import io
import re
import zipfile

FORMAT_NAMES: dict[str, str] = {
    "md": "Markdown",
    "txt": "plain text",
    "html": "HTML",
    "pdf": "PDF",
    "docx": "Word (.docx)",
    "doc": "old Word (.doc)",
    "pptx": "PowerPoint (.pptx)",
    "xlsx": "Excel (.xlsx)",
    "ole": "an old Office file",
    "odf": "OpenDocument",
    "epub": "an e-book (.epub)",
    "zip": "a ZIP archive",
    "image": "a picture",
    "media": "sound or film",
    "archive": "an archive",
    "program": "a program",
    "rtf": "Rich Text (.rtf)",
    "csv": "a table (.csv)",
    "email": "an e-mail (.eml)",
    "notebook": "a notebook (.ipynb)",
    "postscript": "PostScript",
    "binary": "binary data",
}

_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image"),
    (b"\xff\xd8\xff", "image"),
    (b"GIF8", "image"),
    (b"II*\0", "image"),
    (b"MM\0*", "image"),
    (b"\x1f\x8b", "archive"),
    (b"7z\xbc\xaf\x27\x1c", "archive"),
    (b"Rar!\x1a\x07", "archive"),
    (b"BZh9", "archive"),
    (b"\xfd7zXZ\0", "archive"),
    (b"\x7fELF", "program"),
    (b"ID3", "media"),
    (b"OggS", "media"),
    (b"fLaC", "media"),
    (b"\x1aE\xdf\xa3", "media"),
    (b"{\\rtf", "rtf"),
    (b"%!PS", "postscript"),
)
_BY_EXTENSION: dict[str, str] = {
    ".md": "md",
    ".markdown": "md",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".csv": "csv",
    ".tsv": "csv",
    ".eml": "email",
    ".ipynb": "notebook",
    ".svg": "image",
}
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HTML_START = re.compile(rb"(?is)^(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)[\s>]")


def format_of(data: bytes, extension: str = "") -> str:
    """One of the names in FORMAT_NAMES, or "encrypted" for a password-protected Office file.

    Text without a magic number goes by its extension, and is plain text under an unknown one.
    """
    if b"%PDF-" in data[:1024] or _truncated_pdf(data, extension):
        return "pdf"
    if data[:4] == b"PK\x03\x04":
        return _in_zip(data, extension)
    if data[:8] == _OLE:
        return _in_ole(data)
    for magic, kind in _MAGIC:
        if data.startswith(magic):
            return kind
    if data[:4] == b"RIFF" and data[8:12] in (b"WEBP", b"AVI ", b"WAVE"):
        return "image" if data[8:12] == b"WEBP" else "media"
    if data[4:8] == b"ftyp":
        return "media"
    return _in_text(data, extension.lower())


def _truncated_pdf(data: bytes, extension: str) -> bool:
    return extension.lower() == ".pdf" and b"%%EOF" in data[-2048:]


def _in_zip(data: bytes, extension: str) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = set(archive.namelist())
            kind = archive.read("mimetype")[:80].decode("ascii", "replace") if "mimetype" in names else ""
    except Exception:  # a damaged archive: the reader of its extension says so
        return "docx" if extension.lower() == ".docx" else "zip"
    if "epub" in kind:
        return "epub"
    if "opendocument" in kind:
        return "odf"
    for part, found in (("word/", "docx"), ("ppt/", "pptx"), ("xl/", "xlsx")):
        if any(name.startswith(part) for name in names):
            return found
    return "zip"


def _in_ole(data: bytes) -> str:
    if "EncryptedPackage".encode("utf-16-le") in data:
        return "encrypted"
    return "doc" if "WordDocument".encode("utf-16-le") in data else "ole"


def _in_text(data: bytes, extension: str) -> str:
    start = data[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):  # UTF-16: compare without the zero bytes
        start = data[2:8192].replace(b"\0", b"").lstrip()
    if _HTML_START.match(start):
        return "html"
    if extension in (".pdf", ".docx"):  # neither a PDF nor a Word file: text under a wrong name, or rubbish
        return "txt" if start and b"\0" not in data[:4096] and _mostly_printable(data[:4096]) else extension[1:]
    return _BY_EXTENSION.get(extension, "txt")


def _mostly_printable(sample: bytes) -> bool:
    control = sum(byte < 32 and byte not in (9, 10, 12, 13, 27) for byte in sample)
    return control <= len(sample) * 0.01
