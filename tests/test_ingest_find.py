"""Which files are found: everything readable below a folder, each once, and nothing outside it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assistant.ingest.find import find_files, is_hidden

SUPPORTED = (".md", ".txt")


def write(path: Path, text: str = "text") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def names(found):
    return [file.name for file in found.files]


def test_files_are_found_below_folders_with_names_relative_to_the_root(tmp_path):
    write(tmp_path / "a.md")
    write(tmp_path / "层" / "更深" / "深.md")
    write(tmp_path / '季度 报告 "final"\'s #1%20&$(x).txt')

    found = find_files([tmp_path], SUPPORTED)

    assert names(found) == ["a.md", '季度 报告 "final"\'s #1%20&$(x).txt', "层/更深/深.md"]
    assert found.searched == (str(tmp_path),)
    assert {file.root for file in found.files} == {str(tmp_path)}


@pytest.mark.parametrize(
    "name",
    ["~$报告.docx", ".DS_Store", ".git", "x.tmp", "x.md~", "Thumbs.db", "x.crdownload", "__MACOSX", "node_modules"],
)
def test_hidden_and_temporary_names_are_left_alone(name):
    assert is_hidden(name)


@pytest.mark.parametrize("name", ["a.md", "~notes.md", "template.txt", "git.md", "报告.docx"])
def test_ordinary_names_are_not_hidden(name):
    assert not is_hidden(name)


def test_nothing_is_found_below_a_hidden_folder(tmp_path):
    write(tmp_path / ".git" / "a.md")
    write(tmp_path / "b.md")

    assert names(find_files([tmp_path], SUPPORTED)) == ["b.md"]


def test_other_formats_are_listed_with_a_reason(tmp_path):
    write(tmp_path / "sheet.xlsx")
    write(tmp_path / "noending")

    found = find_files([tmp_path], SUPPORTED)

    assert not found.files
    assert {s.name: s.why for s in found.skipped} == {
        "sheet.xlsx": "files of type '.xlsx' are not read",
        "noending": "files of type '(no ending)' are not read",
    }


def test_a_file_named_itself_is_taken_whatever_its_ending(tmp_path):
    path = write(tmp_path / "sheet.xlsx")

    assert names(find_files([path], SUPPORTED)) == ["sheet.xlsx"]
    assert names(find_files([tmp_path, path], SUPPORTED)) == ["sheet.xlsx"]
    assert find_files([tmp_path, path], SUPPORTED).skipped == ()


def test_a_file_that_was_named_once_is_found_again_with_its_folder(tmp_path):
    path = write(tmp_path / "sheet.xlsx")

    assert names(find_files([tmp_path], SUPPORTED, known={str(path)})) == ["sheet.xlsx"]


def test_a_file_is_found_once_when_folder_and_file_are_named(tmp_path):
    path = write(tmp_path / "in" / "a.md")

    assert len(find_files([tmp_path, tmp_path / "in", path], SUPPORTED).files) == 1


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_links_are_not_followed_and_loops_end(tmp_path):
    outside = write(tmp_path / "outside" / "secret.txt")
    root = tmp_path / "root"
    write(root / "a" / "b" / "x.md")
    (root / "a" / "b" / "up").symlink_to("..")
    (root / "self").symlink_to("self")
    (root / "gone.md").symlink_to("/nowhere/gone.md")
    (root / "outside.txt").symlink_to(outside)
    os.mkfifo(root / "pipe.txt")

    found = find_files([root], SUPPORTED)

    assert names(found) == ["a/b/x.md"]
    assert {s.name: s.why for s in found.skipped} == {
        "a/b/up": "it is a link",
        "self": "it is a link that leads nowhere",
        "gone.md": "it is a link that leads nowhere",
        "outside.txt": "it is a link",
        "pipe.txt": "it is not a regular file",
    }


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_folder_reached_through_a_link_is_the_same_folder(tmp_path):
    write(tmp_path / "real" / "a.md")
    (tmp_path / "link").symlink_to(tmp_path / "real")

    found = find_files([tmp_path / "link", tmp_path / "real"], SUPPORTED)

    assert [file.path for file in found.files] == [str(tmp_path / "real" / "a.md")]


def test_a_path_that_is_not_there_is_missing(tmp_path):
    found = find_files([tmp_path / "nothing"], SUPPORTED)

    assert found.missing == (str(tmp_path / "nothing"),)
    assert found.searched == ()


@pytest.mark.skipif(os.name == "nt", reason="names are always Unicode there")
def test_a_name_that_is_not_unicode_is_listed_and_not_taken(tmp_path):
    try:
        with open(os.fsencode(tmp_path) + b"/\xff\xfe.md", "w") as file:
            file.write("x")
    except OSError:
        pytest.skip("this file system refuses such names")

    found = find_files([tmp_path], SUPPORTED)

    assert not found.files
    assert found.skipped[0].why == "its name or its folder's is not valid Unicode"


def test_a_decomposed_name_is_shown_composed(tmp_path):
    write(tmp_path / "u\u0308ber.md")

    assert names(find_files([tmp_path], SUPPORTED))[0] in ("über.md", "u\u0308ber.md".encode().decode())
    assert names(find_files([tmp_path], SUPPORTED)) == ["\u00fcber.md"]


def test_a_file_written_just_now_proves_nothing_by_its_time(tmp_path):
    old = write(tmp_path / "old.md")
    os.utime(old, (1_000_000_000, 1_000_000_000))
    write(tmp_path / "new.md")

    proofs = {file.name: file.proof for file in find_files([tmp_path], SUPPORTED).files}

    assert proofs == {"old.md": 1_000_000_000 * 10**9, "new.md": 0}
