"""The plan: every file in exactly one list, and the base equal to the folder after any history."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.documents import FileRow
from assistant.ingest.find import Findings, Found, find_files
from assistant.ingest.plan import authority, content_hash, document_id, make_plan, pipeline_hash
from assistant.settings import Settings

ROOT = "/docs"
PIPELINE = "p1"


def found(name: str, size: int = 10, mtime_ns: int = 5, settled: bool = True) -> Found:
    return Found(path=f"{ROOT}/{name}", name=name, root=ROOT, size=size, mtime_ns=mtime_ns, settled=settled)


def row(name: str, content: str = "h1", **changes) -> FileRow:
    data = {
        "document_id": document_id(f"{ROOT}/{name}"),
        "name": name,
        "path": f"{ROOT}/{name}",
        "root": ROOT,
        "content_hash": content,
        "pipeline_hash": PIPELINE,
        "size": 10,
        "mtime_ns": 5,
        "state": "indexed",
        "chunks": 3,
    }
    return FileRow(**{**data, **changes})


def plan_of(files, known, hashes=None, searched=(ROOT,), exists=(), **findings):
    hashes = hashes or {}
    there = {ROOT, *exists, *(f.path for f in files)}
    return make_plan(
        Findings(files=tuple(files), searched=searched, **findings),
        known,
        PIPELINE,
        lambda f: hashes[f.name],
        lambda path: path in there,
    )


def test_a_new_file_is_added():
    plan = plan_of([found("a.md")], [], {"a.md": "h1"})

    assert [(j.name, j.hash, j.document_id) for j in plan.add] == [("a.md", "h1", document_id("/docs/a.md"))]


def test_equal_size_and_time_are_unchanged_without_hashing():
    plan = plan_of([found("a.md")], [row("a.md")])  # hashing would raise KeyError

    assert [r.name for r in plan.unchanged] == ["a.md"]
    assert plan.jobs == ()


def test_a_time_that_proves_nothing_is_hashed():
    plan = plan_of([found("a.md", settled=False)], [row("a.md")], {"a.md": "h2"})

    assert [j.name for j in plan.change] == ["a.md"]


def test_a_touched_file_with_equal_content_is_unchanged_and_gets_its_new_time():
    plan = plan_of([found("a.md", mtime_ns=9)], [row("a.md")], {"a.md": "h1"})

    assert [r.mtime_ns for r in plan.unchanged] == [9]


@pytest.mark.accept("G5")
def test_changed_content_keeps_the_documents_id():
    plan = plan_of([found("a.md", size=11)], [row("a.md", document_id="kept")], {"a.md": "h2"})

    assert [(j.document_id, j.row.content_hash, j.hash) for j in plan.change] == [("kept", "h1", "h2")]


def test_other_settings_read_the_file_again():
    plan = plan_of([found("a.md")], [row("a.md", pipeline_hash="p0")], {"a.md": "h1"})

    assert [j.name for j in plan.change] == ["a.md"]


@pytest.mark.accept("G16")
@pytest.mark.parametrize("state", ["failed", "cancelled", "reading", "queued"])
def test_a_file_that_did_not_end_well_is_always_tried_again(state):
    plan = plan_of([found("a.md")], [row("a.md", state=state, chunks=0)], {"a.md": "h1"})

    assert [j.name for j in plan.add] == ["a.md"]


@pytest.mark.accept("K3")
def test_a_file_gone_from_a_searched_folder_is_deleted():
    plan = plan_of([], [row("a.md"), row("sub/b.md")])

    assert [r.name for r in plan.delete] == ["a.md", "sub/b.md"]


def test_a_file_outside_the_searched_folders_stays():
    plan = plan_of([], [row("a.md", path="/docs2/a.md")])

    assert plan.delete == ()


def test_files_of_a_folder_that_is_not_there_stay():
    plan = plan_of([], [row("a.md")], searched=(), missing=(ROOT,))

    assert plan.delete == ()
    assert plan.missing == (ROOT,)


def test_files_of_a_folder_that_cannot_be_opened_stay_and_it_is_said():
    plan = plan_of([], [row("locked/a.md")], unlisted=("/docs/locked",))

    assert plan.delete == ()
    assert "/docs/locked could not be opened" in plan.notices[0]


def test_a_named_file_that_vanished_is_deleted():
    plan = plan_of([], [row("a.md")], searched=(), missing=("/docs/a.md",))

    assert [r.name for r in plan.delete] == ["a.md"]
    assert plan.missing == ()


@pytest.mark.accept("K3")
def test_a_renamed_file_is_moved_and_keeps_its_id():
    plan = plan_of([found("new.md")], [row("old.md")], {"new.md": "h1"})

    assert [(j.name, j.document_id, j.row.name) for j in plan.move] == [
        ("new.md", document_id("/docs/old.md"), "old.md")
    ]
    assert plan.delete == plan.jobs == ()


def test_a_file_moved_from_another_root_is_moved():
    elsewhere = row("a.md", path="/other/a.md", root="/other")
    plan = plan_of([found("a.md")], [elsewhere], {"a.md": "h1"}, exists=["/other"])

    assert [j.row.path for j in plan.move] == ["/other/a.md"]


def test_a_file_of_an_unplugged_root_is_not_moved():
    elsewhere = row("a.md", path="/other/a.md", root="/other")
    plan = plan_of([found("a.md")], [elsewhere], {"a.md": "h1"})

    assert plan.move == ()
    assert [j.same_content_as for j in plan.jobs] == [""]


def test_a_new_file_at_the_old_place_of_a_moved_one_gets_an_id_of_its_own():
    moved = row("b.md", document_id=document_id("/docs/a.md"))
    plan = plan_of([found("a.md"), found("b.md")], [moved], {"a.md": "h2"})

    assert plan.add[0].document_id != moved.document_id


@pytest.mark.accept("G13")
def test_equal_content_under_another_name_is_a_duplicate_that_names_its_twin():
    plan = plan_of([found("a.md"), found("b.md"), found("c.md")], [row("a.md")], {"b.md": "h1", "c.md": "h1"})

    assert [(j.name, j.same_content_as) for j in plan.duplicate] == [("b.md", "a.md"), ("c.md", "a.md")]


def test_two_new_twins_are_one_added_and_one_duplicate_in_this_order():
    plan = plan_of([found("a.md"), found("b.md")], [], {"a.md": "h1", "b.md": "h1"})

    assert [(j.name, j.same_content_as) for j in plan.jobs] == [("a.md", ""), ("b.md", "a.md")]


@pytest.mark.accept("G3")
def test_content_of_a_deleted_file_makes_no_duplicate():
    plan = plan_of([found("b.md")], [row("a.md", pipeline_hash="p0")], {"b.md": "h1"})

    assert [j.same_content_as for j in plan.add] == [""]
    assert [r.name for r in plan.delete] == ["a.md"]


def test_equal_names_in_two_roots_are_told_apart():
    other = Found(path="/more/a.md", name="a.md", root="/more")
    plan = plan_of([found("a.md"), other], [], {"a.md": ""})

    assert [j.name for j in plan.add] == ["a.md", "more/a.md"]


def test_the_pipeline_hash_follows_what_decides_chunks_and_vectors_only():
    default = Settings()
    assert pipeline_hash(default, "m") == pipeline_hash(default.changed({"retrieval.depth": 7}), "m")
    assert pipeline_hash(default, "m") != pipeline_hash(default.changed({"chunking.size": 700}), "m")
    assert pipeline_hash(default, "m") != pipeline_hash(default, "other model")


def test_authority_is_of_the_last_rule_that_fits_then_the_documents_then_a_half():
    rules = {"policies/**": 0.9, "*.md": 0.4, "policies/draft*": 0.1}

    assert authority("policies/travel.pdf", rules, 0.2) == 0.9
    assert authority("policies/draft-1.md", rules, None) == 0.1
    assert authority("notes/a.md", rules, 0.8) == 0.4
    assert authority("notes/a.txt", rules, 0.8) == 0.8
    assert authority("notes/a.txt", rules, None) == 0.5


NAMES = st.sampled_from(["a.md", "b.md", "d/a.md", "d/e/c.md", "说明.md"])
TEXTS = st.sampled_from(["one", "two", "六个字的内容", "same", ""])
ACTIONS = st.one_of(
    st.tuples(st.just("write"), NAMES, TEXTS),
    st.tuples(st.just("move"), NAMES, NAMES),
    st.tuples(st.just("delete"), NAMES, st.just("")),
    st.tuples(st.just("scan"), st.just(""), st.just("")),
)


def act(folder: Path, action: str, name: str, other: str) -> None:
    path = folder / name
    if action == "write":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(other, encoding="utf-8")
    elif action == "move" and path.is_file():
        (folder / other).parent.mkdir(parents=True, exist_ok=True)
        path.replace(folder / other)
    elif action == "delete":
        path.unlink(missing_ok=True)


def carry_out(rows: dict[str, FileRow], folder: Path) -> None:
    """What the jobs do, on a dictionary: files without text fail, all others have one chunk."""
    plan = make_plan(find_files([folder], [".md"]), rows.values(), PIPELINE, content_hash, os.path.lexists)
    listed = [*(j.found.path for j in (*plan.jobs, *plan.move)), *(r.path for r in plan.unchanged)]
    assert sorted(listed) == sorted(str(p) for p in folder.rglob("*.md"))
    for gone in plan.delete:
        del rows[gone.document_id]
    for job in plan.move:
        rows[job.document_id] = job.row.model_copy(update={"path": job.found.path, "name": job.name})
    for job in plan.jobs:
        assert job.row is None or job.row.document_id == job.document_id
        assert job.row or job.document_id not in rows
        good = job.found.size > 0
        rows[job.document_id] = FileRow(
            document_id=job.document_id,
            name=job.name,
            path=job.found.path,
            content_hash=job.hash,
            pipeline_hash=PIPELINE,
            mtime_ns=job.found.proof,
            size=job.found.size,
            state="indexed" if good else "failed",
            chunks=int(good),
        )


@pytest.mark.accept("G10")
@settings(max_examples=60, deadline=None)
@given(st.lists(ACTIONS, max_size=14))
def test_after_any_history_the_base_holds_exactly_the_folder(tmp_path_factory, actions):
    folder = tmp_path_factory.mktemp("history")
    rows: dict[str, FileRow] = {}
    for action, name, other in actions:
        if action == "scan":
            carry_out(rows, folder)
        else:
            act(folder, action, name, other)
    carry_out(rows, folder)

    there = {str(p): content_hash(Found(path=str(p), name="", root="")) for p in folder.rglob("*.md")}
    assert {r.path: r.content_hash for r in rows.values()} == there
    assert len({r.name for r in rows.values()}) == len(rows)
    again = make_plan(find_files([folder], [".md"]), rows.values(), PIPELINE, content_hash, os.path.lexists)
    assert all(job.found.size == 0 for job in again.jobs)
    shutil.rmtree(folder)
