"""The verdicts of the documents benchmark, from the details of a scorer."""

from __future__ import annotations

import runpy
from pathlib import Path

DOCUMENTS = runpy.run_path(str(Path(__file__).resolve().parents[1] / "benchmarks" / "documents.py"))


def test_a_kind_of_file_is_met_by_its_share_and_a_silent_file_is_told():
    expected = {"a.md": "text", "b.md": "text", "scan.pdf": "ocr", "broken.pdf": "error"}
    rows = {
        "a.md": {"clean": 1, "row_ok": 19, "row_n": 20},
        "b.md": {"clean": 0, "row_ok": 0, "row_n": 0, "silent": 1},
        "scan.pdf": {"clean": 1},
        "broken.pdf": {"clean": 1},
    }
    assert list(DOCUMENTS["verdicts"](expected, rows)) == [
        ("files with text, no miss: 1 of 2 (bar: at least 90%)", False),
        ("scans and pictures, no miss: 1 of 1 (bar: at least 88%)", True),
        ("errors named right: 1 of 1 (bar: at least 100%)", True),
        ("table rows whole: 19 of 20 (bar: at least 95%)", True),
        ("silently empty files: 1 (bar: 0)", False),
    ]


def test_a_made_manual_is_read_page_by_page_in_a_process_of_its_own(tmp_path):
    figures = DOCUMENTS["read_alone"](DOCUMENTS["make_pdf"](tmp_path / "two.pdf", 2))
    assert (figures["pages"], figures["chunks"] > 2, figures["megabytes"] > 10) == (2, True, True)
