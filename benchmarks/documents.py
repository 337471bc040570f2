"""What the readers make of a set of real files, by format, and how fast PDF files with a text layer are read.

    python benchmarks/documents.py [--set FOLDER --scorer score.py] [--pdf FILE …]

The set is a folder with a MANIFEST.jsonl (file, format, expect: text, ocr or error, …); the scorer is a program that is
called as `score.py FOLDER --results DIR --json OUT`, where DIR holds what `launch.py ingest --dump DIR` wrote. Neither
comes with the project. The PDF files are generated: Chinese and English, 40 lines a page, headings, page numbers; each
is read and cut in a process of its own. Seconds are CPU seconds of that process, without its start.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGES = (100, 300, 900)
PAGES_PER_SECOND = 40.0
MEGABYTES_PER_100_PAGES = 10.0
"""The records of the lines and chunks take 7; pages that stay open take 100 and more."""
SECONDS_OF_300 = 15.0
LEAST = {"text": 52 / 58, "ocr": 7 / 8, "error": 1.0}
NAMES = {"text": "files with text, no miss", "ocr": "scans and pictures, no miss", "error": "errors named right"}
ROWS_WHOLE = 0.95
READ = """
import json, resource, sys, time
from assistant.chunking import chunk
from assistant.readers import read
cpu, wall = time.process_time(), time.perf_counter()
document = read(sys.argv[1])
chunks = chunk(document)
spent = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
scale = 1e6 if sys.platform == "darwin" else 1e3
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / scale
print(json.dumps({**spent, "pages": document.pages, "chunks": len(chunks), "megabytes": peak}))
"""


def make_pdf(path: Path, pages: int) -> Path:
    """A manual of so many pages, five English and five Chinese in turn."""
    pymupdf: Any = import_module("pymupdf")  # its types are incomplete
    with pymupdf.open() as made:
        for number in range(pages):
            page, font = made.new_page(), ("helv", "china-s")[number // 5 % 2]
            page.insert_text((72, 40), "Manual of the plant", fontsize=9)
            if number % 10 == 0:
                page.insert_text((72, 80), f"{number // 10 + 1} Pumps of hall {number}", fontsize=16)
            for line in range(40):
                page.insert_text((72, 110 + line * 15), _sentence(number * 40 + line, font), fontname=font, fontsize=10)
            page.insert_text((290, 800), f"- {number + 1} -", fontsize=9)
        made.save(path, deflate=True)
    return path


def _sentence(number: int, font: str) -> str:
    if font == "helv":
        return f"Pump {number} is checked every {number % 40 + 3} days, and the record is kept for five years."
    return f"第{number}号设备每{number % 40 + 3}天检查一次，记录由值班人员签字，保存五年。"


def read_alone(path: Path) -> dict[str, Any]:
    """Seconds, pages, chunks and peak megabytes of reading and cutting this file in a fresh process."""
    command = [sys.executable, "-c", READ, str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=True)
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def speed(files: Sequence[Path]) -> Iterator[tuple[str, bool]]:
    """Prints a line per file; the bars as (sentence, met)."""
    print(f"\nPDF with a text layer, read and cut; load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        made = {pages: _timed(make_pdf(Path(folder) / f"{pages} pages", pages)) for pages in PAGES}
    for file in files:
        _timed(file)
    slowest = min(figures["pages"] / figures["cpu"] for figures in made.values())
    yield f"{slowest:.0f} pages per CPU second (bar: at least {PAGES_PER_SECOND:.0f})", slowest >= PAGES_PER_SECOND
    seconds = made[300]["wall"]
    yield f"300 pages in {seconds:.1f} s (bar: at most {SECONDS_OF_300:.0f})", seconds <= SECONDS_OF_300
    grown = (made[PAGES[-1]]["megabytes"] - made[300]["megabytes"]) / (PAGES[-1] - 300) * 100
    yield (
        f"{grown:.1f} MB more for each 100 pages (bar: at most {MEGABYTES_PER_100_PAGES:.0f})",
        grown <= MEGABYTES_PER_100_PAGES,
    )


def _timed(path: Path) -> dict[str, Any]:
    figures = read_alone(path)
    pace = figures["pages"] / figures["cpu"]
    print(
        f"  {path.name:40} {figures['pages']:5} pages {figures['chunks']:6} chunks {figures['cpu']:7.2f} s CPU "
        f"{figures['wall']:7.2f} s {pace:6.0f} pages/s {figures['megabytes']:6.0f} MB"
    )
    return figures


def score(folder: Path, scorer: Path) -> Iterator[tuple[str, bool]]:
    """Prints the scorer's table with every miss; the bars as (sentence, met)."""
    with tempfile.TemporaryDirectory() as name:
        dump, details = Path(name) / "dump", Path(name) / "details.json"
        command = [sys.executable, str(ROOT / "launch.py"), "ingest", "--dump", str(dump), str(folder)]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=False)  # 1: some files cannot be read, as they should
        subprocess.run(
            [sys.executable, str(scorer), str(folder), "--results", str(dump), "--json", str(details), "-v"], check=True
        )
        rows: dict[str, Any] = json.loads(details.read_text(encoding="utf-8"))
    yield from verdicts(_manifest(folder), rows)


def _manifest(folder: Path) -> dict[str, str]:
    """What is expected of each file: text, ocr or error."""
    lines = (folder / "MANIFEST.jsonl").read_text(encoding="utf-8").splitlines()
    return {entry["file"]: entry["expect"] for line in lines if line.strip() for entry in [json.loads(line)]}


def verdicts(expected: dict[str, str], rows: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    """The bars as (sentence, met) from the scorer's details of each file; kinds without a file are left out."""
    files, clean, sums = Counter[str](), Counter[str](), Counter[str]()
    for file, details in rows.items():
        files[expected[file]] += 1
        clean[expected[file]] += details["clean"]
        sums.update({key: details.get(key, 0) for key in ("row_ok", "row_n", "silent")})
    for kind, least in LEAST.items():
        if files[kind]:
            met = clean[kind] >= least * files[kind]
            yield f"{NAMES[kind]}: {clean[kind]} of {files[kind]} (bar: at least {least:.0%})", met
    if sums["row_n"]:
        share = sums["row_ok"] / sums["row_n"]
        yield (
            f"table rows whole: {sums['row_ok']} of {sums['row_n']} (bar: at least {ROWS_WHOLE:.0%})",
            share >= ROWS_WHOLE,
        )
    yield f"silently empty files: {sums['silent']} (bar: 0)", not sums["silent"]


def main() -> int:
    """Prints the figures; 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", type=Path, metavar="FOLDER")
    parser.add_argument("--scorer", type=Path, metavar="score.py")
    parser.add_argument("--pdf", type=Path, nargs="*", default=[], metavar="FILE")
    options = parser.parse_args()
    if (options.set is None) != (options.scorer is None):
        parser.error("--set and --scorer belong together")
    found = [*score(options.set, options.scorer)] if options.set else []
    found += speed(options.pdf)
    print()
    for sentence, met in found:
        print(f"  {'met   ' if met else 'MISSED'}  {sentence}")
    return 0 if all(met for _, met in found) else 1


if __name__ == "__main__":
    raise SystemExit(main())
