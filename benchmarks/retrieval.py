"""What one warm question costs: process CPU, memory, adding a file, opening; beside LanceDB on the same data.

    python benchmarks/retrieval.py                   100,000 chunks; and 10,000 for the choices not taken
    python benchmarks/retrieval.py --chunks 20000

The search alone: one vector search and one text search of 50 hits each, the terms of all hits, and the text of 20; this
is what LanceDB's hybrid search is compared with. The whole question: Assistant.ask without writing the answer, from the
condensed question over routes, fusion, gates and confidence to the decision. Adding a file: the whole
ingest of one short Markdown file. Embedding is left out of all of them: vectors are looked up. CPU is that of the whole
process, all threads. Each engine runs in a process of its own. LanceDB gets the same terms (blanks between them) and
searches all vectors, as exactly as we do. LanceDB is optional: pip install -c constraints.txt -e ".[bench]"
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.generated import DIMENSION, chunks, make, questions

PER_DOCUMENT = 50
DEPTH = 50
SHOWN = 20
BARS = {"cpu": 80.0, "memory": 1200.0, "add": 300.0, "ratio": 3.0}
NEVER_SURE = {"judging.answer_at": 1.0}  # the questions are answered at the first attempt; this makes a second one
CHOICES = ("postings+matrix", "fts+matrix", "postings+sql")


def measured(work: Callable[[], Any]) -> tuple[float, float]:
    """Milliseconds of process CPU and of wall time."""
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return (time.process_time() - cpu) * 1000, (time.perf_counter() - wall) * 1000


def megabytes() -> float:
    """Resident memory now."""
    for line in Path("/proc/self/status").read_text().splitlines() if sys.platform == "linux" else ():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 / (1024 if sys.platform == "darwin" else 1)


def settings_of(choice: str) -> Any:
    """Settings for "text index+vector index"; routes are patient, so that a busy machine does not change the work."""
    from assistant.settings import Settings

    text_index, vector_index = choice.split("+")
    changes = {"index.text_index": text_index, "index.vector_index": vector_index}
    return Settings().changed({**changes, "retrieval.seconds_per_route": 60.0})


def build(folder: Path, choice: str) -> dict[str, Any]:
    """Seconds and megabytes of the base with this pair of indexes."""
    from assistant.store.base import Base
    from benchmarks.looked_up import IDENTITY

    place, build_cpu = folder / "kb", 0.0
    if not place.exists():
        with Base.open(place, IDENTITY, settings_of(CHOICES[0])) as base:
            build_cpu, _ = measured(lambda: _ingest(base, *chunks(folder)))
    if choice.startswith("fts"):
        with Base.open(place, IDENTITY, settings_of(choice)) as base:
            build_cpu, _ = measured(lambda: base.search_text(["x"], 1))
    return {"build": build_cpu / 1000, "disk": (place / "base.duckdb").stat().st_size / 1e6}


def _ingest(base: Any, texts: Sequence[str], vectors: np.ndarray) -> None:
    for start in range(0, len(texts), PER_DOCUMENT):
        end = start + PER_DOCUMENT
        base.replace_document(*_document(f"d{start}", texts[start:end], np.array(vectors[start:end])))
    base.compact()


def _document(name: str, texts: Sequence[str], vectors: np.ndarray) -> tuple[Any, Any, Any]:
    from assistant.documents import Chunk, FileRow

    row = FileRow(document_id=name, name=f"{name}.md", path=f"/generated/{name}.md", state="indexed")
    return row, [Chunk(ordinal=i, text=t, start=0, end=len(t)) for i, t in enumerate(texts)], vectors


def ask_glassbox(folder: Path, choice: str) -> dict[str, Any]:
    """Our figures with this pair of indexes, in a process that did not build them."""
    from assistant.assistant import Assistant
    from assistant.store.base import Base
    from benchmarks.looked_up import IDENTITY, LookedUp

    settings, asked, opened = settings_of(choice), questions(folder), list[Any]()
    _, open_ms = measured(lambda: opened.append(Base.open(folder / "kb", IDENTITY, settings)))
    _, warm_ms = measured(opened[0].warm)
    with Assistant(opened[0], LookedUp(dict(asked)), settings, folder / "kb") as kb:
        searched = _asked(partial(_search, kb.base), asked)
        search_memory = megabytes()
        whole = _asked(lambda question, _: kb.ask(question, write=False), asked)
        memory = megabytes()
        twice = _asked(lambda question, _: kb.ask(question, changes=NEVER_SURE, write=False), asked)
        added, removed = _add_and_delete(kb, folder / "notes")
    figures = {"open": open_ms, "warm": warm_ms, "cpu": searched, "search_memory": search_memory, "memory": memory}
    return {**figures, "whole": whole, "twice": twice, "add": added, "delete": removed}


def _search(base: Any, question: str, vector: np.ndarray) -> None:
    from assistant.tokens import query_terms

    terms = [term.text for term in query_terms(question)]
    near, worded = base.search_vector(vector, DEPTH), base.search_text(terms, DEPTH)
    ids = list(dict.fromkeys([*near.ids, *(hit.chunk_id for hit in worded.hits)]))
    base.term_matches(ids, terms)
    base.passages(ids[:SHOWN])


def _add_and_delete(kb: Any, folder: Path) -> tuple[list[float], list[float]]:
    folder.mkdir(exist_ok=True)
    added, removed = [], []
    for i in range(15):
        file = folder / f"note-{i}.md"
        file.write_text(f"# Leave {i}\n\nA note, form HR-{i}.\n\n## 育儿假\n\n关于育儿假的说明 {i}。\n", "utf-8")
        added.append(measured(lambda file=file: kb.ingest([file]))[0])
        (row,) = (row for row in kb.documents() if row.path == str(file))
        assert row.state == "indexed", row.reason
        removed.append(measured(lambda row=row: kb.delete(row.document_id))[0])
    return added, removed


def _asked(ask: Callable[[str, np.ndarray], None], asked: Sequence[tuple[str, np.ndarray]]) -> list[float]:
    for pair in asked[:10]:
        ask(*pair)
    return [measured(lambda pair=pair: ask(*pair))[0] for pair in asked]


def lance(folder: Path) -> dict[str, Any]:
    """LanceDB's figures for hybrid search on the same data."""
    import lancedb
    import pyarrow as pa

    from assistant.tokens import query_terms, tokens

    database = lancedb.connect(str(folder / "lance"))

    def fill(texts: Sequence[str], vectors: np.ndarray) -> None:
        flat = pa.FixedSizeListArray.from_arrays(pa.array(np.asarray(vectors).reshape(-1)), DIMENSION)
        terms = [" ".join(tokens(text)) for text in texts]
        ids = [f"d{at // PER_DOCUMENT}:{at % PER_DOCUMENT}" for at in range(len(texts))]
        made = database.create_table("chunks", pa.table({"id": ids, "text": texts, "terms": terms, "vector": flat}))
        made.create_fts_index(
            "terms", base_tokenizer="whitespace", stem=False, remove_stop_words=False, lower_case=False,
            ascii_folding=False, max_token_length=200,
        )  # fmt: skip

    build_cpu, _ = measured(lambda: fill(*chunks(folder)))
    table = database.open_table("chunks")

    def ask(question: str, vector: np.ndarray) -> None:
        words = " ".join(term.text for term in query_terms(question))
        search = table.search(query_type="hybrid", vector_column_name="vector", fts_columns="terms")
        search.vector(vector).text(words).limit(DEPTH).select(["id", "text"]).to_arrow()

    return {"build": build_cpu / 1000, "cpu": _asked(ask, questions(folder)), "memory": megabytes()}


def run(folder: Path, *words: str) -> dict[str, Any]:
    """The figures of one engine, from a process of its own."""
    command = [sys.executable, str(Path(__file__).resolve()), "--data", str(folder), "--engine", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return {"failed": (done.stderr.strip().splitlines() or ["no reason given"])[-1]}
    result: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return result


def spread(values: Sequence[float]) -> str:
    """Median, smallest and largest."""
    return f"{statistics.median(values):7.1f}  ({min(values):.1f}–{max(values):.1f})"


def report(chunks: int, rows: dict[str, dict[str, Any]]) -> None:
    """One table for one size."""
    load = f"; load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    print(f"\n{chunks:,} chunks; CPU ms, warm: median (min–max){load}")
    for name, figures in rows.items():
        if "failed" in figures:
            print(f"  {name:<18} {figures['failed']}")
            continue
        rest = "".join(f"  {label} {figures[key]:,.0f} {unit}" for label, key, unit in LABELS if key in figures)
        print(f"  {name:<18} {rest.strip()}")
        for label, key in ROWS:
            if key in figures:
                print(f"  {'':<18} {label:<34}{spread(figures[key])}")


ROWS = (
    ("search alone", "cpu"),
    ("the whole question", "whole"),
    ("the whole question, tried twice", "twice"),
    ("ingest of one short file", "add"),
    ("delete it", "delete"),
)
LABELS = (
    ("memory", "memory", "MB"),
    ("after search alone", "search_memory", "MB"),
    ("open", "open", "ms"),
    ("load vectors", "warm", "ms"),
    ("build", "build", "s CPU"),
    ("disk", "disk", "MB"),
)


def judge(ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
    """Prints each bar and whether it is met."""
    if "failed" in ours:
        return False
    cpu, whole, add = (statistics.median(ours[key]) for key in ("cpu", "whole", "add"))
    checks = [
        (f"CPU of a whole question {whole:.1f} ms", whole <= BARS["cpu"], f"at most {BARS['cpu']:g}"),
        (f"memory {ours['memory']:.0f} MB", ours["memory"] <= BARS["memory"], f"at most {BARS['memory']:g}"),
        (f"ingest of a short file {add:.1f} ms", add <= BARS["add"], f"at most {BARS['add']:g}"),
    ]
    print()
    if "cpu" in theirs:
        hybrid = statistics.median(theirs["cpu"])
        text = f"LanceDB's hybrid search takes {hybrid / cpu:.1f} times the CPU of our search"
        checks.append((text, hybrid / cpu >= BARS["ratio"], f"at least {BARS['ratio']:g}"))
        print(f"  LanceDB's hybrid search takes {hybrid / whole:.2f} times the CPU of our whole question")
    for text, met, bar in checks:
        print(f"  {'met   ' if met else 'MISSED'}  {text} (bar: {bar})")
    return all(met for _, met, _ in checks)


def main() -> int:
    """Runs all, or one engine when called by itself."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--choices", type=int, default=10_000, help="chunks for the choices not taken; 0: leave out")
    parser.add_argument("--data", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--engine", nargs="+", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.engine:
        engines = {"build": build, "glassbox": ask_glassbox, "lancedb": lance}
        print(json.dumps(engines[given.engine[0]](given.data, *given.engine[1:])))
        return 0
    with tempfile.TemporaryDirectory() as name:
        return 0 if everything(Path(name), given.chunks, given.choices) else 1


def everything(folder: Path, chunks: int, choices: int) -> bool:
    """All runs, one after the other; True when every bar is met."""
    if choices:
        small = folder / "small"
        small.mkdir()
        make(small, choices)
        report(choices, {c: run(small, "build", c) | run(small, "glassbox", c) for c in CHOICES})
    large = folder / "large"
    large.mkdir()
    make(large, chunks)
    ours = run(large, "build", CHOICES[0]) | run(large, "glassbox", CHOICES[0])
    theirs = run(large, "lancedb")
    report(chunks, {"Glassbox": ours, "LanceDB hybrid": theirs})
    return judge(ours, theirs)


if __name__ == "__main__":
    raise SystemExit(main())
