"""A question from asking to answer with a chat model behind it: which requests are made, and what they change."""

from __future__ import annotations

import json

import pytest
from ollama_server import Model, Reply, running

from assistant import Assistant, Settings, Turn
from assistant.replay import replay
from assistant.trace import Delta, Trace, Working

NOTES = {
    "network.md": (
        "# Network guide\n\n## VPN\n\nConnect to the VPN with the client Orion before opening the intranet.\n\n"
        "## Errors\n\nERR_CONN_1042 means that the gateway refused the certificate. Renew it in the portal.\n"
    ),
    "garden.md": "# Garden\n\nTomatoes need six hours of sun. Water them in the morning, never at noon.\n",
    "travel.md": "# Travel\n\nHotels are paid up to 450 euros a night. Taxis are paid after ten at night only.\n",
}
MODELS = {"qwen3:8b": Model()}
SUN = "How many hours of sun do tomatoes need?"
GOOD = ["Tomatoes need six ", "hours of sun [1]."]


def reply(**content: object) -> list[str]:
    return [json.dumps(content, ensure_ascii=False)]


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    folder = tmp_path_factory.mktemp("notes")
    for name, text in NOTES.items():
        (folder / name).write_text(text, encoding="utf-8")
    with Assistant.open(tmp_path_factory.mktemp("kb"), Settings().changed({"retrieval.seconds_per_route": 30.0})) as kb:
        kb.ingest([folder])
        yield kb


def ask(kb: Assistant, fake, question: str, effort: str = "balanced", history=(), **more) -> Trace:
    changes = {
        "answering.writer": "ollama", "answering.model": "qwen3:8b", "answering.effort": effort, "ollama.url": fake.url,
    }  # fmt: skip
    return kb.ask(question, history, changes | more)


def purposes(trace: Trace) -> list[str]:
    """What the model was asked for besides the answer, in order."""
    calls = []
    for step in trace.steps:
        calls += [getattr(step, "call", None), *getattr(step, "calls", ()), *getattr(step, "discarded", ())]
    return [call.purpose for call in calls if call]


def test_a_sure_question_costs_one_request_at_any_effort(base):
    with running(models=MODELS, replies=[Reply("hours of sun", GOOD)]) as fake:
        for effort in ("quick", "balanced", "careful"):
            fake.received.clear()
            trace = ask(base, fake, SUN, effort)
            assert trace.confidence.value >= 0.85
            assert trace.answer.startswith("Tomatoes need six hours of sun")
            assert len(fake.bodies("/api/chat")) == 1
            assert purposes(trace) == []


def test_a_question_in_the_other_language_is_translated_and_judged_by_the_translation(base):
    replies = [
        Reply("番茄", reply(translation=SUN), formatted=True, system="译成英文"),
        Reply("番茄", ["番茄每天需要六小时日照 [1]。"], formatted=False),
    ]
    with running(models=MODELS, replies=replies) as fake:
        trace = ask(base, fake, "番茄需要多少小时的日照？")
        quick = ask(base, fake, "番茄需要多少小时的日照？", "quick")
    assert quick.decision == "decline"
    rewritten = trace.of_kind("rewritten")[-1]
    assert (rewritten.rewriter, rewritten.reason, rewritten.judged_by) == ("translate", "other language", "queries")
    assert rewritten.queries == (SUN,)
    assert trace.best_attempt == 2
    assert trace.decision in ("answer", "caveat")
    assert "六小时" in trace.answer
    assert trace.answered.citations[0].document == "garden.md"
    assert Trace.from_json(trace.model_dump_json()) == trace
    again = replay(trace, Settings.model_validate(trace.settings))
    assert again.confidence.value == trace.confidence.value


def test_a_follow_up_is_made_to_stand_alone_by_the_model_only_where_the_effort_allows_it(base):
    history = (Turn(question="How much is paid for hotels?", answer="Up to 450 euros a night [1]."),)
    replies = [
        Reply("taxis", reply(question="How much is paid for taxis?"), formatted=True),
        Reply("taxis", ["Taxis are paid after ten at night only [1]."]),
    ]
    with running(models=MODELS, replies=replies) as fake:
        trace = ask(base, fake, "And for taxis?", history=history)
        quick = ask(base, fake, "And for taxis?", "quick", history=history)
    assert trace.last("condensed").standalone == "How much is paid for taxis?"
    assert trace.last("condensed").call.purpose == "condense"
    assert trace.last("condensed").original == "And for taxis?"
    assert quick.last("condensed").call is None
    assert "hotels" in quick.last("condensed").standalone


def test_a_dead_model_is_tried_once_and_the_question_still_gets_an_answer(base):
    with running(models=MODELS) as fake:
        url = fake.url
    history = (Turn(question="How much is paid for hotels?", answer="Up to 450 euros a night [1]."),)
    changes = {"answering.writer": "ollama", "answering.model": "qwen3:8b", "ollama.url": url}
    trace = base.ask("And which hours of sun do tomatoes need?", history, changes | {"answering.effort": "careful"})
    assert purposes(trace) in (["condense"], [])  # asked once, then left alone
    assert trace.answered.decision in ("answer", "caveat")
    assert "six hours of sun" in trace.answer
    assert "Nothing answers at" in trace.answered.label + trace.answered.why


def test_careful_grades_what_is_unsure_and_the_grade_moves_the_confidence(base):
    graded = reply(grades=[{"id": "a1", "grade": 3}, {"id": "a2", "grade": 0}, {"id": "a3", "grade": 0}])
    question = "What does the guide say about sun for tomatoes and certificates?"
    replies = [
        Reply("", graded, formatted=True, system="(?i)grade"),
        Reply("", reply(unsupported=[], answers=True), formatted=True, system="(?i)check"),
        Reply("", ["no json"], formatted=True),
        Reply("", ["Tomatoes need six hours of sun [1]."]),
    ]
    with running(models=MODELS, replies=replies) as fake:
        trace = ask(base, fake, question, "careful")
    first, last = trace.of_kind("confidence", 1)[0], trace.of_kind("confidence", 1)[-1]
    assert first.value < 0.85
    points = {a.name: a.points for a in last.adjustments}
    assert points["grades"] == pytest.approx(0.10)
    assert last.value == pytest.approx(min(1.0, first.value + 0.10))
    again = replay(trace, Settings.model_validate(trace.settings))
    assert again.of_kind("confidence")[-1].value == pytest.approx(trace.of_kind("confidence")[-1].value)


def test_an_unsupported_draft_is_written_once_more_and_the_second_counts(base):
    drafts = iter((["Tomatoes need 9 hours of sun [1]."], GOOD))
    checks = iter((reply(unsupported=[{"sentence": 1, "why": "six, not nine"}], answers=True),
                   reply(unsupported=[], answers=True)))  # fmt: skip
    replies = [
        Reply("", lambda body: next(checks), formatted=True, system="(?i)check"),
        Reply("", ["no json"], formatted=True),
        Reply("", lambda body: next(drafts), formatted=False),
    ]
    with running(models=MODELS, replies=replies) as fake:
        steps = list(
            base.stream(
                SUN,
                (),
                {
                    "answering.writer": "ollama",
                    "answering.model": "qwen3:8b",
                    "answering.effort": "careful",
                    "ollama.url": fake.url,
                },
            )
        )
    trace = steps[-1]
    assert [v.outcome for v in trace.of_kind("verified")][:1] == ["rewrite"]
    assert [a.draft for a in trace.of_kind("answered")][:3] == [1, 1, 2]  # the first as it is, and with its marks
    assert {d.draft for d in steps if isinstance(d, Delta)} == {1, 2}
    assert trace.answer.startswith("Tomatoes need six hours of sun")
    assert {w.purpose for w in steps if isinstance(w, Working)} >= {"answer", "verify"}
    assert not any(isinstance(s, Working) for s in trace.steps)


def test_closing_the_stream_while_the_model_is_silent_reaches_the_server(base):
    with running(models=MODELS, faults={"stall"}) as fake:
        changes = {"answering.writer": "ollama", "answering.model": "qwen3:8b", "ollama.url": fake.url}
        stream = base.stream(SUN, (), changes)
        for step in stream:
            if isinstance(step, Working):
                break
        stream.close()
        assert fake.gone.wait(5)
