"""Which ranges of a passage stand behind the answer."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.trace import Answered, Candidate, Citation, Passage, Trace
from ui.panels.marking import Lit

NEAR = 0  # the number of a range that is only the nearest thing to a sentence that no source supports


def citations(trace: Trace, c: Candidate) -> list[Citation]:
    """The answer's citations of this candidate or of another place with the same text."""
    answered = trace.answered
    return [x for x in answered.citations if x.chunk_id in _places(c)] if answered else []


def ranges(trace: Trace, c: Candidate, passage: Passage) -> list[Lit]:
    """What supports the answer's sentences; for a citation without such a range, what is cited.

    A model cites whole passages: where nothing supports a sentence, lighting all of it would tell nothing.
    """
    answered = trace.answered
    if answered is None:
        return []
    found: dict[tuple[int, int], tuple[int, tuple[int, ...]]] = {}
    for start, end, number, sentence in _supports(trace, answered, c, passage):
        known, says = found.get((start, end), (NEAR, ()))
        found[start, end] = (known or number, (*says, sentence))
    lit = [Lit(start, end, number, says) for (start, end), (number, says) in found.items()]
    covered = {one.number for one in lit}
    rest = [_cited(x, passage) for x in citations(trace, c) if x.number not in covered]
    whole = (0, len(passage.text))
    return [*lit, *(one for one in rest if one and not (answered.model and one[:2] == whole))]


def _places(c: Candidate) -> set[str]:
    return {c.chunk_id, *(p.chunk_id for p in c.also_in)}


def _supports(trace: Trace, answered: Answered, c: Candidate, passage: Passage) -> Iterator[tuple[int, int, int, int]]:
    """(start, end, citation number, sentence) within the passage."""
    places = _places(c)
    for i, sentence in enumerate(answered.sentences):
        for n, support in enumerate(sentence.support):
            shown = sentence.supported is not False and support.number in sentence.citations
            if support.chunk_id not in places or not (shown or n == 0):
                continue
            source = trace.passage(support.chunk_id)
            text = source.text[support.start - source.start : support.end - source.start] if source else ""
            place = _within(support.chunk_id, support.start, support.end, text, passage)
            if place:
                yield *place, support.number if shown else NEAR, i


def _cited(c: Citation, passage: Passage) -> Lit | None:
    place = _within(c.chunk_id, c.start, c.end, c.text, passage)
    return Lit(*place, c.number) if place else None


def _within(chunk_id: str, start: int, end: int, text: str, passage: Passage) -> tuple[int, int] | None:
    """Where the text stands in the passage: by its offsets, by its words in a copy of the text elsewhere."""
    if not text:
        return None
    first, last = start - passage.start, end - passage.start
    if chunk_id == passage.chunk_id and first >= 0 and passage.text[first:last] == text:
        return first, last
    found = passage.text.find(text)
    return (found, found + len(text)) if found >= 0 else None
