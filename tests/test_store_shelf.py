"""The shelf: vectors of other models beside the index, and their exchange with it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from store_parts import EAST, ROOT, found_by_text, found_by_vector, identity, opened, pieces, put, row, vectors

from assistant.errors import StoreError, WrongModel
from assistant.store.base import Base
from assistant.store.chunks import text_hash
from assistant.store.schema import Embedder

LARGE = identity("large", 6)
MODEL = Embedder.of(LARGE)


@pytest.fixture
def kb(tmp_path):
    with opened(tmp_path / "kb") as base:
        yield base


def fill(base: Base, model: Embedder = MODEL) -> list[str]:
    """A vector for every missing text, that points to its own axis; the texts."""
    missing = base.shelf.missing(model, 100)
    made = np.eye(model.dimension, dtype=np.float32)[[len(m.text) % model.dimension for m in missing]]
    base.shelf.put(model, [m.text_hash for m in missing], made)
    return [m.text for m in missing]


def axis(at: int, dimension: int = 6) -> list[float]:
    return np.eye(dimension)[at].tolist()


def tables(base: Base) -> set[str]:
    sql = "SELECT table_name FROM duckdb_tables() WHERE starts_with(table_name, 'shelf_')"
    return {name for (name,) in base._database.read(lambda c: c.execute(sql).fetchall())}


@pytest.mark.accept("F2")
def test_the_shelf_asks_for_each_text_once_and_covers_all_chunks_that_have_it(kb):
    put(kb, "a", "same", "other")
    put(kb, "b", "same")
    assert [m.text for m in kb.shelf.missing(MODEL, 1)] == ["same"]
    assert kb.shelf.coverage(MODEL).there == 0
    assert fill(kb) == ["same", "other"]
    found = kb.shelf.coverage(MODEL)
    assert (found.chunks, found.there, found.complete) == (3, 3, True)
    assert kb.shelf.missing(MODEL, 10) == []
    assert [m.label for m in kb.shelf.models()] == [MODEL.label]


def test_what_is_embedded_is_the_heading_context_and_text(kb):
    chunk = pieces("kept", heading=("Leave", "Annual"), context="Days")[0]
    kb.replace_document(row("a"), [chunk], vectors(0.5))
    (missing,) = kb.shelf.missing(MODEL, 5)
    assert (missing.text, missing.document_id, missing.ordinal) == ("Leave › Annual\nDays\nkept", "a", 0)
    assert missing.text_hash == text_hash(missing.text)


@pytest.mark.accept("F2")
@pytest.mark.accept("F3")
def test_an_exchange_puts_the_other_vectors_in_place_and_the_old_ones_on_the_shelf(tmp_path):
    with opened(tmp_path) as base:
        put(base, "a", "one", "three", cosines=(1.0, 0.5))
        put(base, "b", "one")
        base.warm()
        fill(base)
        base.exchange(LARGE)
        for _ in range(2):
            # "one" has 3 letters, "three" 5
            assert base.search_vector(axis(5), 1).ids == ("a:1",)
            assert base.search_vector(axis(3), 2).ids == ("a:0", "b:0")
            assert found_by_text(base, "three") == ["a:1"]
            assert base.faults() == ()
            assert base.embedder.fingerprint == LARGE.fingerprint()
            assert [m.record["model"] for m in base.shelf.models()] == ["small"]
            base.close()
            base = Base.open(tmp_path, LARGE, base.settings)
        assert base.shelf.coverage(Embedder.of(identity())).complete
        base.exchange(identity())
        assert base.search_vector(EAST, 3).ids == ("a:0", "b:0", "a:1")
        assert base.search_vector(EAST, 3).cosines[2] == pytest.approx(0.5)
        base.close()


@pytest.mark.accept("F4")
def test_models_of_equal_dimension_are_kept_apart(kb):
    twin = identity("twin")
    put(kb, "a", "one", "two!")
    kb.shelf.put(
        Embedder.of(twin), [m.text_hash for m in kb.shelf.missing(Embedder.of(twin), 5)], [axis(1, 4), axis(2, 4)]
    )
    assert kb.search_vector(axis(1, 4), 1).cosines[0] == pytest.approx(0)
    kb.exchange(twin)
    assert kb.search_vector(axis(2, 4), 1, model=twin.fingerprint()).ids == ("a:1",)
    with pytest.raises(WrongModel, match="cannot be stored"):
        kb.replace_document(row("b"), pieces("three"), vectors(1.0), identity())
    with pytest.raises(WrongModel, match="another model"):
        kb.search_vector(axis(2, 4), 1, model="0123")


@pytest.mark.accept("F2")
def test_an_exchange_is_refused_while_a_chunk_has_no_vector_and_changes_nothing(kb):
    put(kb, "a", "one")
    fill(kb)
    put(kb, "b", "added later", "and more")
    with pytest.raises(StoreError, match=r"2 of 3 chunks have no vector of large"):
        kb.exchange(LARGE)
    assert kb.embedder.fingerprint == identity().fingerprint()
    assert found_by_vector(kb) == ["a:0", "b:0", "b:1"]
    assert fill(kb) == ["added later", "and more"]
    kb.exchange(LARGE)


def test_vectors_that_cannot_be_used_are_not_kept(kb):
    put(kb, "a", "one")
    for bad in (np.zeros((1, 6)), np.full((1, 6), np.nan), np.ones((1, 5))):
        with pytest.raises(StoreError, match="nothing was kept"):
            kb.shelf.put(MODEL, ["x"], bad)
    assert kb.shelf.models() == ()


@pytest.mark.accept("G1")
def test_a_deleted_document_takes_its_vectors_from_the_shelf_but_not_those_that_others_share(kb):
    put(kb, "a", "same", "own")
    put(kb, "b", "same")
    fill(kb)
    kb.delete_document("a")
    assert kb.shelf.coverage(MODEL).there == 1
    rows = kb._database.read(lambda c: c.execute(f"SELECT text_hash FROM shelf_{MODEL.fingerprint}").fetchall())
    assert rows == [(text_hash("same"),)]


@pytest.mark.accept("G1")
@pytest.mark.accept("G2")
def test_a_vector_that_comes_after_its_document_was_deleted_is_not_kept(kb):
    put(kb, "a", "one")
    put(kb, "b", "two")
    late = kb.shelf.missing(MODEL, 5)
    kb.delete_document("a")
    kb.shelf.put(MODEL, [m.text_hash for m in late], [axis(1), axis(2)])
    rows = kb._database.read(lambda c: c.execute(f"SELECT text_hash FROM shelf_{MODEL.fingerprint}").fetchall())
    assert rows == [(text_hash("two"),)]


def test_a_new_version_keeps_the_vectors_of_the_chunks_that_stay(kb):
    put(kb, "a", "kept", "gone")
    fill(kb)
    put(kb, "a", "kept", "new")
    assert [m.text for m in kb.shelf.missing(MODEL, 5)] == ["new"]
    rows = kb._database.read(lambda c: c.execute(f"SELECT count(*) FROM shelf_{MODEL.fingerprint}").fetchall())
    assert rows == [(1,)]


@pytest.mark.accept("E5")
def test_vectors_wait_for_an_unfinished_file_and_go_when_it_is_stored_or_deleted(kb):
    small = kb.embedder
    for finish in (lambda: put(kb, "a", "one"), lambda: kb.delete_document("a")):
        kb.shelf.put(small, [text_hash("one"), text_hash("two")], vectors(0.6, 0.8), document_id="a")
        assert kb.vectors_for([text_hash("two")])[text_hash("two")] == pytest.approx(vectors(0.8)[0])
        finish()
        assert kb.vectors_for([text_hash("two")]) == {}


def test_forgetting_a_model_drops_its_table(kb):
    put(kb, "a", "one")
    fill(kb)
    assert tables(kb) == {f"shelf_{MODEL.fingerprint}"}
    kb.shelf.forget(MODEL.fingerprint)
    kb.shelf.forget("0123")
    assert (tables(kb), kb.shelf.models()) == (set(), ())
    with pytest.raises(StoreError, match="no fingerprint"):
        kb.shelf.put(Embedder(MODEL.record, "x; DROP TABLE documents"), ["x"], [axis(1)])


def test_room_is_given_back_while_a_question_is_under_way(kb):
    put(kb, "a", "one")
    fill(kb)
    database, inside, go_on, errors = kb._database, threading.Event(), threading.Event(), []

    def question(cursor):
        cursor.execute("SELECT count(*) FROM documents").fetchall()
        inside.set()
        go_on.wait(10)

    def forget():
        try:
            kb.shelf.forget(MODEL.fingerprint)
        except StoreError as err:
            errors.append(err)

    asking = threading.Thread(target=database.read, args=(question,))
    asking.start()
    assert inside.wait(10)
    before, forgetting = database.writes, threading.Thread(target=forget)
    forgetting.start()
    while database.writes < before + 2 and forgetting.is_alive():
        inside.wait(0.001)  # the table is dropped; the checkpoint that follows has to wait
    go_on.set()
    forgetting.join()
    asking.join()
    assert errors == []
    assert tables(kb) == set()


def test_who_began_before_the_exchange_goes_on_with_the_vectors_of_then(kb):
    put(kb, "a", "one")
    kb.warm()
    fill(kb)
    before = identity().fingerprint()
    kb.exchange(LARGE)
    assert kb.search_vector(EAST, 5, model=before).ids == ("a:0",)
    kb.release(before)
    with pytest.raises(WrongModel, match="ask it again"):
        kb.search_vector(EAST, 5, model=before)


def test_files_keep_counting_as_unchanged_after_an_exchange(kb):
    put(kb, "a", "one", pipeline_hash="old")
    put(kb, "b", "two", pipeline_hash="older still")
    fill(kb)
    kb.exchange(LARGE, ("old", "new"))
    assert [r.pipeline_hash for r in kb.documents()] == ["new", "older still"]


def test_nodes_of_another_door_are_exchanged_too(kb):
    from llama_index.core.schema import TextNode

    kb.vector_store.add([TextNode(id_="n", text="a node", embedding=list(EAST))])
    assert fill(kb) == ["a node"]
    kb.exchange(LARGE)
    assert kb.search_vector(axis(0), 1).ids == ("n",)
    kb.vector_store.add([TextNode(id_="m", text="another", embedding=axis(1))])
    kb.vector_store.delete_nodes(["n"])
    assert kb.shelf.coverage(Embedder.of(identity())).there == 0


def test_readers_go_on_during_an_exchange(kb):
    for at in range(20):
        put(kb, f"d{at}", *(f"chunk {at} {i}" for i in range(20)))
    for _ in range(4):
        fill(kb)
    wrong, done = [], threading.Event()

    def read() -> None:
        while not done.is_set():
            found = kb.search_vector(EAST, 5, model=identity().fingerprint()), kb.passages(["d3:3"]), kb.counts()
            if len(found[0].ids) != 5 or not found[1] or found[2].chunks != 400:
                wrong.append(found)

    kb.warm()
    reader = threading.Thread(target=read)
    reader.start()
    kb.exchange(LARGE)
    done.set()
    reader.join()
    assert wrong == []


_KILLED = """
import os, sys
sys.path[:0] = [{tests!r}, {root!r}]
from pathlib import Path
import test_store_shelf as t
from assistant.store import shelf
base = t.opened(Path(sys.argv[1]))
when = sys.argv[2]
if when == "inside":
    shelf.drop = lambda *_: os._exit(9)
base.exchange(t.LARGE)
os._exit(9)
"""


@pytest.mark.accept("F2")
@pytest.mark.parametrize(("when", "model", "query"), [("inside", identity(), EAST), ("after", LARGE, axis(3))])
def test_a_kill_during_or_right_after_an_exchange_leaves_one_whole_index(tmp_path, when, model, query):
    with opened(tmp_path) as base:
        put(base, "a", "one")
        fill(base)
    code = _KILLED.format(tests=str(ROOT / "tests"), root=str(ROOT))
    subprocess.run([sys.executable, "-c", code, str(tmp_path), when], check=False, env=dict(os.environ))
    with Base.open(tmp_path, model, base.settings) as again:
        assert again.search_vector(query, 5).ids == ("a:0",)
        assert again.faults() == ()
        other = MODEL if when == "inside" else Embedder.of(identity())
        assert again.shelf.coverage(other).complete


@pytest.mark.accept("F2")
def test_a_vector_that_went_bad_on_the_disk_is_seen_before_an_exchange(kb):
    put(kb, "a", "one", "two")
    fill(kb)
    spoil = f"UPDATE shelf_{MODEL.fingerprint} SET vector = [0, 0, 0, 0, 0, 0] WHERE text_hash = '{text_hash('two')}'"
    kb.shelf._change(lambda cursor: cursor.execute(spoil))
    assert kb.shelf.coverage(MODEL, checked=True).unusable == 1
    with pytest.raises(StoreError, match="1 vectors are unusable"):
        kb.exchange(LARGE)
    assert found_by_vector(kb) == ["a:0", "a:1"]
    kb.shelf.drop_unusable(MODEL)
    assert fill(kb) == ["two"]
    kb.exchange(LARGE)
