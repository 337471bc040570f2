"""What one warm question costs: process CPU, memory, adding a file, opening; beside LanceDB on the same data.

    python benchmarks/retrieval.py                   100,000 chunks; and 10,000 for the choices not taken
    python benchmarks/retrieval.py --chunks 20000

Texts and vectors are generated: half Chinese, half English, about 600 characters, 15 % with identifiers, word
frequencies by Zipf; vectors in 500 clusters. A question is one vector search and one text search of 50 hits each, the
terms of all hits, and the text of 20. CPU is that of the whole process, all threads. Each engine runs in a process of
its own. LanceDB gets the same terms (blanks between them) and searches all vectors, as exactly as we do.
LanceDB is optional: pip install lancedb
"""

from __future__ import annotations

import argparse
import json
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

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

DIMENSION = 384
PER_DOCUMENT = 50
DEPTH = 50
SHOWN = 20
QUESTIONS = 40
BARS = {"cpu": 80.0, "memory": 1200.0, "add": 300.0, "ratio": 3.0}
COMMON = ("the", "of", "to", "and", "in", "is", "for", "on", "with", "by", "that", "be", "are", "as", "at", "from")
CHOICES = ("postings+matrix", "fts+matrix", "postings+sql")


class Words:
    """Made-up words, the frequent ones real, drawn by Zipf's law."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        syllables = [c + v + e for c in "bcdfglmnprst" for v in "aeiou" for e in ("", "n", "r", "s")]
        made = {"".join(self.random.choice(syllables, self.random.integers(2, 5))) for _ in range(16_000)}
        self.english = np.array([*COMMON, *sorted(made)])
        characters = [chr(c) for c in self.random.choice(np.arange(0x4E00, 0x6E00), 2_500, replace=False)]
        pairs = {"".join(self.random.choice(characters, 2)) for _ in range(16_000)}
        self.chinese = np.array(list("的一是在不了有和人这") + sorted(pairs))

    def draw(self, words: np.ndarray, n: int) -> np.ndarray:
        weights = 1 / np.arange(1, len(words) + 1)
        return self.random.choice(words, n, p=weights / weights.sum())

    def texts(self, n: int) -> list[str]:
        chinese, english = self.draw(self.chinese, n * 160), self.draw(self.english, n * 50)
        texts = []
        for at in range(n):
            words = chinese[at * 160 : at * 160 + 320] if at % 2 else english[at * 50 : at * 50 + 100]
            text = ("" if at % 2 else " ").join(words)[:600]
            texts.append(f"{text} {self.identifier(at)}" if at % 20 < 3 else text)
        return texts

    def identifier(self, at: int) -> str:
        return (f"ERR_CONN_{at % 5000}", f"X{at % 900}", f"text-embedding-{at % 70}-small", "C++")[at % 4]


def make(folder: Path, n: int) -> None:
    """Texts, vectors and questions of one run."""
    random = np.random.default_rng(7)
    texts = Words(7).texts(n)
    centres = random.standard_normal((500, DIMENSION)).astype(np.float32)
    vectors = centres[random.integers(0, 500, n)] + random.standard_normal((n, DIMENSION)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    asked = random.integers(0, n, QUESTIONS)
    questions = [_question(texts[at], int(at)) for at in asked]
    near = vectors[asked] + 0.05 * random.standard_normal((QUESTIONS, DIMENSION)).astype(np.float32)
    np.save(folder / "vectors.npy", vectors)
    np.save(folder / "asked.npy", near.astype(np.float32))
    (folder / "texts.json").write_text(json.dumps({"texts": texts, "questions": questions}), encoding="utf-8")


def _question(text: str, at: int) -> str:
    return text[40:60] + (" " + text.split()[-1] if at % 20 < 3 else "") if at % 2 else " ".join(text.split()[5:15])


def load(folder: Path) -> tuple[list[str], list[str], np.ndarray, np.ndarray]:
    data = json.loads((folder / "texts.json").read_text(encoding="utf-8"))
    return (
        data["texts"],
        data["questions"],
        np.load(folder / "vectors.npy", mmap_mode="r"),
        np.load(folder / "asked.npy"),
    )


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


class Identity:
    """Stands for the embedding model: only its dimension matters here."""

    def model_dump(self, **options: Any) -> dict[str, Any]:
        return {"model": "generated", "engine": "random", "dimension": DIMENSION}

    def fingerprint(self) -> str:
        return "0" * 16


def glassbox(folder: Path, choice: str) -> dict[str, Any]:
    """Our figures with this pair of indexes."""
    from assistant.settings import Settings
    from assistant.store.base import Base

    text_index, vector_index = choice.split("+")
    settings = Settings().changed({"index.text_index": text_index, "index.vector_index": vector_index})
    texts, _, vectors, _ = load(folder)
    place = folder / "kb"
    if not place.exists():
        with Base.open(place, Identity(), Settings()) as base:
            build_cpu, _ = measured(lambda: _ingest(base, texts, vectors))
    else:
        build_cpu = 0.0
    if text_index == "fts":
        with Base.open(place, Identity(), settings) as base:
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
    from assistant.settings import Settings
    from assistant.store.base import Base
    from assistant.tokens import query_terms

    text_index, vector_index = choice.split("+")
    settings = Settings().changed({"index.text_index": text_index, "index.vector_index": vector_index})
    questions, asked = load(folder)[1::2]
    opened: list[Base] = []
    _, open_ms = measured(lambda: opened.append(Base.open(folder / "kb", Identity(), settings)))
    base = opened[0]
    _, warm_ms = measured(base.warm)

    def ask(question: str, vector: np.ndarray) -> None:
        terms = [term.text for term in query_terms(question)]
        near, worded = base.search_vector(vector, DEPTH), base.search_text(terms, DEPTH)
        ids = list(dict.fromkeys([*near.ids, *(hit.chunk_id for hit in worded.hits)]))
        base.term_matches(ids, terms)
        base.passages(ids[:SHOWN])

    asked_ms = _asked(ask, questions, asked)
    memory = megabytes()
    random = np.random.default_rng(1)
    document = ["A short note about parental leave, form HR-2207.", "关于育儿假的简短说明，表格 HR-2207。"]
    added = [
        measured(lambda i=i: base.replace_document(*_document(f"new{i}", document, random.random((2, DIMENSION)))))[0]
        for i in range(15)
    ]
    removed = [measured(lambda i=i: base.delete_document(f"new{i}"))[0] for i in range(15)]
    base.close()
    return {"open": open_ms, "warm": warm_ms, "cpu": asked_ms, "memory": memory, "add": added, "delete": removed}


def _asked(ask: Callable[[str, np.ndarray], None], questions: Sequence[str], asked: np.ndarray) -> list[float]:
    pairs = list(zip(questions, asked, strict=True))
    for question, vector in pairs[:10]:
        ask(question, vector)
    return [measured(lambda q=q, v=v: ask(q, v))[0] for q, v in pairs]


def lance(folder: Path) -> dict[str, Any]:
    """LanceDB's figures for hybrid search on the same data."""
    import lancedb
    import pyarrow as pa

    from assistant.tokens import query_terms, tokens

    database = lancedb.connect(str(folder / "lance"))

    def build(texts: Sequence[str], vectors: np.ndarray) -> None:
        flat = pa.FixedSizeListArray.from_arrays(pa.array(np.asarray(vectors).reshape(-1)), DIMENSION)
        terms = [" ".join(tokens(text)) for text in texts]
        ids = [f"d{at // PER_DOCUMENT}:{at % PER_DOCUMENT}" for at in range(len(texts))]
        made = database.create_table("chunks", pa.table({"id": ids, "text": texts, "terms": terms, "vector": flat}))
        made.create_fts_index(
            "terms", base_tokenizer="whitespace", stem=False, remove_stop_words=False, lower_case=False,
            ascii_folding=False, max_token_length=200,
        )  # fmt: skip

    texts, questions, vectors, asked = load(folder)
    build_cpu, _ = measured(partial(build, texts, vectors))
    del texts, vectors
    table = database.open_table("chunks")

    def ask(question: str, vector: np.ndarray) -> None:
        words = " ".join(term.text for term in query_terms(question))
        search = table.search(query_type="hybrid", vector_column_name="vector", fts_columns="terms")
        search.vector(vector).text(words).limit(DEPTH).select(["id", "text"]).to_arrow()

    return {"build": build_cpu / 1000, "cpu": _asked(ask, questions, asked), "memory": megabytes()}


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
    print(f"\n{chunks:,} chunks; CPU ms per warm question: median (min–max)")
    for name, figures in rows.items():
        if "failed" in figures:
            print(f"  {name:<18} {figures['failed']}")
            continue
        rest = "".join(f"  {label} {figures[key]:,.0f} {unit}" for label, key, unit in LABELS if key in figures)
        print(f"  {name:<18} {spread(figures['cpu'])}{rest}")
        for label, key in (("add a short file", "add"), ("delete it", "delete")):
            if key in figures:
                print(f"  {'':<18} {label}: {spread(figures[key])} CPU ms")


LABELS = (
    ("memory", "memory", "MB"),
    ("open", "open", "ms"),
    ("load vectors", "warm", "ms"),
    ("build", "build", "s CPU"),
    ("disk", "disk", "MB"),
)


def judge(ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
    """Prints each bar and whether it is met."""
    cpu = statistics.median(ours["cpu"])
    checks = [
        (f"CPU per question {cpu:.1f} ms", cpu, BARS["cpu"], False),
        (f"memory {ours['memory']:.0f} MB", ours["memory"], BARS["memory"], False),
        (
            f"add a short file {statistics.median(ours['add']):.1f} ms",
            statistics.median(ours["add"]),
            BARS["add"],
            False,
        ),
    ]
    if "cpu" in theirs:
        ratio = statistics.median(theirs["cpu"]) / cpu
        checks.append((f"LanceDB's hybrid search takes {ratio:.1f} times as much CPU", ratio, BARS["ratio"], True))
    print()
    for text, value, bar, more in checks:
        met = value >= bar if more else value <= bar
        print(f"  {'met   ' if met else 'MISSED'}  {text} (bar {bar:g})")
    return all((value >= bar) if more else (value <= bar) for _, value, bar, more in checks)


def main() -> int:
    """Runs all, or one engine when called by itself."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--choices", type=int, default=10_000, help="chunks for the choices not taken; 0: leave out")
    parser.add_argument("--data", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--engine", nargs="+", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.engine:
        engines = {"build": glassbox, "glassbox": ask_glassbox, "lancedb": lance}
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
