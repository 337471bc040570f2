"""The view: one conversation, each event gives the next one."""

from __future__ import annotations

import re

import sample_traces as sample
import sample_written as written
from hypothesis import given
from hypothesis import strategies as st

from assistant.trace import Delta, Trace, Working
from ui.view import View


def draft(question: str = "q"):
    return sample.new_trace(question)


def test_a_question_is_selected_and_its_steps_arrive_one_by_one():
    view = View().begin(draft())
    assert (view.busy, view.selected, view.stage) == (True, 0, "searching")
    for step in sample.steps()[:6]:
        view = view.plus(step)
    assert view.stage == "judging"
    assert len(view.turns[0].steps) == 6
    assert "HR policy 2024.pdf" in view.evidence()


def test_the_finished_trace_takes_the_place_of_the_draft():
    view = View().begin(draft()).plus(Delta(text="Ten ")).plus(Delta(text="days"))
    assert view.partial == "Ten days"
    assert "Ten days" in view.conversation()
    view = view.asked(sample.answered_trace())
    assert (view.busy, view.partial, len(view.turns)) == (False, "", 1)
    assert view.shown == sample.answered_trace()


def test_earlier_answers_bring_back_their_own_evidence():
    view = View().begin(draft()).asked(sample.answered_trace()).begin(draft()).asked(sample.declined_trace())
    assert view.shown == sample.declined_trace()
    assert view.select(0).shown == sample.answered_trace()
    assert view.select(0).evidence() != view.evidence()
    assert view.select(7) == view


def test_a_stopped_question_keeps_what_was_found():
    view = View().begin(draft())
    for step in sample.steps()[:4]:
        view = view.plus(step)
    view = view.broken("Stopped before there was an answer.")
    assert not view.busy
    assert "HR policy 2024.pdf" in view.evidence()
    assert "Stopped before there was an answer." in view.conversation()
    assert view.broken("again") == view


def test_steps_that_come_after_the_end_change_nothing():
    view = View().begin(draft()).asked(sample.answered_trace())
    assert view.plus(sample.steps()[0]) == view


def test_another_attempts_passages_can_be_shown():
    view = View().begin(draft()).asked(sample.answered_trace())
    assert view.attempt is None
    first = view.show_attempt(1)
    assert first.attempt == 1
    assert "0.31" in re.sub(r"<[^>]*>", " ", first.evidence())[:400]
    assert first.show_attempt(2).attempt is None
    assert view.show_attempt(5) == view
    assert first.select(0).attempt is None


def test_history_holds_the_finished_turns_only():
    view = View().begin(draft()).asked(sample.answered_trace()).begin(draft("next"))
    assert [t.question for t in view.history] == ["And how many days?"]
    assert view.history[0].answer.startswith("Employees")


def test_language_changes_words_not_records():
    view = View().begin(draft()).asked(sample.answered_trace())
    chinese = view.speak("zh")
    assert chinese.turns == view.turns
    assert "置信度" in chinese.evidence()
    assert view.speak("xx").lang == "en"


@given(st.lists(st.sampled_from(["begin", "step", "asked", "broken", "select"]), max_size=20))
def test_whatever_happens_the_shown_turn_exists(events: list[str]):
    view = View()
    for event in events:
        if event == "begin" and not view.busy:
            view = view.begin(draft())
        elif event == "step":
            view = view.plus(sample.steps()[0])
        elif event == "asked" and view.busy:
            view = view.asked(sample.declined_trace())
        elif event == "broken":
            view = view.broken("stopped")
        elif event == "select":
            view = view.select(len(view.turns) // 2)
    assert (view.shown is None) == (not view.turns)


def begun() -> View:
    return View().begin(written.trace())


def test_what_the_model_is_doing_is_shown_and_never_kept():
    reading = Working(purpose="answer", model="m", state="reading")
    view = begun().plus(reading)
    assert "m" in view.conversation()
    assert view.turns[0].steps == ()
    assert view.plus(reading) == view  # its clock goes on
    assert view.plus(sample.steps()[0]).working is None


def test_the_stage_follows_what_the_model_is_doing():
    view = begun().plus(Working(purpose="grade", model="m", state="loading"))
    assert view.stage == "grading"
    assert view.plus(Working(purpose="verify", model="m", state="reading")).stage == "checking"


def test_a_piece_of_another_draft_begins_the_answer_anew():
    view = begun().plus(Delta(text="Ten ")).plus(Delta(text="days")).plus(written.written(draft=1))
    assert view.partial == ""
    view = view.plus(Delta(text="Five ", draft=2)).plus(Delta(text="days", draft=2))
    assert view.partial == "Five days"
    assert "Written anew after the check" in view.conversation()


def test_an_answer_that_is_stopped_keeps_its_text_as_unchecked():
    view = begun().plus(Delta(text="Ten <days> and")).broken("Stopped before there was an answer.")
    answered = view.turns[0].answered
    assert answered is not None
    assert (answered.state, answered.stopped_by, answered.text) == ("incomplete", "stopped", "Ten <days> and")
    shown = view.conversation()
    assert "Ten &lt;days&gt; and" in shown
    assert "it was not checked against the sources" in shown
    assert 'data-retry="0"' in shown
    assert "data-continue" not in shown  # the prompt it was written from is not known
    assert view.history[0].answer == "Ten <days> and"
    assert Trace.from_json(view.turns[0].model_dump_json()) == view.turns[0]


def test_an_answer_that_is_continued_grows_from_its_text():
    view = begun().asked(written.cut()).resume()
    assert view.busy
    assert view.plus(Delta(text=" More.")).partial.endswith("lapses. [1] More.")
    stopped = view.plus(Delta(text=" More.")).broken("Stopped")
    assert stopped.turns[0].answered.citations == written.cut().answered.citations
    assert "More." in stopped.conversation()
    assert 'data-continue="0"' in stopped.conversation()
    assert view.resume() == view
    assert View().resume() == View()


def test_a_question_asked_in_place_of_another_gets_the_turns_before_it():
    view = View().begin(draft("a")).asked(sample.answered_trace()).begin(draft("b")).asked(written.failed())
    assert len(view.before(1)) == 1
    assert view.before(0) == ()


def test_a_second_draft_that_is_stopped_leaves_the_whole_first_one():
    first = written.written(draft=1)
    view = begun().plus(first).plus(Delta(text="Five ", draft=2)).broken("Stopped.")
    assert (view.turns[-1].answered, view.busy, view.partial) == (first, False, "")
    assert view.turns[-1].last("failed").message == "Stopped."
