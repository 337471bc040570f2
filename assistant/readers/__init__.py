"""From a file to a Document: one reader per format, chosen by what the file holds, not by what it is called."""

from __future__ import annotations

from pathlib import Path

from assistant.documents import Document
from assistant.errors import AssistantError, UnreadableFile
from assistant.readers.content import FORMAT_NAMES, format_of
from assistant.registry import Registry
from assistant.settings import Reading

READERS: Registry[Document] = Registry(
    "reader",
    {
        "md": "assistant.readers.markdown:read",
        "txt": "assistant.readers.plain_text:read",
        "html": "assistant.readers.html:read",
        "pdf": "assistant.readers.pdf:read",
        "docx": "assistant.readers.docx:read",
        "pptx": "assistant.readers.pptx:read",
        "xlsx": "assistant.readers.xlsx:read",
        "xls": "assistant.readers.xls:read",
        "xls_xml": "assistant.readers.xls_xml:read",
        "csv": "assistant.readers.csv_text:read",
        "notebook": "assistant.readers.ipynb:read",
        "image": "assistant.readers.image:read",
        "email": "assistant.readers.eml:read",
        "epub": "assistant.readers.epub:read",
        "odf": "assistant.readers.odf:read",
    },
)

SUPPORTED: tuple[str, ...] = (
    *(".md", ".markdown", ".txt", ".text", ".log", ".html", ".htm", ".xhtml", ".pdf", ".docx"),
    *(".pptx", ".pptm", ".ppsx", ".xlsx", ".xlsm", ".xls", ".csv", ".tsv", ".tab", ".ipynb"),
    *(".eml", ".epub", ".odt", ".ods", ".odp", ".ott", ".ots", ".otp"),
    *(".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".webp", ".gif"),
)
"""Extensions of the formats that are read; the content decides in the end."""


def read(path: str | Path, settings: Reading | None = None, name: str | None = None) -> Document:
    """The document in this file; `name` is what it is shown as (default: the file name).

    Always holds text. Raises UnreadableFile with one of its kinds for everything else, also for faults of a library.
    """
    file, settings = Path(path), settings or Reading()
    shown = name or file.name
    return document_of(_bytes(file, shown, settings), file, shown, settings)


def document_of(data: bytes, file: Path, shown: str, settings: Reading) -> Document:
    """The document in these bytes, which need not lie in a file (an attachment); raises as `read` does."""
    kind = format_of(data, file.suffix)
    if kind not in READERS:
        raise _unsupported(shown, kind)
    try:
        document: Document = READERS.build(kind, file, data, settings)
    except AssistantError:
        raise
    except ImportError as err:
        raise UnreadableFile(
            f"{shown} needs the package {err.name}, which is not installed; run: pip install {err.name}.", "unsupported"
        ) from err
    except MemoryError as err:
        raise UnreadableFile(f"{shown} needs more memory than there is; split it into parts.", "too_large") from err
    except Exception as err:  # whatever a parser trips over, the file is named and the others go on
        raise UnreadableFile(
            f"{shown} cannot be read as {FORMAT_NAMES[kind]} ({type(err).__name__}: {str(err)[:120]}); open it in its "
            "own program and save it again.",
            "corrupt",
        ) from err
    if not document.text.strip():
        raise UnreadableFile(f"{shown} holds no text; there is nothing to index.", "empty")
    return document.model_copy(update={"name": shown})


def _bytes(file: Path, shown: str, settings: Reading) -> bytes:
    try:
        if file.is_dir():
            raise UnreadableFile(f"{shown} is a folder; add the files in it.", "unsupported")
        megabytes = file.stat().st_size / 1_000_000
        if megabytes > settings.max_megabytes:
            limit = f"reading.max_megabytes = {settings.max_megabytes}"
            raise UnreadableFile(
                f"{shown} has {megabytes:.0f} MB, more than {limit}; raise it or split it.", "too_large"
            )
        data = file.read_bytes()
    except FileNotFoundError as err:
        raise UnreadableFile(f"{shown} is not there any more; scan the folder again.", "missing") from err
    except PermissionError as err:
        raise UnreadableFile(f"{shown} may not be opened by this user; change its permissions.", "denied") from err
    except OSError as err:
        raise UnreadableFile(f"{shown} cannot be opened ({err.strerror or err}); check the disk.", "corrupt") from err
    if not data.strip(b"\0 \t\r\n\xef\xbb\xbf"):
        raise UnreadableFile(f"{shown} is empty; there is nothing to index.", "empty")
    return data


def _unsupported(shown: str, kind: str) -> UnreadableFile:
    if kind == "encrypted":
        return UnreadableFile(f"{shown} is protected by a password; remove it and add the file again.", "encrypted")
    what = FORMAT_NAMES.get(kind, kind)
    return UnreadableFile(
        f"{shown} is {what}, which is not read; save it as PDF, Word or text, and add that.", "unsupported"
    )
