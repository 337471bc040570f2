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
    "xls": "old Excel (.xls)",
    "xls_xml": "old Excel (.xls)",
    "xlsb": "binary Excel (.xlsb)",
    "ppt": "old PowerPoint (.ppt)",
    "ole": "an old Office file",
    "odf": "OpenDocument",
    "epub": "an e-book (.epub)",
    "zip": "a ZIP archive",
    "image": "a picture",
    "drawing": "a drawing (.svg)",
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
    ".tab": "csv",
    ".eml": "email",
    ".ipynb": "notebook",
    ".svg": "drawing",
}
_IN_ZIP = {
    ".epub": "epub",
    ".odt": "odf",
    ".ods": "odf",
    ".odp": "odf",
    ".docx": "docx",
    ".pptx": "pptx",
    ".pptm": "pptx",
    ".ppsx": "pptx",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
}
_UNPACKED = {".pdf": "pdf", **_IN_ZIP, ".xls": "xls"}
_BIFF = (b"\x09\x08", b"\x09\x04", b"\x09\x02", b"\x09\x00")
"""How sheets of Excel 2 to 5 begin that stand in no container."""
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
        return _in_ole(data, extension.lower())
    if data.startswith(_BIFF) and extension.lower() == ".xls":
        return "xls"
    for magic, kind in _MAGIC:
        if data.startswith(magic):
            return kind
    if data[:4] == b"RIFF" and data[8:12] in (b"WEBP", b"AVI ", b"WAVE"):
        return "image" if data[8:12] == b"WEBP" else "media"
    if data[:2] == b"BM" and data[6:10] == b"\0\0\0\0":
        return "image"
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
        return _IN_ZIP.get(extension.lower(), "zip")
    if "epub" in kind or "META-INF/container.xml" in names:
        return "epub"
    if "opendocument" in kind or {"content.xml", "META-INF/manifest.xml"} <= names:
        return "odf"
    if "xl/workbook.bin" in names:
        return "xlsb"
    for part, found in (("word/", "docx"), ("ppt/", "pptx"), ("xl/", "xlsx")):
        if any(name.startswith(part) for name in names):
            return found
    return "zip"


def _in_ole(data: bytes, extension: str) -> str:
    """By the streams; the extension decides between several, as a document can hold another."""
    if "EncryptedPackage".encode("utf-16-le") in data:
        return "encrypted"
    streams = (("WordDocument", "doc"), ("PowerPoint Document", "ppt"), ("Workbook", "xls"), ("Book", "xls"))
    kinds = [kind for stream, kind in streams if f"{stream}\0".encode("utf-16-le") in data]
    return extension[1:] if extension[1:] in kinds else [*kinds, "ole"][0]


def _in_text(data: bytes, extension: str) -> str:
    start = data[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
    wide = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    if wide:  # UTF-16: compare without the zero bytes
        start = data[2:8192].replace(b"\0", b"").lstrip()
    if _HTML_START.match(start):
        return "html"
    if b"urn:schemas-microsoft-com:office:spreadsheet" in start:
        return "xls_xml"
    if extension in _UNPACKED:  # no file of this format: text under a wrong name, or rubbish
        if not wide and (not start or b"\0" in start or not _mostly_printable(start)):
            return _UNPACKED[extension]
        return "csv" if extension.startswith(".xl") else "txt"  # programs write tables as text and name them .xls
    return _BY_EXTENSION.get(extension, "txt")


def _mostly_printable(sample: bytes) -> bool:
    control = sum(byte < 32 and byte not in (9, 10, 12, 13, 27) for byte in sample)
    return control <= len(sample) * 0.01
