"""Files written as chunks in JSON: one file each, also for those that cannot be read."""

from __future__ import annotations

import json

import pymupdf
import pytest
from test_ingest_find import write

import launch


@pytest.fixture
def files(tmp_path):
    folder = tmp_path / "files"
    write(folder / "notes" / "差旅.md", "# 差旅\n\n住宿标准是每晚 500 元。\n")
    write(folder / "empty.txt", "")
    write(folder / "song.mp3", "x")
    with pymupdf.open() as made:
        made.new_page().insert_text((72, 72), "The first page is about ladders.")
        made.new_page().insert_text((72, 72), "The second page is about ropes.")
        made.save(folder / "two.pdf")
    return folder


def load(path):
    return json.loads(path.read_text(encoding="utf-8"))


def test_dump_writes_each_files_chunks_with_their_pages_and_needs_no_base(files, tmp_path, capsys):
    out = tmp_path / "out"
    command = ["ingest", "--dump", str(out), "--kb", str(tmp_path / "kb"), str(files)]
    assert launch.main(command) == launch.FAILED  # empty.txt

    assert load(out / "notes" / "差旅.md.json") == {
        "chunks": [{"text": "差旅\n\n住宿标准是每晚 500 元。", "page": None}],
        "warnings": [],
        "error": None,
    }
    pages = load(out / "two.pdf.json")["chunks"]
    assert pages[0]["page"] == 1
    assert "ropes" in pages[-1]["text"]
    assert load(out / "empty.txt.json")["error"]["kind"] == "empty"
    assert load(out / "song.mp3.json")["error"]["kind"] == "unsupported"
    assert "song.mp3: skipped: files of type '.mp3' are not read" in capsys.readouterr().out
    assert not (tmp_path / "kb").exists()


def test_dump_names_a_path_that_is_not_there(tmp_path, capsys):
    assert launch.main(["ingest", "--dump", str(tmp_path / "out"), str(tmp_path / "gone")]) == launch.FAILED
    assert "gone: There is nothing at this path" in capsys.readouterr().out


def test_dump_keeps_files_of_the_same_name_apart(tmp_path):
    for folder, text in (("a", "One."), ("b", "Two.")):
        write(tmp_path / folder / "note.txt", text)
    out = tmp_path / "out"
    assert launch.main(["ingest", "--dump", str(out), str(tmp_path / "a"), str(tmp_path / "b")]) == launch.OK
    assert load(out / "note.txt.json")["chunks"][0]["text"] == "One."
    assert load(out / "note.txt (2).json")["chunks"][0]["text"] == "Two."
