"""The trace: equal after JSON out and in, refuses what does not fit, opens without the pipeline."""

from __future__ import annotations

import subprocess
import sys

import pytest
from pydantic import ValidationError
from records import empty_trace, text, vector

from assistant.errors import BadTrace
from assistant.trace import Condensed, Decided, Reading, Trace


def test_a_trace_is_equal_after_saving_and_loading(tmp_path):
    trace = empty_trace("年假几天？").plus(vector({"a": 0.9})).plus(text({"a": 3.0}))
    assert Trace.load(trace.save(tmp_path / "t.json")) == trace


def test_plus_returns_a_new_trace_and_leaves_the_old_one_alone():
    trace = empty_trace()
    longer = trace.plus(Condensed(original="q", standalone="q", method="as asked", why="first"))
    assert (len(trace.steps), len(longer.steps)) == (0, 1)


@pytest.mark.accept("A7")
def test_a_reading_without_a_number_needs_a_reason():
    with pytest.raises(ValidationError):
        Reading(state="not_run")
    with pytest.raises(ValidationError):
        Reading(state="failed", value=0.0, why="broken")


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_numbers_are_finite(number):
    with pytest.raises(ValidationError):
        Reading.of(number)


def test_the_answer_stands_on_the_best_attempt():
    decided = Decided(attempt=2, decision="caveat", why="", confidence=0.4, best_attempt=1)
    assert empty_trace().plus(decided).best_attempt == 1


@pytest.mark.parametrize("content", ["", "{}", "[1", '{"version": 9}', "\ud83d".encode("utf-16", "surrogatepass")])
def test_a_file_that_is_no_trace_is_refused_in_one_sentence(tmp_path, content):
    file = tmp_path / "t.json"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(BadTrace, match=r"t\.json"):
        Trace.load(file)


def test_a_trace_opens_without_llamaindex_duckdb_or_a_model():
    code = (
        "import sys; import assistant, assistant.replay; assistant.Trace; "
        "bad = [m for m in ('llama_index', 'duckdb', 'onnxruntime', 'gradio') if m in sys.modules]; "
        "sys.exit(str(bad) if bad else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
