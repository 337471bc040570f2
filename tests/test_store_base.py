"""The knowledge base: documents in, out, replaced and renamed; both routes always in step."""

import random

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from store_parts import (
    DIMENSION,
    EAST,
    found_by_text,
    found_by_vector,
    identity,
    opened,
    pieces,
    put,
    row,
    settings,
    vectors,
)

from assistant.errors import StoreError, WrongModel
from assistant.store import database as databases
from assistant.store.base import Base
from assistant.store.chunks import text_hash
from assistant.store.found import Counts


@pytest.fixture
def kb(tmp_path):
    with opened(tmp_path / "kb") as base:
        yield base


def agree(base: Base) -> bool:
    """Counts, rows, text index and matrix all say the same."""
    counts = base.counts()
    rows = len(base.chunks(limit=10_000))
    matrix = base.search_vector(EAST, 10_000)
    postings = base._database.read(
        lambda c: c.execute("SELECT count(*), count(DISTINCT doc_id) FROM lengths").fetchall()[0]
    )
    return (
        base.faults() == ()
        and counts.chunks == counts.postings_chunks == rows == len(matrix.ids) == matrix.background.n
        and postings == (rows, rows)
        and sum(row.chunks for row in base.documents()) == rows
    )


@pytest.mark.accept("G1")
def test_a_deleted_document_is_gone_from_both_routes_also_after_reopening(tmp_path):
    with opened(tmp_path) as base:
        put(base, "a", "the unique sentence about kingfishers", "独一无二的翠鸟句子")
        put(base, "b", "something else")
        base.warm()
        base.delete_document("a")
        for _ in range(2):
            assert found_by_text(base, "kingfishers", "翠鸟") == []
            assert found_by_vector(base) == ["b:0"]
            assert base.passages(["a:0", "a:1"]) == []
            assert [r.document_id for r in base.documents()] == ["b"]
            assert agree(base)
            base.close()
            base = opened(tmp_path)
        base.close()


@pytest.mark.accept("G5")
def test_a_new_version_replaces_the_old_chunks_and_keeps_the_ids_of_the_places(kb):
    put(kb, "a", "leave is 15 days", "kept", "dropped")
    kb.warm()
    put(kb, "a", "leave is 20 days", "kept", version=2)
    assert found_by_text(kb, "15") == []
    assert found_by_text(kb, "dropped") == []
    assert found_by_text(kb, "20") == ["a:0"]
    assert sorted(found_by_vector(kb)) == ["a:0", "a:1"]
    assert kb.documents()[0].version == 2
    assert agree(kb)


@pytest.mark.accept("G5")
def test_a_failed_replacement_leaves_the_old_version_whole(kb):
    put(kb, "a", "old text")
    with pytest.raises(StoreError, match="one vector per chunk"):
        kb.replace_document(row("a"), pieces("new", "text"), vectors(1.0))
    with pytest.raises(StoreError, match="not finite"):
        kb.replace_document(row("a"), pieces("new"), np.full((1, DIMENSION), np.nan))
    kb.set_state(row("a", state="failed", reason="The file is damaged.", error_kind="corrupt"))
    assert found_by_text(kb, "old") == ["a:0"]
    assert (kb.documents()[0].state, kb.documents()[0].chunks) == ("failed", 1)
    assert agree(kb)


@pytest.mark.accept("G16")
def test_a_document_without_chunks_is_never_stored_as_indexed(kb):
    with pytest.raises(StoreError, match="without any chunk"):
        kb.replace_document(row("a"), [], np.empty((0, DIMENSION)))
    assert kb.counts() == Counts(documents=0, chunks=0, postings_chunks=0)


@pytest.mark.accept("G9")
def test_deleting_a_long_document_leaves_the_others(kb):
    many = [f"chunk number {i}" for i in range(1500)]
    put(kb, "long", *many)
    put(kb, "short", "chunk here")
    kb.delete_document("long")
    assert kb.counts() == Counts(documents=1, chunks=1, postings_chunks=1)
    assert found_by_text(kb, "chunk") == ["short:0"]
    assert agree(kb)


def test_deleting_or_renaming_an_unknown_document_does_nothing(kb):
    put(kb, "a", "text")
    kb.delete_document("x")
    kb.rename_document("x", "/x", "x")
    assert kb.counts().documents == 1


def test_a_moved_document_keeps_its_chunks_and_shows_its_new_name(kb):
    put(kb, "a", "text", "more")
    kb.rename_document("a", "/other/b.md", "b.md")
    passage = kb.passages(["a:0"])[0]
    assert (passage.document, passage.path) == ("b.md", "/other/b.md")
    assert kb.document("a").name == "b.md"
    node = kb.vector_store.get_nodes(["a:1"])[0]
    assert node.metadata["document"] == "b.md"
    assert found_by_vector(kb) == ["a:0", "a:1"]


@pytest.mark.accept("G14")
def test_unchanged_chunks_find_their_vectors_again_by_the_text_that_was_embedded(kb):
    chunk = pieces("kept", heading=("Leave", "Annual"))[0]
    kb.replace_document(row("a"), [chunk], vectors(0.5))
    known = text_hash("Leave › Annual\nkept")
    found = kb.vectors_for([known, text_hash("kept")])
    assert list(found) == [known]
    assert found[known] == pytest.approx(vectors(0.5)[0])
    assert kb.vectors_for([]) == {}


def test_passages_come_in_the_asked_order_with_all_that_was_stored(kb):
    chunk = pieces("15 days", heading=("Leave", "Annual"), pages=(3, 4), kind="table", language="en", context="Days")[0]
    kb.replace_document(row("a", title="Policy", authority=0.9), [chunk], vectors(1.0))
    put(kb, "b", "other")
    first, second = kb.passages(["b:0", "gone", "a:0", "b:0"])
    assert (first.chunk_id, second.chunk_id) == ("b:0", "a:0")
    assert (second.heading, second.pages, second.kind) == (("Leave", "Annual"), (3, 4), "table")
    assert (second.context, second.language, second.title, second.authority) == ("Days", "en", "Policy", 0.9)
    assert kb.passages([]) == []


def test_neighbours_are_the_chunks_before_and_after(kb):
    put(kb, "a", *"abcde")
    put(kb, "b", "z")
    assert [p.chunk_id for p in kb.neighbours("a:2", 1)] == ["a:1", "a:3"]
    assert [p.chunk_id for p in kb.neighbours("a:0", 2)] == ["a:1", "a:2"]
    assert kb.neighbours("b:0") == kb.neighbours("gone") == []


@pytest.mark.accept("D4")
def test_chunks_are_paged_in_document_order_and_filtered_by_what_they_hold(kb):
    put(kb, "b", "Beta one", "beta 100% two")
    put(kb, "a", *(f"alpha {i}" for i in range(12)))
    pages = [[p.chunk_id for p in kb.chunks(offset=start, limit=5)] for start in (0, 5, 10)]
    assert [*pages[0], *pages[1], *pages[2]] == [*(f"a:{i}" for i in range(12)), "b:0", "b:1"]
    assert [p.chunk_id for p in kb.chunks(document_id="b", containing="BETA")] == ["b:0", "b:1"]
    assert [p.chunk_id for p in kb.chunks(containing="100%")] == ["b:1"]
    assert (kb.chunk_count(), kb.chunk_count("a"), kb.chunk_count(containing="beta")) == (14, 12, 2)


def test_document_titles_name_what_can_be_asked_about(kb):
    put(kb, "a", "text", title="Annual leave")
    put(kb, "b", "text")
    kb.set_state(row("c", state="failed", reason="damaged"))
    assert kb.document_titles() == ("Annual leave", "b.md")
    assert kb.document_titles(1) == ("Annual leave",)


def test_languages_count_documents_that_have_chunks(kb):
    for name, language in {"a": "zh", "b": "en", "c": "zh", "d": ""}.items():
        put(kb, name, "text", language=language)
    kb.set_state(row("e", state="failed", reason="damaged", language="en"))
    assert kb.languages() == {"zh": 2, "en": 1, "other": 1}
    kb.delete_document("a")
    kb.delete_document("c")
    assert "zh" not in kb.languages()


def test_an_empty_base_answers_with_nothing(kb):
    assert kb.languages() == {}
    assert kb.search_text(["leave"], 10).hits == ()
    assert kb.search_text([], 10).document_frequencies == {}
    assert kb.search_vector(EAST, 10).ids == ()
    assert kb.search_vector(EAST, 10).background.n == 0
    assert (kb.documents(), kb.chunks(), kb.faults()) == ((), [], ())


@pytest.mark.accept("H2")
def test_a_copy_of_the_base_can_be_opened_while_the_base_goes_on(kb, tmp_path):
    put(kb, "a", "text")
    kb.snapshot(tmp_path / "copy")
    put(kb, "b", "later")
    with opened(tmp_path / "copy", read_only=True) as copy:
        assert copy.counts().documents == 1
        assert found_by_text(copy, "text") == ["a:0"]
        with pytest.raises(StoreError, match="read-only"):
            copy.delete_document("a")


def test_compaction_changes_no_answer(kb):
    put(kb, "a", "年假 leave policy", "ERR_CONN_1042 leave")
    put(kb, "b", "leave again", "年假")
    before = kb.search_text(["leave", "年假", "err_conn_1042"], 10)
    assert kb.compact(force=True)
    assert kb.search_text(["leave", "年假", "err_conn_1042"], 10) == before
    put(kb, "c", "leave")
    assert len(found_by_text(kb, "leave")) == 4
    assert agree(kb)


@pytest.mark.accept("G8")
def test_room_of_deleted_documents_is_given_back_to_the_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(databases, "_WORTH_SHRINKING", 0)
    with opened(tmp_path) as base:
        noise = random.Random(1)
        for name in "abcdef":
            put(base, name, *(f"{name} {noise.randbytes(4000).hex()}" for _ in range(200)))
        base.compact(force=True)
        before = base.disk_bytes()
        for name in "abcde":
            base.delete_document(name)
        assert base.compact()
        assert base.disk_bytes() < before / 2
        assert len(found_by_vector(base)) == 200
        assert found_by_text(base, "f") == [f"f:{at}" for at in range(50)]
        put(base, "g", "written afterwards")
        assert found_by_text(base, "afterwards") == ["g:0"]
        assert agree(base)
        assert [file.name for file in tmp_path.iterdir() if file.suffix == ".shrunk"] == []
    with opened(tmp_path) as base:
        assert base.counts() == Counts(documents=2, chunks=201, postings_chunks=201)


# F: the embedding model


@pytest.mark.accept("F1")
def test_another_model_is_refused_when_the_base_is_opened_and_named_with_what_is_at_stake(tmp_path):
    with opened(tmp_path) as base:
        put(base, "a", "one", "two")
    with pytest.raises(WrongModel, match=r"holds 2 chunks embedded with small .*chosen model is large .*--kb"):
        Base.open(tmp_path, identity("large", 8), settings())
    with opened(tmp_path) as base:
        assert found_by_text(base, "one") == ["a:0"]


@pytest.mark.accept("F4")
def test_another_model_of_equal_dimension_is_refused_too(tmp_path):
    with opened(tmp_path) as base:
        put(base, "a", "one")
    with pytest.raises(WrongModel):
        opened(tmp_path, "other")
    with pytest.raises(WrongModel):
        Base.open(tmp_path, identity(query_prefix="query: "), settings())


def test_an_empty_base_takes_the_new_model(tmp_path):
    with opened(tmp_path) as base:
        put(base, "a", "one")
        base.warm()
        base.delete_document("a")
        with Base.open(tmp_path, identity("large", 8), settings()) as larger:
            larger.replace_document(row("b"), pieces("two"), vectors(1.0, dimension=8))
            assert larger.search_vector([1.0] + [0.0] * 7, 5).ids == ("b:0",)
            assert larger.embedder.dimension == 8
        with pytest.raises(WrongModel, match="cannot be stored"):
            put(base, "c", "three")


@pytest.mark.accept("F3")
def test_vectors_of_another_dimension_or_model_are_refused_when_written(kb):
    with pytest.raises(WrongModel, match="5 dimensions"):
        kb.replace_document(row("a"), pieces("one"), vectors(1.0, dimension=5))
    with pytest.raises(WrongModel, match="cannot be stored"):
        kb.replace_document(row("a"), pieces("one"), vectors(1.0), identity("other"))
    with pytest.raises(WrongModel, match="5 dimensions"):
        kb.search_vector([1.0] * 5, 10)
    assert kb.counts().documents == 0


def test_a_base_opened_without_a_model_reads_but_does_not_write_foreign_vectors(tmp_path):
    with Base.open(tmp_path / "new", None, settings()) as base, pytest.raises(StoreError, match="no embedding model"):
        put(base, "a", "one")
    with opened(tmp_path / "old") as base:
        put(base, "a", "one")
    with Base.open(tmp_path / "old", None, settings()) as base:
        assert base.embedder.record["model"] == "small"
        assert found_by_vector(base) == ["a:0"]


# G10


_STEP = st.tuples(
    st.sampled_from(["put", "put", "put", "delete", "state", "rename"]), st.sampled_from("abcd"), st.integers(1, 6)
)


@pytest.mark.accept("G10")
@hypothesis_settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(_STEP, min_size=4, max_size=12), warm_at=st.integers(0, 5))
def test_counts_rows_text_index_and_matrix_agree_after_any_sequence_of_changes(tmp_path_factory, steps, warm_at):
    expected: dict[str, int] = {}
    with opened(tmp_path_factory.mktemp("kb")) as base:
        for at, (what, name, n) in enumerate(steps):
            if at == warm_at:
                base.warm()
            if what == "put":
                put(base, name, *(f"{name} 第{i}段 ,{'word' * (i % 2)}" for i in range(n)))
                expected[name] = n
            elif what == "delete":
                base.delete_document(name)
                expected.pop(name, None)
            elif what == "state" and name in expected:
                base.set_state(row(name, state="queued"))
            elif what == "rename":
                base.rename_document(name, f"/moved/{n}", f"{n}.md")
        assert agree(base)
        assert {r.document_id: r.chunks for r in base.documents()} == expected
        assert sorted(found_by_vector(base)) == sorted(f"{k}:{i}" for k, n in expected.items() for i in range(n))
