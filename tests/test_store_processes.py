"""Other processes, several threads, killed writers, full disks and files that are not ours."""

import os
import random
import signal
import sys
import threading

import duckdb
import pytest
from store_parts import (
    EAST,
    child,
    found_by_text,
    found_by_vector,
    identity,
    last_json,
    opened,
    pieces,
    put,
    row,
    vectors,
)

from assistant.errors import BaseInUse, StoreError
from assistant.store.base import FILE

HOLD = """
import sys
from pathlib import Path
from store_parts import opened, put
with opened(Path(sys.argv[1]), read_only=len(sys.argv) > 2) as base:
    if len(sys.argv) == 2:
        put(base, "a", "text")
    print("ready", flush=True)
    sys.stdin.readline()
"""

WRITE_ON = """
import sys, itertools
from pathlib import Path
from store_parts import opened, put
with opened(Path(sys.argv[1])) as base:
    base.warm()
    print("ready", flush=True)
    for round in itertools.count(1):
        for name in "abc":
            put(base, name, *(f"round{round} {name} part {i} 第{i}段" for i in range(30)), version=round)
            print(name, round, flush=True)
"""

DISK_FULL = """
import json, resource, signal, sys
from pathlib import Path
from assistant.errors import StoreError
from store_parts import EAST, found_by_text, opened, put
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with opened(Path(sys.argv[1])) as base:
    put(base, "a", "acknowledged")
    base.warm()
    used = base.disk_bytes()
    resource.setrlimit(resource.RLIMIT_FSIZE, (used + 4096, resource.RLIM_INFINITY))
    said = ""
    try:
        for i in range(40):
            put(base, f"big{i}", *(f"filling {i} {j} " * 50 for j in range(40)))
    except StoreError as err:
        said = str(err)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    put(base, "b", "afterwards")
    print(json.dumps({"said": said, "text": found_by_text(base, "acknowledged", "afterwards"), "faults": base.faults(),
                      "near": len(base.search_vector(EAST, 9999).ids), "rows": base.counts().chunks}))
"""


@pytest.mark.accept("H1")
def test_a_base_open_in_another_process_is_refused_with_its_process_id(tmp_path):
    other = child(HOLD, str(tmp_path))
    assert other.stdout.readline() == "ready\n"
    for read_only in (False, True):
        with pytest.raises(
            BaseInUse, match=rf"is open in another Glassbox \(process {other.pid}\); close it or use --kb"
        ) as err:
            opened(tmp_path, read_only=read_only)
        assert err.value.pid == other.pid
    other.communicate("\n", timeout=60)
    with opened(tmp_path) as base:
        assert found_by_text(base, "text") == ["a:0"]


def test_two_processes_may_read_at_once(tmp_path):
    with opened(tmp_path) as base:
        put(base, "a", "text")
    other = child(HOLD, str(tmp_path), "read only")
    assert other.stdout.readline() == "ready\n"
    with opened(tmp_path, read_only=True) as base:
        assert found_by_vector(base) == ["a:0"]
    other.communicate("\n", timeout=60)


def test_a_base_opened_twice_in_one_process_is_one_base(tmp_path):
    with opened(tmp_path) as one, opened(tmp_path / "x" / "..") as other:
        one.warm()
        put(other, "a", "text")
        assert found_by_vector(one) == found_by_text(one, "text") == ["a:0"]
        other.close()
        other.close()
        put(one, "b", "more")
        assert one.counts().chunks == 2


def test_a_closed_base_says_so(tmp_path):
    base = opened(tmp_path)
    base.close()
    with pytest.raises(StoreError, match="is closed; open it again"):
        base.counts()


@pytest.mark.accept("H3")
def test_four_readers_and_a_writer_see_whole_documents_only(tmp_path):
    wrong: list[object] = []
    rounds = 25
    with opened(tmp_path) as base:
        put(base, "a", *("round0 part",) * 6)
        done = threading.Event()

        def read() -> None:
            while not done.is_set():
                try:
                    by_text = base.search_text(["part"], 100)
                    by_vector = base.search_vector(EAST, 100)
                    texts = {p.text for p in base.passages([h.chunk_id for h in by_text.hits])}
                    sizes = (len(by_text.hits), by_text.n, len(by_vector.ids), by_vector.background.n)
                    if sizes != (6, 6, 6, 6) or len(texts) != 1 or len(set(by_vector.ids)) != 6:
                        wrong.append((sizes, texts))
                except Exception as err:
                    wrong.append(err)

        readers = [threading.Thread(target=read) for _ in range(4)]
        for reader in readers:
            reader.start()
        for at in range(1, rounds + 1):
            put(base, "a", *(f"round{at} part",) * 6)
        done.set()
        for reader in readers:
            reader.join()
        assert wrong == []
        assert found_by_text(base, f"round{rounds}") == [f"a:{i}" for i in range(6)]
        assert base.faults() == ()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.parametrize("seed", range(3))
def test_a_writer_killed_in_the_middle_leaves_every_document_whole(tmp_path, seed):
    writer = child(WRITE_ON, str(tmp_path))
    assert writer.stdout.readline() == "ready\n"
    for _ in range(random.Random(seed).randint(2, 12)):
        writer.stdout.readline()
    os.kill(writer.pid, signal.SIGKILL)
    acknowledged = dict(line.split() for line in writer.communicate()[0].splitlines())
    with opened(tmp_path) as base:
        assert base.faults() == ()
        assert base.counts().chunks == len(found_by_vector(base)) == 30 * len(base.documents())
        for file in base.documents():
            assert file.version >= int(acknowledged.get(file.document_id, 0))
            texts = base.chunks(file.document_id, limit=100)
            assert {p.text.split()[0] for p in texts} == {f"round{file.version}"}
            assert {h.chunk_id for h in base.search_text([f"round{file.version}"], 200).hits} >= {
                p.chunk_id for p in texts
            }


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on file sizes")
def test_after_a_full_disk_the_base_goes_on_with_all_that_was_acknowledged(tmp_path):
    out, err = child(DISK_FULL, str(tmp_path)).communicate(timeout=120)
    assert out, err
    found = last_json(out)
    assert "Free some disk space" in found["said"]
    assert found["text"] == ["a:0", "b:0"] or set(found["text"]) == {"a:0", "b:0"}
    assert found["faults"] == []
    assert found["near"] == found["rows"]


# files that are not ours


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path):
    file = tmp_path / FILE
    file.write_bytes(b"my holiday photos, not a database " * 500)
    before = file.read_bytes()
    with pytest.raises(StoreError, match=r"cannot be used: .*choose another folder with --kb"):
        opened(tmp_path)
    assert file.read_bytes() == before


def test_a_damaged_file_is_refused_and_left_alone(tmp_path):
    with opened(tmp_path) as base:
        put(base, "a", "text")
    file = tmp_path / FILE
    damaged = bytearray(file.read_bytes())
    damaged[4096:8192] = b"\xff" * 4096
    file.write_bytes(damaged)
    with pytest.raises(StoreError, match="--kb"):
        opened(tmp_path)
    assert file.read_bytes() == damaged


def test_a_database_of_another_program_is_refused_and_left_alone(tmp_path):
    with duckdb.connect(str(tmp_path / FILE)) as other:
        other.execute("CREATE TABLE sales AS SELECT 1 AS amount")
    before = (tmp_path / FILE).read_bytes()
    with pytest.raises(StoreError, match=r"another program \(it holds sales\).*--kb"):
        opened(tmp_path)
    assert (tmp_path / FILE).read_bytes() == before


def test_a_newer_schema_is_refused_and_left_alone(tmp_path):
    with opened(tmp_path) as base:
        put(base, "a", "text")
    with duckdb.connect(str(tmp_path / FILE)) as newer:
        newer.execute("UPDATE meta SET value = '99' WHERE key = 'schema'")
    before = (tmp_path / FILE).read_bytes()
    with pytest.raises(StoreError, match="schema 99, this Glassbox reads schema 1; nothing was changed: update"):
        opened(tmp_path)
    assert (tmp_path / FILE).read_bytes() == before


def test_a_missing_base_is_not_created_for_reading(tmp_path):
    with pytest.raises(StoreError, match="existing knowledge base"):
        opened(tmp_path / "none", read_only=True)
    assert not (tmp_path / "none").exists()


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="everything may be written")
def test_a_folder_that_may_not_be_written_is_refused(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(StoreError):
        opened(tmp_path / "kb")
    tmp_path.chmod(0o700)


def test_a_document_is_written_as_a_whole_or_not_at_all(tmp_path):
    with opened(tmp_path) as base:
        put(base, "a", "old")
        base.warm()
        with pytest.raises(StoreError):
            base.replace_document(
                row("a"), [*pieces("new"), *pieces("same place twice")], vectors(1.0, 1.0), identity()
            )
        assert (found_by_text(base, "old"), found_by_text(base, "new")) == (["a:0"], [])
        assert found_by_vector(base) == ["a:0"]
        assert base.faults() == ()
