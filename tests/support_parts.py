"""Small parts of the tests of support: one sentence against sources."""

from __future__ import annotations

import records as rec

from assistant.answer.support import supported
from assistant.trace import Passage, Sentence

HOTELS = "Hotels in Berlin are paid up to 450 euros per night. Taxis are paid after 22:00."
LEAVE_ZH = "年假为二十五天，须在次年3月31日前用完。病假须在当天上午九点前报告。"


def passage(text: str, start: int = 0, **fields) -> Passage:
    made = rec.passage(fields.pop("chunk_id", "c"), text, **fields)
    return made.model_copy(update={"start": start, "end": start + len(text)})


def check(text: str, *sources: str | Passage, named: tuple[int, ...] = ()) -> Sentence:
    given = [s if isinstance(s, Passage) else passage(s, chunk_id=f"c{n}") for n, s in enumerate(sources, 1)]
    return supported([Sentence(text=text, named=named, citations=named)], given)[0]
