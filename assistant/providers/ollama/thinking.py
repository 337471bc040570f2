"""Takes a model's thinking out of its answer: `<think>…</think>` blocks, also when they are never closed."""

from __future__ import annotations

_OPEN, _CLOSE = "<think>", "</think>"


class ThinkingFilter:
    """Give it the answer piece by piece; it gives back what may be shown so far.

    Tags may be split over pieces. Old servers and many community models leave them in, although thinking is off.
    """

    def __init__(self) -> None:
        self._held = ""
        self._thinking = False
        self._shown = False

    def feed(self, text: str) -> str:
        """What may be shown after this piece; the possible beginning of a tag is held back."""
        self._held += text
        return self._started(self._release())

    def finish(self) -> str:
        """What was held back and turned out to be no tag; nothing of an unclosed block."""
        rest, self._held = ("" if self._thinking else self._held), ""
        return self._started(rest)

    def _release(self) -> str:
        out = ""
        while True:
            tag, at = _first_tag(self._held)
            before = self._held[:at]
            if not self._thinking:
                out += before
            if not tag:
                self._held = self._held[at:]
                return out
            self._held = self._held[at + len(tag) :]
            self._thinking = tag == _OPEN

    def _started(self, text: str) -> str:
        """The answer begins with its first word, not with the blank lines after the block."""
        shown = text if self._shown else text.lstrip()
        self._shown = self._shown or bool(shown)
        return shown


def _first_tag(text: str) -> tuple[str, int]:
    """(tag, its place); ("", where the possible beginning of a tag starts) when there is none."""
    places = [(text.find(tag), tag) for tag in (_OPEN, _CLOSE) if tag in text]
    if places:
        at, tag = min(places)
        return tag, at
    start = text.rfind("<")
    partial = start >= 0 and any(tag.startswith(text[start:]) for tag in (_OPEN, _CLOSE))
    return "", start if partial else len(text)
