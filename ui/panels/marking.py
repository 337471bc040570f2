"""Where a query's terms stand in a passage, and which of its sentences are cited."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ui.panels.markup import esc

Span = tuple[int, int]


class Lit(NamedTuple):
    """A range of a text that is cited under this number, 0 when it is not and only near; `says`: for which sentences
    of the answer, by index.
    """

    start: int
    end: int
    number: int
    says: tuple[int, ...] = ()


_BLANK_LINES = re.compile(r"\n[^\S\n]*\n\s*")


def term_spans(text: str, terms: Iterable[str]) -> list[Span]:
    """Character ranges of the terms in the text, in order, overlapping and touching ones merged.

    Width, case and accents do not matter. A term of letters is a whole word; where it stands nowhere as such, words
    that are its plural ("policies" for "policy") are marked. A term in Chinese may stand anywhere.
    """
    folded, origin = _fold(text)
    found: list[Span] = []
    for term in {_fold(t)[0] for t in terms if t.strip()}:
        for start, end in _exact(folded, term) or _plural(folded, term):
            found.append((origin[start], origin[end - 1] + 1))
    return _merged(found)


def mark(text: str, terms: Iterable[str] = (), lit: Sequence[Lit] = ()) -> str:
    """HTML of the text with its terms marked and these ranges lit; what two of them share is lit once."""
    spans = term_spans(text, terms)
    pieces, at = [], 0
    for start, end, number, says in sorted(lit):
        start, end = max(at, start), min(end, len(text))
        if start >= end:
            continue
        pieces.append(_with_terms(text, at, start, spans))
        inner = _with_terms(text, start, end, spans)
        pieces.append(_lit(inner, number, says))
        at = end
    pieces.append(_with_terms(text, at, len(text), spans))
    return "".join(pieces)


def _lit(inner: str, number: int, says: Sequence[int]) -> str:
    which = f' data-says="{" ".join(map(str, says))}"' if says else ""
    if not number:
        return f'<mark class="gb-near"{which}>{inner}</mark>'
    return f'<mark class="gb-lit" data-cite="{number}"{which}>{inner}<sup>{number}</sup></mark>'


def _with_terms(text: str, start: int, end: int, spans: Sequence[Span]) -> str:
    pieces, at = [], start
    for a, b in spans:
        a, b = max(a, start), min(b, end)
        if a >= b:
            continue
        pieces += [_plain(text[at:a]), f'<mark class="gb-term">{esc(text[a:b])}</mark>']
        at = b
    return "".join(pieces) + _plain(text[at:end])


def _plain(text: str) -> str:
    """Blank lines, of which text layers of PDFs are full, become one small gap."""
    return _BLANK_LINES.sub('<i class="gb-gap"></i>', esc(text))


def _fold(text: str) -> tuple[str, list[int]]:
    """The folded text and, for each of its characters, the index of the character it came from."""
    folded: list[str] = []
    origin: list[int] = []
    for i, char in enumerate(text):
        for part in unicodedata.normalize("NFKD", char).casefold():
            if not "\u0300" <= part <= "\u036f":
                folded.append(part)
                origin.append(i)
    return "".join(folded), origin


def _exact(folded: str, term: str) -> list[Span]:
    if not term:
        return []
    # the index holds 12,500 as 12500
    body = ",?".join(term) if term.isdigit() else re.escape(term)
    # looked at ahead, so that occurrences may overlap
    return [m.span(1) for m in re.finditer(f"(?=({body}))", folded) if _stands_alone(folded, m.span(1))]


def _stands_alone(folded: str, span: Span) -> bool:
    """Whether the occurrence does not begin or end within a word."""
    start, end = span
    joined_before = start > 0 and _spaced(folded[start]) and _spaced(folded[start - 1])
    joined_after = end < len(folded) and _spaced(folded[end - 1]) and _spaced(folded[end])
    return not joined_before and not joined_after


def _plural(folded: str, term: str) -> list[Span]:
    if len(term) < 3 or not term.isalpha() or not _spaced(term[0]):
        return []
    forms = [f"{term}s", f"{term}es", *([f"{term[:-1]}ies"] if term.endswith("y") else [])]
    return [span for form in forms for span in _exact(folded, form)]


def _spaced(char: str) -> bool:
    """Letters of scripts that put spaces between words, and digits."""
    return char.isalnum() and not ("\u2e80" <= char <= "\ua4cf" or "\uac00" <= char <= "\ud7af" or char >= "\uf900")


def _merged(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
