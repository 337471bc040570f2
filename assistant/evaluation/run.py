"""evaluate: a temporary base over a folder, every question asked, one JSON line each."""

from __future__ import annotations

import json
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import platformdirs
from pydantic import BaseModel, ConfigDict, ValidationError

from assistant.assistant import Assistant
from assistant.errors import SettingsError
from assistant.evaluation.cache import CachedEmbedder
from assistant.providers import EMBEDDERS
from assistant.settings import Settings
from assistant.store.base import Base
from assistant.trace import Candidate, Passage, Trace, Turn

LEAST_HITS = 30  # several may be of one document, and scorers by document want ten of them
PATIENCE_SECONDS = 60.0  # a busy machine must not change an evaluation: routes may take their time here


class Question(BaseModel):
    """One question; other fields of the line are ignored. `history`: earlier questions, oldest first."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: str
    query: str
    history: tuple[str, ...] = ()


def evaluate(
    documents: Path,
    questions: Path,
    out: Path,
    settings: Settings | None = None,
    *,
    retrieval_only: bool = False,
    cache: Path | None = None,
    traces: Path | None = None,
    on_progress: Callable[[str, int, int], None] | None = None,
    on_notice: Callable[[str], None] | None = None,
) -> dict[str, int]:
    """Writes one line per question to `out`; returns how many ended in each decision.

    The line: {id, hits, confidence, decision, answer, citations, seconds, attempts}; see `line_of`. `traces`: a folder
    for the whole trace of every question. `on_progress(stage, done, total)`. `on_notice`: a sentence for each file that
    was not read. Raises SettingsError for a missing folder or an unreadable question file.
    """
    asked = tuple(read_questions(questions))
    if not documents.is_dir():
        raise SettingsError(f"There is no folder {str(documents)!r}; give the folder of the documents.")
    _make_room(out)
    tell = on_progress or (lambda stage, done, total: None)
    counts: dict[str, int] = {}
    with (
        tempfile.TemporaryDirectory(prefix="glassbox-evaluate-") as place,
        open_temporary(Path(place), settings or Settings(), cache) as kb,
    ):
        report = kb.ingest([documents], lambda p: tell("reading", p.files_done, p.files))
        for name, why in report.failed:
            (on_notice or (lambda sentence: None))(f"not read: {name}: {why}")
        with out.open("w", encoding="utf-8") as file:
            for number, question in enumerate(asked, 1):
                row = _ask(kb, question, retrieval_only, traces)
                counts[row["decision"]] = counts.get(row["decision"], 0) + 1
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
                tell("asking", number, len(asked))
    return counts


def read_questions(path: Path) -> Iterator[Question]:
    """The questions of a JSONL file in order. Raises SettingsError naming the line."""
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as err:
        raise SettingsError(f"The questions {str(path)!r} cannot be read ({err}); give a JSONL file.") from err
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield Question.model_validate_json(line)
        except ValidationError as err:
            reason = err.errors()[0]["msg"]
            raise SettingsError(
                f"Line {number} of {str(path)!r} is not a question ({reason}); it needs the fields id and query."
            ) from err


def _make_room(out: Path) -> None:
    """Before an hour of reading: the results can be written."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.open("a", encoding="utf-8").close()
    except OSError as err:
        raise SettingsError(
            f"The results cannot be written to {str(out)!r} ({err.strerror}); choose another file."
        ) from err


def open_temporary(place: Path, settings: Settings, cache: Path | None = None) -> Assistant:
    """A base in this folder whose embeddings are cached between runs (`cache`, else the user cache), patient routes."""
    patient = settings.changed({"retrieval.seconds_per_route": PATIENCE_SECONDS})
    embedder = EMBEDDERS.build(patient.embedding.provider or "embedded", patient)
    folder = cache or Path(platformdirs.user_cache_dir("glassbox", appauthor=False)) / "evaluation"
    try:
        cached: Any = CachedEmbedder(embedder, folder)
    except (OSError, sqlite3.Error):  # a cache is only for speed: without a place for it there is none between runs
        cached = CachedEmbedder(embedder, place / "vectors")
    return Assistant(Base.open(place, embedder.identity, patient), cached, patient, place)


def _ask(kb: Assistant, question: Question, retrieval_only: bool, traces: Path | None) -> dict[str, Any]:
    started = time.perf_counter()
    history = tuple(Turn(question=q) for q in question.history)
    trace = kb.ask(question.query, history, write=not retrieval_only)
    row = line_of(question.id, trace, time.perf_counter() - started)
    if traces:
        traces.mkdir(parents=True, exist_ok=True)
        trace.save(traces / f"{''.join(c if c.isalnum() or c in '-_' else '_' for c in question.id)}.json")
    return row


def line_of(question_id: str, trace: Trace, seconds: float) -> dict[str, Any]:
    """One line of results: hits, confidence, decision, answer, citations, seconds, attempts.

    Hits are the kept ones, best first, then up to LEAST_HITS those that only the number kept has dropped.
    """
    answered = trace.answered
    decided = trace.last("decided")
    decision = decided.decision if decided else "decline"
    names = {"decline": "abstain"}
    return {
        "id": question_id,
        "hits": [hit for c in _hits(trace) for hit in _places(trace, c)],
        "confidence": trace.confidence.value if trace.confidence else 0.0,
        "decision": names.get(decision, decision),
        "answer": " ".join(s.text for s in answered.sentences) if answered and answered.citations else None,
        "citations": [{"doc": c.document, "text": c.text} for c in answered.citations] if answered else [],
        "seconds": round(seconds, 4),
        "attempts": trace.attempts,
    }


def _hits(trace: Trace) -> list[Candidate]:
    candidates = trace.candidates()
    kept = [c for c in candidates if c.final_rank]
    rest = [c for c in candidates if not c.final_rank and c.dropped and c.dropped.gate == "keep"]
    return [*kept, *rest[: max(0, LEAST_HITS - len(kept))]]


def _places(trace: Trace, candidate: Candidate) -> list[dict[str, Any]]:
    """The candidate's chunk, then the other places with the same text that it stands for."""
    scores = {line.route: line.raw.value for line in candidate.routes} | {"fused": candidate.fused.value}
    ids = [candidate.chunk_id, *(place.chunk_id for place in candidate.also_in)]
    return [_hit(passage, scores) for i in ids if (passage := trace.passage(i)) is not None]


def _hit(passage: Passage, scores: dict[str, float | None]) -> dict[str, Any]:
    return {
        "doc": passage.document,
        "text": passage.text,
        "start": passage.start,
        "end": passage.end,
        "page": passage.pages[0] if passage.pages else None,
        "scores": scores,
    }
