"""evaluate: one line per question, in the form that scorers read."""

from __future__ import annotations

import json

import pytest

from assistant.errors import SettingsError
from assistant.evaluation.run import evaluate, read_questions

COPY = "# Copy\n\nThe archive is kept in the cellar of house seven.\n"


@pytest.fixture(scope="module")
def lines(tmp_path_factory):
    folder = tmp_path_factory.mktemp("evaluate")
    documents = folder / "documents"
    (documents / "sub").mkdir(parents=True)
    (documents / "leave.md").write_text("# 请假\n\n员工每年有 12 天年假。病假须提供医院证明。\n", encoding="utf-8")
    (documents / "archive.md").write_text(COPY, encoding="utf-8")
    (documents / "sub" / "copy.md").write_text(COPY, encoding="utf-8")
    questions = folder / "questions.jsonl"
    asked = [
        {"id": "a", "query": "员工每年有几天年假？", "answerable": True},
        {"id": "b", "query": "Where is the archive kept?"},
        {"id": "c", "query": "Who painted the ceiling of the chapel?"},
    ]
    questions.write_text("\n".join(json.dumps(q, ensure_ascii=False) for q in asked) + "\n", encoding="utf-8")
    out = folder / "out" / "results.jsonl"
    counts = evaluate(documents, questions, out, cache=folder / "cache", traces=folder / "traces")
    assert sum(counts.values()) == 3
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    return {row["id"]: row for row in rows} | {"folder": folder, "documents": documents}


def test_hits_carry_document_text_and_offsets_of_the_file(lines):
    for hit in lines["a"]["hits"]:
        text = (lines["documents"] / hit["doc"]).read_text(encoding="utf-8")
        assert text[hit["start"] : hit["end"]] == hit["text"]
    assert lines["a"]["hits"][0]["doc"] == "leave.md"
    assert set(lines["a"]["hits"][0]["scores"]) == {"vector", "text", "fused"}


def test_a_text_that_stands_in_two_places_is_a_hit_in_both(lines):
    assert {hit["doc"] for hit in lines["b"]["hits"][:2]} == {"archive.md", "sub/copy.md"}


def test_answers_and_citations_are_given_and_a_declined_question_abstains(lines):
    assert lines["a"]["decision"] == "answer"
    assert "12 天年假" in lines["a"]["answer"]
    assert lines["a"]["citations"][0]["doc"] == "leave.md"
    assert (lines["c"]["decision"], lines["c"]["answer"], lines["c"]["citations"]) == ("abstain", None, [])
    assert 0 <= lines["c"]["confidence"] < 0.25
    assert lines["a"]["attempts"] >= 1


def test_traces_are_kept_when_asked_for(lines):
    assert sorted(p.name for p in (lines["folder"] / "traces").iterdir()) == ["a.json", "b.json", "c.json"]


@pytest.mark.parametrize(("line", "words"), [('{"id": "x"}', "Line 2"), ("not json", "Line 2")])
def test_a_line_that_is_no_question_is_named(tmp_path, line, words):
    file = tmp_path / "q.jsonl"
    file.write_text('{"id": "a", "query": "ok"}\n' + line + "\n", encoding="utf-8")
    with pytest.raises(SettingsError, match=words):
        list(read_questions(file))


def test_a_missing_folder_or_file_is_said_in_one_sentence(tmp_path):
    file = tmp_path / "q.jsonl"
    with pytest.raises(SettingsError, match="cannot be read"):
        list(read_questions(file))
    file.write_text('{"id": "a", "query": "ok"}\n', encoding="utf-8")
    with pytest.raises(SettingsError, match="no folder"):
        evaluate(tmp_path / "none", file, tmp_path / "out.jsonl")


def test_a_cache_that_cannot_be_kept_only_costs_time(tmp_path, lines):
    blocked = tmp_path / "blocked"
    blocked.write_text("a file, not a folder", encoding="utf-8")
    out = tmp_path / "out.jsonl"
    evaluate(lines["documents"], lines["folder"] / "questions.jsonl", out, cache=blocked)
    assert len(out.read_text(encoding="utf-8").splitlines()) == 3
