"""Uploads and result files as people really have them."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.errors import SettingsError
from assistant.evaluation.run import evaluate
from assistant.ingest.uploads import keep_uploads


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_two_files_of_one_name_handed_over_together_are_both_kept(tmp_path):
    files = [written(tmp_path / place / "README.md", place) for place in "abc"]
    kept = keep_uploads(files, tmp_path / "kb")
    assert [p.name for p in kept] == ["README.md", "README (2).md", "README (3).md"]
    assert [p.read_text() for p in kept] == ["a", "b", "c"]
    assert [p.name for p in keep_uploads(files, tmp_path / "kb")] == [p.name for p in kept]


def test_the_same_file_handed_over_twice_is_kept_once(tmp_path):
    files = [written(tmp_path / place / "memo.md", "same") for place in "ab"]
    assert {p.name for p in keep_uploads(files, tmp_path / "kb")} == {"memo.md"}


def test_names_that_differ_in_case_only_are_two_files_everywhere(tmp_path):
    files = [written(tmp_path / "a" / "Memo.md", "1"), written(tmp_path / "b" / "memo.md", "2")]
    assert [p.name for p in keep_uploads(files, tmp_path / "kb")] == ["Memo.md", "memo (2).md"]


def test_a_newer_version_takes_the_place_of_the_one_before(tmp_path):
    file = written(tmp_path / "memo.md", "old")
    keep_uploads([file], tmp_path / "kb")
    (kept,) = keep_uploads([written(file, "new")], tmp_path / "kb")
    assert (kept.name, kept.read_text()) == ("memo.md", "new")


@pytest.mark.parametrize("stem", ["n" * 252, "年" * 84])
def test_the_longest_names_a_disk_takes_are_kept_with_their_ending(tmp_path, stem):
    (kept,) = keep_uploads([written(tmp_path / f"{stem}.md", "x")], tmp_path / "kb")
    assert kept.suffix == ".md"
    assert kept.read_text() == "x"


@pytest.mark.parametrize("out", [".", "file/below.jsonl"])
def test_results_that_cannot_be_written_are_said_before_anything_is_read(tmp_path, out):
    written(tmp_path / "file", "")
    questions = written(tmp_path / "q.jsonl", '{"id": "1", "query": "x"}')
    with pytest.raises(SettingsError, match="cannot be written"):
        evaluate(tmp_path, questions, tmp_path / out)
