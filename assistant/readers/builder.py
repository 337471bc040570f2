"""Text built block by block, for formats whose files hold no running text of their own."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence

from assistant.documents import Block, BlockKind, Document

_SPACES = re.compile(r"[ \t\u00a0\u2000-\u200a]+")


class TextBuilder:
    """Collects blocks, a blank line between them; every block is an exact span of `text`."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._parts: list[str] = []
        self._length = 0

    @property
    def text(self) -> str:
        return "".join(self._parts)

    def add(
        self,
        kind: BlockKind,
        text: str,
        *,
        level: int = 0,
        pages: tuple[int, int] | None = None,
        header: int = 0,
        turns: Sequence[int] = (),
    ) -> None:
        """Appends a block; text of white space only is left out. `header`: characters of the table's header rows.

        `turns`: where in the text each page after the first of `pages` begins.
        """
        text = text.strip("\r\n") if kind == "code" else text.strip()
        if not text.strip():
            return
        if kind == "list" and self.blocks and self.blocks[-1].kind == "list":
            self._add_item(text, pages, turns)
            return
        start = self._append(text, "\n\n")
        self.blocks.append(
            Block(
                kind=kind,
                text=text,
                start=start,
                end=self._length,
                page=pages[0] if pages else None,
                page_end=pages[1] if pages else None,
                level=level,
                header_end=start + min(header, len(text)) if header else None,
                turns=tuple(start + min(turn, len(text)) for turn in turns),
            )
        )

    def add_blocks(self, blocks: Sequence[Block], text: str) -> None:
        """Appends a text with blocks whose offsets are in it; they are shifted."""
        shift = self._append(text, "\n\n")
        for block in blocks:
            end = block.header_end + shift if block.header_end is not None else None
            turns = tuple(turn + shift for turn in block.turns)
            moved = {"start": block.start + shift, "end": block.end + shift, "header_end": end, "turns": turns}
            self.blocks.append(block.model_copy(update=moved))

    def _append(self, text: str, gap: str) -> int:
        """Where the text now begins."""
        start = self._length + len(gap) if self._parts else 0
        self._parts += [gap, text] if self._parts else [text]
        self._length = start + len(text)
        return start

    def _add_item(self, text: str, pages: tuple[int, int] | None, turns: Sequence[int]) -> None:
        """Lengthens the list that was added last."""
        last = self.blocks[-1]
        start = self._append(text, "\n")
        since = pages[0] - last.page_end if pages and last.page_end else 0
        changes = {
            "text": f"{last.text}\n{text}",
            "end": self._length,
            "page_end": pages[1] if pages else None,
            "turns": (*last.turns, *[start] * since, *(start + turn for turn in turns)),
        }
        self.blocks[-1] = last.model_copy(update=changes)

    def include(self, document: Document, below: int = 0) -> None:
        """Appends the blocks of another document, without its pages, its headings `below` levels lower."""
        for block in document.blocks:
            level = min(6, block.level + below) if block.level else 0
            header = block.header_end - block.start if block.header_end is not None else 0
            self.add(block.kind, block.text, level=level, header=header)

    def add_table(
        self,
        rows: Sequence[Sequence[str]],
        header_rows: int = 1,
        pages: tuple[int, int] | None = None,
        row_pages: Sequence[int] = (),
    ) -> None:
        """Appends a table, one line per row, cells joined by " | "; rows without any text are left out.

        `row_pages`: the page of each row, in place of `pages`.
        """
        lines = [row_line(row) for row in rows]
        turns: list[int] = []
        if row_pages:
            pages, turns = (row_pages[0], row_pages[-1]), _turns(lines, row_pages)
        header = "\n".join(line for line in lines[:header_rows] if line)
        lines = [line for line in lines if line]
        self.add("table", "\n".join(lines), pages=pages, header=len(header) if len(lines) > 1 else 0, turns=turns)


def _turns(lines: Sequence[str], pages: Sequence[int]) -> list[int]:
    """Where in the joined lines each page after the first begins."""
    turns: list[int] = []
    at = 0
    for n, line in enumerate(lines):
        turns += [at] * (pages[n] - pages[max(0, n - 1)])
        at += len(line) + 1 if line else 0
    return turns


def row_line(cells: Sequence[str]) -> str:
    """The cells on one line joined by " | ", empty ones kept as gaps; "" when all are empty."""
    plain = [one_line(cell).replace("|", "/") if "|" in cell else one_line(cell) for cell in cells]
    return " | ".join(plain).strip() if any(plain) else ""


def one_line(text: str) -> str:
    """The text on one line: line ends between ideographs vanish, others become a space."""
    if text.isalnum():  # most cells of a table
        return text
    lines = [_SPACES.sub(" ", line).strip() for line in text.splitlines()]
    return join_lines([line for line in lines if line])


_WIDE = r"\u2e80-\u303f\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef“”‘’…—"
_WIDE_END, _WIDE_START = re.compile(f"[{_WIDE}]$"), re.compile(f"^[{_WIDE}]")
_HYPHEN_END = re.compile(r"[^\W\d_][\u00ad\u2010\ufffe-]$")


def join_lines(lines: Sequence[str], compounds: Container[str] = ()) -> str:
    """Lines of one paragraph as running text.

    Between ideographs nothing is put, otherwise a space. A hyphen after a letter goes when the next line goes on in
    lower case; it stays (without a space) before a capital or a digit (Lucene-BM25), and in `compounds`, which are
    the words that stand with a hyphen elsewhere in the document, in lower case.
    """
    joined: list[str] = []
    for line in lines:
        if not joined:
            joined.append(line)
            continue
        before = joined[-1]
        if _HYPHEN_END.search(before) and line[:1].isalnum():
            joined[-1] = before[:-1] if _splits_word(before, line, compounds) else before
        elif not (_WIDE_END.search(before) and _WIDE_START.search(line)):
            joined.append(" ")
        joined.append(line)
    return "".join(joined)


def _splits_word(before: str, line: str, compounds: Container[str]) -> bool:
    if before[-1] in "\u00ad\ufffe":
        return True
    head, tail = re.search(r"[\w-]+$", before), re.match(r"[\w-]+", line)
    if head and tail and f"{head[0].rstrip('-')}-{tail[0]}".lower() in compounds:
        return False
    return line[:1].islower()
