"""The ingest against real folders, a real base and the real embedder."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pymupdf
import pytest
from test_ingest_find import write

from assistant.documents import Progress
from assistant.errors import ModelUnavailable, UnreadableFile
from assistant.ingest import child, reading, run
from assistant.ingest.plan import Job, Plan
from assistant.ingest.reading import ReaderPool, ReaderProcess
from assistant.settings import Reading, Settings

TRAVEL = "# 差旅政策\n\n出差住宿标准为每晚四百元，由蓝鲸中心报销。\n"
LEAVE = "# Annual leave\n\nEmployees may carry over five days of leave into the next year.\n"


@pytest.fixture
def folder(tmp_path):
    """Two documents."""
    write(tmp_path / "docs" / "travel.md", TRAVEL)
    write(tmp_path / "docs" / "hr" / "leave.txt", LEAVE)
    return tmp_path / "docs"


@pytest.fixture
def ingest(base, embedder):
    """Runs an ingest into the base."""

    def go(*paths, changes=None, **options):
        return run(base, embedder, Settings().changed(changes or {}), paths, **options)

    return go


def rows(base):
    return {row.name: row for row in base.documents()}


def found_by_text(base, *words):
    terms = [term for word in words for term in base.tokenizer.tokens(word)]
    ids = [hit.chunk_id for hit in base.search_text(terms, 10).hits]
    return {passage.document for passage in base.passages(ids)}


def found_by_vector(base, embedder, question):
    ids = base.search_vector(embedder.embed_query(question), 10).ids
    return {passage.document for passage in base.passages(ids)}


def make_pdf(path, *pages):
    with pymupdf.open() as document:
        for text in pages:
            document.new_page().insert_text((72, 72), text)
        path.write_bytes(document.tobytes())
    return path


def test_files_of_both_languages_are_indexed_and_found(base, embedder, ingest, folder):
    report = ingest(folder)

    assert report.added == ("hr/leave.txt", "travel.md")
    assert report.failed == ()
    assert {(r.state, r.chunks > 0) for r in rows(base).values()} == {("indexed", True)}
    assert found_by_text(base, "蓝鲸中心") == {"travel.md"}
    assert "hr/leave.txt" in found_by_vector(base, embedder, "How many days of leave can I keep?")


@pytest.mark.accept("K2")
def test_a_second_run_on_an_unchanged_folder_embeds_nothing(ingest, folder):
    ingest(folder)

    report = ingest(folder)

    assert (report.embedded, report.reused) == (0, 0)
    assert len(report.unchanged) == 2
    assert "embedding" not in report.stage_seconds


@pytest.mark.accept("G14")
def test_a_changed_paragraph_embeds_only_the_chunks_that_changed(base, ingest, folder):
    sections = [f"# Section {n}\n\n" + f"Sentence of section {n} about topic {n}. " * 12 for n in range(4)]
    write(folder / "long.md", "\n\n".join(sections))
    ingest(folder)
    before = rows(base)["long.md"]
    sections[2] = "# Section 2\n\nNow about whales only."
    write(folder / "long.md", "\n\n".join(sections))

    report = ingest(folder)

    assert report.changed == ("long.md",)
    assert report.embedded == 1
    assert report.reused == rows(base)["long.md"].chunks - 1
    after = rows(base)["long.md"]
    assert (after.document_id, after.version) == (before.document_id, 2)


@pytest.mark.accept("K4")
def test_the_new_version_replaces_the_old_one(base, ingest, folder):
    ingest(folder)
    write(folder / "travel.md", TRAVEL.replace("蓝鲸中心", "白鹭大厅"))

    ingest(folder)

    assert found_by_text(base, "蓝鲸") == set()
    assert found_by_text(base, "白鹭") == {"travel.md"}


@pytest.mark.accept("G1")
@pytest.mark.accept("K3")
def test_a_deleted_file_vanishes_from_both_routes(base, embedder, ingest, folder):
    ingest(folder)
    (folder / "travel.md").unlink()

    report = ingest(folder)

    assert report.deleted == ("travel.md",)
    assert found_by_text(base, "蓝鲸中心") == set()
    assert found_by_vector(base, embedder, "出差住宿标准") == {"hr/leave.txt"}
    assert base.faults() == ()


@pytest.mark.accept("K3")
def test_a_renamed_file_keeps_its_vectors_and_is_found_under_its_new_name(base, ingest, folder):
    ingest(folder)
    (folder / "hr").rename(folder / "people")

    report = ingest(folder)

    assert report.moved == ("people/leave.txt",)
    assert (report.embedded, report.added, report.deleted) == (0, (), ())
    assert found_by_text(base, "carry") == {"people/leave.txt"}
    assert ingest(folder).unchanged == ("people/leave.txt", "travel.md")


@pytest.mark.accept("G13")
def test_the_same_content_under_another_name_is_said_and_embeds_nothing(base, ingest, folder):
    ingest(folder)
    write(folder / "copy.md", TRAVEL)

    report = ingest(folder)

    assert report.notices == ("copy.md: same content as travel.md; added as a second name.",)
    assert report.embedded == 0
    assert rows(base)["copy.md"].same_content_as == "travel.md"
    (folder / "travel.md").unlink()
    ingest(folder)
    assert rows(base)["copy.md"].same_content_as == ""


@pytest.mark.accept("I7")
@pytest.mark.accept("I9")
def test_a_bad_file_never_stops_the_rest_and_its_row_says_why(base, ingest, folder):
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing that follows is a PDF")
    write(folder / "empty.md", "")
    write(folder / "blank.md", " \n\n ")
    make_pdf(folder / "good.pdf", "The kestrel report was signed in Geneva.")

    report = ingest(folder)

    assert sorted(name for name, _ in report.failed) == ["blank.md", "broken.pdf", "empty.md"]
    kinds = {name: (row.state, row.error_kind) for name, row in rows(base).items() if row.state == "failed"}
    assert kinds == {
        "broken.pdf": ("failed", "corrupt"),
        "empty.md": ("failed", "empty"),
        "blank.md": ("failed", "empty"),
    }
    assert all(row.reason for row in rows(base).values() if row.state == "failed")
    assert found_by_text(base, "kestrel") == {"good.pdf"}


@pytest.mark.accept("G16")
def test_a_failed_file_is_tried_again_and_its_row_recovers(base, ingest, folder):
    write(folder / "empty.md", "")
    ingest(folder)
    write(folder / "empty.md", "# Now\n\nIt has text.")

    report = ingest(folder)

    assert report.added == ("empty.md",)
    assert rows(base)["empty.md"].state == "indexed"
    assert rows(base)["empty.md"].reason == ""


@pytest.mark.accept("G5")
def test_a_new_version_that_cannot_be_read_leaves_the_old_one_and_says_so(base, ingest, folder):
    ingest(folder)
    write(folder / "travel.md", "")

    report = ingest(folder)

    row = rows(base)["travel.md"]
    assert (row.state, row.error_kind, row.chunks > 0) == ("failed", "empty", True)
    assert row.reason.endswith("Answers still come from version 1.")
    assert report.failed == (("travel.md", row.reason),)
    assert found_by_text(base, "蓝鲸中心") == {"travel.md"}
    write(folder / "travel.md", TRAVEL)
    assert ingest(folder).embedded == 0
    assert rows(base)["travel.md"].state == "indexed"


def test_a_file_over_the_limit_is_refused_with_the_number(base, ingest, folder):
    write(folder / "big.md", "x" * 1_100_000)

    ingest(folder, changes={"reading.max_megabytes": 1})

    assert rows(base)["big.md"].error_kind == "too_large"
    assert "reading.max_megabytes = 1" in rows(base)["big.md"].reason


def test_other_formats_and_missing_paths_are_in_the_report(ingest, folder, tmp_path):
    write(folder / "film.mp4")

    report = ingest(folder, tmp_path / "nothing")

    assert report.skipped == (("film.mp4", "files of type '.mp4' are not read"),)
    assert [path for path, _ in report.failed] == [str(tmp_path / "nothing")]


def test_authority_comes_from_rules_then_front_matter(base, ingest, folder):
    write(folder / "policy.md", "---\nauthority: 0.8\n---\n# Policy\n\nUse the stairs.\n")
    ingest(folder)
    assert {n: r.authority for n, r in rows(base).items()} == {"hr/leave.txt": 0.5, "policy.md": 0.8, "travel.md": 0.5}

    report = ingest(folder, changes={"authority_rules": {"hr/*": 0.9}})

    assert rows(base)["hr/leave.txt"].authority == 0.9
    assert report.embedded == 0


@pytest.mark.accept("D3")
@pytest.mark.accept("I1")
def test_progress_ends_every_file_in_a_final_state_and_counts_up(ingest, folder):
    write(folder / "empty.md", "")
    seen: list[Progress] = []

    ingest(folder, on_progress=seen.append)

    last = {p.file: p.state for p in seen}
    assert last == {"travel.md": "indexed", "hr/leave.txt": "indexed", "empty.md": "failed"}
    assert [p.files_done for p in seen] == sorted(p.files_done for p in seen)
    assert (seen[-1].files_done, seen[-1].files, seen[-1].seconds_left) == (3, 3, 0.0)
    assert any(p.chunks_per_second for p in seen)


def test_a_run_stopped_while_embedding_keeps_what_was_written_and_the_next_run_finishes(base, ingest, folder):
    cancel = threading.Event()

    def stop_at_the_second(progress):
        if progress.state == "embedding" and progress.files_done == 1:
            cancel.set()

    report = ingest(folder, on_progress=stop_at_the_second, cancel=cancel)

    assert report.cancelled
    assert sorted(row.state for row in base.documents()) == ["cancelled", "indexed"]
    assert base.faults() == ()
    assert len(ingest(folder).added) == 1
    assert {row.state for row in base.documents()} == {"indexed"}


def test_a_stopped_change_leaves_the_old_version_as_it_was(base, ingest, folder):
    ingest(folder)
    before = rows(base)
    write(folder / "travel.md", TRAVEL.replace("四百", "五百"))
    cancel = threading.Event()

    report = ingest(folder, on_progress=lambda p: p.state == "chunking" and cancel.set(), cancel=cancel)

    assert report.cancelled
    assert rows(base) == before


def test_an_embedder_that_is_away_leaves_the_files_for_the_next_run(base, embedder, folder):
    class Away:
        identity = embedder.identity

        def embed_passages(self, texts, on_progress=None):
            raise ModelUnavailable("Ollama is not running; start it.")

    with pytest.raises(ModelUnavailable):
        run(base, Away(), Settings(), [folder])

    assert base.documents() == ()
    assert len(run(base, embedder, Settings(), [folder]).added) == 2


@pytest.mark.accept("G2")
def test_a_document_deleted_while_its_new_version_is_read_stays_deleted(base, ingest, folder):
    ingest(folder)
    gone = rows(base)["travel.md"].document_id
    write(folder / "travel.md", TRAVEL.replace("四百", "五百"))

    ingest(folder, on_progress=lambda p: p.state == "chunking" and base.delete_document(gone))

    assert set(rows(base)) == {"hr/leave.txt"}
    assert found_by_text(base, "蓝鲸中心") == set()


@pytest.mark.accept("G7")
def test_two_runs_at_once_embed_each_file_once(base, embedder, folder):
    with ThreadPoolExecutor(2) as threads:
        runs = [threads.submit(run, base, embedder, Settings(), [folder]) for _ in range(2)]
        reports = [r.result() for r in runs]

    assert sorted(len(report.added) for report in reports) == [0, 2]
    assert sorted(len(report.unchanged) for report in reports) == [0, 2]


@pytest.mark.accept("G10")
def test_counts_agree_after_many_changes(base, ingest, folder):
    for text in ("one", "two", "one"):
        write(folder / "a.md", text)
        write(folder / f"{text}.md", text)
        ingest(folder)
    (folder / "a.md").unlink()
    ingest(folder)

    counts = base.counts()
    assert counts.chunks == sum(row.chunks for row in base.documents())
    assert counts.documents == 4
    assert base.faults() == ()


# the process that reads


def start_with(monkeypatch, code):
    """Children run this code in place of the reader."""
    real = subprocess.Popen

    def popen(command, **options):
        return real([sys.executable, "-c", "print('{}', flush=True); input(); " + code], **options)

    monkeypatch.setattr(reading.subprocess, "Popen", popen)


def kind_of(process):
    with pytest.raises(UnreadableFile) as caught:
        process.read("/x/a.pdf", "a.pdf")
    process.let_go()
    return caught.value.kind


@pytest.mark.accept("I2")
def test_a_reader_that_hangs_is_ended_after_its_time(monkeypatch):
    start_with(monkeypatch, "import threading; threading.Event().wait()")

    assert kind_of(ReaderProcess(Reading(seconds_per_file=1))) == "too_slow"


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize(("signal_name", "kind"), [("SIGKILL", "too_large"), ("SIGSEGV", "corrupt")])
def test_a_reader_that_dies_fails_its_file_only(monkeypatch, signal_name, kind):
    start_with(monkeypatch, f"import os, signal; os.kill(os.getpid(), signal.{signal_name})")

    assert kind_of(ReaderProcess(Reading())) == kind


def test_a_reader_process_reads_one_file_after_another_and_starts_again_after_an_error(tmp_path):
    process = ReaderProcess(Reading())
    make_pdf(tmp_path / "a.pdf", "first")
    (tmp_path / "b.pdf").write_bytes(b"%PDF-1.7 broken")

    try:
        assert "first" in process.read(str(tmp_path / "a.pdf"), "a.pdf").text
        with pytest.raises(UnreadableFile):
            process.read(str(tmp_path / "b.pdf"), "b.pdf")
        assert process.read(str(tmp_path / "a.pdf"), "shown.pdf").name == "shown.pdf"
    finally:
        process.let_go()


@pytest.mark.skipif(sys.platform != "linux", reason="the limit holds there")
def test_a_reader_that_wants_too_much_memory_is_refused_it():
    code = "from assistant.ingest.child import _limit_memory; _limit_memory(); bytearray(3 * 1024**3)"

    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=reading.Path(child.__file__).parents[2]
    )

    assert "MemoryError" in ended.stderr


def test_a_file_written_to_while_it_is_read_proves_nothing(tmp_path):
    path = write(tmp_path / "a.md", "before")
    from assistant.ingest.find import find_files

    [found] = find_files([path], [".md"]).files
    write(path, "after, and longer")

    with ReaderPool(Reading(), workers=1) as pool:
        read = pool.submit(Job(found=found, document_id="d", name="a.md", hash="of before")).result()

    assert read.document.text == "after, and longer"
    assert (read.hash != "of before", read.found.proof, read.found.size) == (True, 0, 17)


def test_an_empty_plan_has_no_jobs():
    assert Plan().jobs == ()
