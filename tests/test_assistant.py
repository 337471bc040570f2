"""The facade on the real embedded model and a real base: ask, retry, decline, follow up, export, delete."""

from __future__ import annotations

import asyncio

import pytest

from assistant import Assistant, AssistantQueryEngine, Settings, Trace, Turn
from assistant.errors import SettingsError
from assistant.replay import replay
from assistant.trace import Failed

NOTES = {
    "差旅制度.md": (
        "# 差旅制度\n\n## 住宿\n\n员工出差住宿标准为每晚 450 元，一线城市为每晚 600 元。超出部分由个人承担。\n\n"
        "## 报销\n\n报销单须在出差结束后 15 天内提交，并附上发票原件。\n"
    ),
    "请假制度.md": "# 请假制度\n\n员工每年有 12 天年假。病假需要提供医院证明，病假工资按 80% 发放。\n",
    "network.md": (
        "# Network guide\n\n## VPN\n\nConnect to the VPN with the client Orion before opening the intranet.\n\n"
        "## Errors\n\nERR_CONN_1042 means that the gateway refused the certificate. Renew it in the portal.\n\n"
        "ERR_CONN_1043 means that the gateway was too busy. Wait five minutes and connect again.\n"
    ),
    "garden.md": "# Garden\n\nTomatoes need six hours of sun. Water them in the morning, never at noon.\n",
}


@pytest.fixture(scope="module")
def kb(tmp_path_factory):
    folder = tmp_path_factory.mktemp("notes")
    for name, text in NOTES.items():
        (folder / name).write_text(text, encoding="utf-8")
    settings = Settings().changed({"retrieval.seconds_per_route": 30.0})
    with Assistant.open(tmp_path_factory.mktemp("kb"), settings) as assistant:
        assistant.ingest([folder])
        yield assistant


def kinds(trace: Trace) -> list[str]:
    return [step.kind for step in trace.steps]


@pytest.mark.parametrize(
    ("question", "document", "words"),
    [
        ("一线城市出差住宿标准是每晚多少元？", "差旅制度.md", "600 元"),
        ("What does ERR_CONN_1042 mean?", "network.md", "refused the certificate"),
        ("How many hours of sun do tomatoes need?", "garden.md", "six hours"),
    ],
)
def test_an_answerable_question_is_answered_with_quotations_from_the_right_document(kb, question, document, words):
    trace = kb.ask(question)
    assert trace.decision == "answer"
    assert words in trace.answer
    assert trace.answered.citations[0].document == document
    for c in trace.answered.citations:
        assert NOTES[c.document][c.start : c.end] == c.text


def test_every_stretch_quoted_has_its_own_number_and_every_number_a_citation(kb):
    answered = kb.ask("一线城市出差住宿标准是每晚多少元？").answered
    numbers = [c.number for c in answered.citations]
    assert numbers == list(range(1, len(numbers) + 1))
    assert {n for s in answered.sentences for n in s.citations} == set(numbers)


def test_the_steps_of_one_attempt_come_in_order(kb):
    assert kinds(kb.ask("How many hours of sun do tomatoes need?")) == [
        "condensed", "retrieved", "retrieved", "fused", "reranked", "confidence", "decided", "answered",
    ]  # fmt: skip


@pytest.mark.parametrize("question", ["谁发明了电话？", "What is the boiling point of mercury?"])
def test_a_question_the_documents_do_not_answer_is_declined_with_what_they_hold(kb, question):
    trace = kb.ask(question)
    assert trace.decision == "decline"
    assert trace.answered.citations == ()
    assert question in trace.answer
    assert trace.answered.suggestions


def test_an_unknown_identifier_lowers_the_confidence_of_a_similar_question(kb):
    known, unknown = kb.ask("What does ERR_CONN_1043 mean?"), kb.ask("What does ERR_CONN_1099 mean?")
    assert known.confidence.value > unknown.confidence.value
    assert "err_conn_1099 occurs nowhere" in next(s.why for s in unknown.confidence.signals if s.name == "identifiers")


def test_a_follow_up_that_points_back_gets_the_terms_of_the_question_before(kb):
    trace = kb.ask("那病假呢？", [Turn(question="员工每年有几天年假？")])
    condensed = trace.last("condensed")
    assert condensed.method == "terms of the last question added"
    assert "病假" in condensed.standalone
    assert trace.passage(trace.candidates()[0].chunk_id).document == "请假制度.md"


def test_a_question_that_stands_alone_is_searched_as_asked(kb):
    trace = kb.ask("How many hours of sun do tomatoes need?", [Turn(question="员工每年有几天年假？")])
    assert trace.last("condensed").method == "as asked"


def test_a_retry_is_a_step_of_its_own_and_the_same_search_is_never_made_twice(kb):
    trace = kb.ask("年假和住宿标准的区别是什么？", changes={"judging.answer_at": 1.0, "judging.decline_below": 0.0})
    assert 2 <= trace.attempts <= 3
    searches = [(r.queries, str(r.changes)) for r in trace.of_kind("rewritten")]
    assert len(set(searches)) == len(searches)
    assert trace.of_kind("rewritten")[0].rewriter == "split"
    assert trace.of_kind("rewritten")[0].queries == ("年假", "住宿标准")
    assert trace.last("decided").decision == "caveat"


def test_widening_adds_neighbours_with_their_reason(kb):
    changes = {
        "judging.answer_at": 1.0,
        "judging.decline_below": 0.0,
        "loop.rewriters": ["widen"],
        "retrieval.depth": 1,
    }
    trace = kb.ask("What does ERR_CONN_1042 mean?", changes=changes)
    assert trace.last("rewritten").rewriter == "widen"
    assert trace.last("retrieved", 2).depth == 2


def test_streaming_yields_the_very_steps_of_the_finished_trace(kb):
    *steps, trace = kb.stream("How many hours of sun do tomatoes need?")
    assert trace.steps == tuple(steps)


def test_closing_the_stream_stops_the_work_and_the_next_question_is_answered(kb):
    stream = kb.stream("How many hours of sun do tomatoes need?")
    next(stream)
    stream.close()
    assert kb.ask("How many hours of sun do tomatoes need?").decision == "answer"


@pytest.mark.parametrize(("question", "words"), [("   ", "empty"), ("x" * 10_000, "10000 characters")])
def test_an_unusable_question_is_refused_in_one_sentence(kb, question, words):
    with pytest.raises(SettingsError, match=words):
        kb.ask(question)


@pytest.mark.parametrize(
    "question", ["<script>alert(1)</script>", "'; DROP TABLE documents; --", "a\x00b", "😀" * 50, "？？？"]
)
def test_odd_questions_end_in_a_decision_and_harm_nothing(kb, question):
    before = kb.info()
    assert kb.ask(question).decision in {"answer", "caveat", "decline"}
    assert kb.info() == before


def test_a_saved_trace_is_equal_and_replays_to_the_same_order_and_confidence(kb, tmp_path):
    trace = kb.ask("一线城市出差住宿标准是每晚多少元？")
    loaded = Trace.load(trace.save(tmp_path / "trace.json"))
    assert loaded == trace
    again = replay(loaded, kb.settings)
    assert [c.chunk_id for c in again.candidates()] == [c.chunk_id for c in trace.candidates()]
    assert again.confidence.value == trace.confidence.value


@pytest.mark.accept("B3")
def test_the_same_settings_give_the_same_order_in_app_notebook_and_query_engine(kb):
    question = "What does ERR_CONN_1042 mean?"
    one, two = kb.ask(question), asyncio.run(kb.aask(question))
    response = AssistantQueryEngine(kb).query(question)
    assert one.settings_hash == two.settings_hash
    kept = [c.chunk_id for c in one.candidates() if c.final_rank]
    assert kept == [c.chunk_id for c in two.candidates() if c.final_rank]
    assert kept == [n.node.node_id for n in response.source_nodes]
    assert str(response) == one.answer


def test_what_is_missing_in_a_replay_under_reciprocal_rank_is_only_the_answer(kb):
    trace = kb.ask("What does ERR_CONN_1042 mean?")
    other = replay(trace, kb.settings.changed({"retrieval.fusion": "reciprocal_rank"}))
    assert other.last("fused").method == "reciprocal_rank"
    assert other.answered is None
    assert other.of_kind("retrieved") == trace.of_kind("retrieved")


def test_when_no_route_can_search_the_trace_ends_in_a_failed_step(kb, monkeypatch):
    from assistant.errors import ModelUnavailable

    for route in kb._runner.routes:
        monkeypatch.setattr(
            route, "search", lambda query: (_ for _ in ()).throw(ModelUnavailable("The model is away."))
        )
    failed = kb.ask("anything").steps[-1]
    assert isinstance(failed, Failed)
    assert "The model is away." in failed.message


def test_one_failed_route_is_recorded_and_the_other_goes_on(kb, monkeypatch):
    from assistant.errors import ModelUnavailable

    vector = kb._runner.routes[0]
    monkeypatch.setattr(vector, "search", lambda query: (_ for _ in ()).throw(ModelUnavailable("The model is away.")))
    trace = kb.ask("What does ERR_CONN_1042 mean?")
    assert [(r.route, r.state) for r in trace.of_kind("retrieved")] == [("vector", "failed"), ("text", "done")]
    assert trace.passage(trace.candidates()[0].chunk_id).document == "network.md"


def test_an_upload_is_kept_in_the_base_and_deleted_with_its_document(tmp_path):
    source = tmp_path / "browser" / "memo.md"
    source.parent.mkdir()
    source.write_text("# Memo\n\nThe blue door opens at nine.\n", encoding="utf-8")
    with Assistant.open(tmp_path / "kb") as kb:
        kb.add_uploads([source])
        source.unlink()
        (row,) = kb.documents()
        assert row.state == "indexed"
        assert "nine" in kb.ask("When does the blue door open?").answer
        kb.delete(row.document_id)
        assert kb.documents() == ()
        assert list((tmp_path / "kb" / "uploads").iterdir()) == []
        assert kb.ask("When does the blue door open?").decision == "decline"


def test_an_empty_base_says_that_documents_come_first(tmp_path):
    with Assistant.open(tmp_path / "kb") as kb:
        trace = kb.ask("年假几天？")
    assert (trace.decision, trace.answer) == ("decline", "知识库还是空的：请先添加文档。")


def test_a_base_of_one_chunk_answers_what_it_holds_and_declines_the_rest(tmp_path):
    (tmp_path / "memo.md").write_text(
        "# Memo\n\nThe blue door opens at nine. Cats are not allowed.\n", encoding="utf-8"
    )
    with Assistant.open(tmp_path / "kb", Settings().changed({"retrieval.seconds_per_route": 30.0})) as kb:
        kb.ingest([tmp_path / "memo.md"])
        held, foreign = kb.ask("When does the blue door open?"), kb.ask("Who discovered penicillin?")
    assert held.decision != "decline"
    assert "nine" in held.answer
    assert foreign.decision == "decline"
    assert held.last("retrieved").background is None or held.of_kind("retrieved")[0].background.references > 0


def test_a_bare_heading_is_not_quoted_as_an_answer(kb):
    answered = kb.ask("What does ERR_CONN_1042 mean?").answered
    assert all(not s.text.startswith("#") for s in answered.sentences)


def test_a_comparison_quotes_both_sides(kb):
    changes = {"judging.answer_at": 1.0, "judging.decline_below": 0.0, "loop.min_gain": 0.0}
    trace = kb.ask("年假和住宿标准的区别是什么？", changes=changes)
    assert trace.best_attempt == 2
    assert {c.document for c in trace.answered.citations} == {"请假制度.md", "差旅制度.md"}


def test_a_sentence_of_another_chunk_is_not_quoted_only_to_fill_up(kb):
    answered = kb.ask("When should I water tomatoes?").answered
    assert {c.document for c in answered.citations} == {"garden.md"}


def test_declining_in_the_other_language_says_in_which_the_documents_are(tmp_path):
    (tmp_path / "请假.md").write_text(NOTES["请假制度.md"], encoding="utf-8")
    with Assistant.open(tmp_path / "kb") as kb:
        kb.ingest([tmp_path / "请假.md"])
        assert "asking in Chinese may find more" in kb.ask("How many days of annual leave do I have?").answer
        assert "英文" not in kb.ask("谁发明了电话？").answer


def test_only_sentences_about_the_asked_code_are_quoted(kb):
    answer = kb.ask("What does ERR_CONN_1043 mean?").answer
    assert "too busy" in answer
    assert "ERR_CONN_1042" not in answer


def test_a_follow_up_quotes_what_is_asked_now_rather_than_what_was_asked_before(kb):
    answered = kb.ask("那病假呢？", [Turn(question="员工每年有几天年假？")]).answered
    assert "病假" in answered.sentences[0].text
    assert all("年假" not in s.text for s in answered.sentences)


def test_tables_are_quoted_by_rows_and_headings_without_a_mark_are_not(tmp_path):
    text = "# Fees\n\n| City | Fee |\n| --- | --- |\n| Paris | 180 EUR |\n| Berlin | 160 EUR |\n"
    (tmp_path / "fees.md").write_text(text, encoding="utf-8")
    (tmp_path / "sick.txt").write_text("病假\n\n病假须提供医院证明，工资按 80% 发放。\n", encoding="utf-8")
    with Assistant.open(tmp_path / "kb", Settings().changed({"retrieval.seconds_per_route": 30.0})) as kb:
        kb.ingest([tmp_path / "fees.md", tmp_path / "sick.txt"])
        fee = kb.ask("What is the fee in Berlin?").answered
        assert "| Berlin | 160 EUR |" in [s.text for s in fee.sentences]
        assert all("---" not in s.text for s in fee.sentences)
        sick = kb.ask("病假有什么规定？", changes={"judging.decline_below": 0.0}).answered
        assert "病假" not in [s.text for s in sick.sentences]
        assert any("80%" in s.text for s in sick.sentences)
