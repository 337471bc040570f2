"""The events of the page, without a browser: what is shown, what is kept, and what comes too late."""

from __future__ import annotations

import asyncio
import threading
from types import SimpleNamespace

import pytest
import sample_traces as sample
import sample_written as written

from assistant.documents import IngestReport
from assistant.errors import StoreError
from assistant.settings import Settings
from assistant.trace import Delta

gr = pytest.importorskip("gradio")

from ui.actions import Actions  # noqa: E402
from ui.background import Adding, Opening  # noqa: E402
from ui.layout import Screen, layout  # noqa: E402
from ui.texts import T  # noqa: E402
from ui.view import View  # noqa: E402


class Door:
    """An assistant whose answers are hand-made."""

    settings = Settings()

    def __init__(self) -> None:
        self.asked: list[tuple] = []
        self.ended = 0
        self.rows = list(sample.file_rows())

    def stream(self, question, history=(), changes=None):
        self.asked.append((question, history, changes))
        if question == "locked":
            raise StoreError("The base is locked; close the other program.")
        try:
            *steps, last = sample.steps()
            yield from steps
            yield Delta(text="Employees …")
            yield last
            yield sample.answered_trace().model_copy(update={"question": question})
        finally:
            self.ended += 1

    def continue_answer(self, trace):
        self.asked.append(("continue", trace.question))
        yield Delta(text=" And more.")
        yield written.written()
        yield written.careful()

    def info(self):
        return sample.BASE

    def documents(self):
        return tuple(self.rows)

    def delete(self, document_id):
        self.rows = [r for r in self.rows if r.document_id != document_id]

    def ingest(self, paths, on_progress=None, cancel=None):
        return IngestReport(added=tuple(str(p) for p in paths))

    def chat_models(self):
        return ("qwen3:8b",)

    def close(self):
        pass


@pytest.fixture(scope="module")
def page():
    async def make():  # without a running loop gradio makes several of its own and never closes them
        with gr.Blocks():
            return layout(T("en"))

    return asyncio.run(make())


@pytest.fixture
def door():
    return Door()


@pytest.fixture
def actions(page, door):
    opening = Opening(lambda: door)
    opening.start()
    opening.wait(10)
    return Actions(opening, Adding(), page)


def event(**data):
    return SimpleNamespace(_data=data)


def test_a_question_is_drawn_when_it_begins_and_when_it_is_answered(actions, page, door):
    screen = Screen(View())
    drawn = list(actions.ask(screen, "How many days?", "", "quick"))
    assert drawn[0][page.ask.question] == ""
    assert "gb-stages" in drawn[0][page.ask.talk]
    assert "gb-sources" in drawn[-1][page.ask.talk]
    assert door.asked == [("How many days?", (), {"answering.writer": "extractive"})]
    assert door.ended == 1
    assert not screen.view.busy


def test_the_chosen_model_and_the_turns_before_go_with_a_question(actions, door):
    screen = Screen(View())
    list(actions.ask(screen, "first", "", "balanced"))
    list(actions.ask(screen, "second", "qwen3:8b", "balanced"))
    _, history, changes = door.asked[1]
    assert [t.question for t in history] == ["first"]
    assert changes == {
        "answering.writer": "ollama",
        "answering.model": "qwen3:8b",
        "answering.effort": "balanced",
    }


def test_a_question_changed_by_hand_stands_alone(actions, door):
    screen = Screen(View())
    list(actions.ask(screen, "first", "", "balanced"))
    list(actions.again(screen, "", "quick", event(rerun="changed")))
    assert door.asked[1][:2] == ("changed", ())


def test_an_empty_question_leaves_the_box_and_the_conversation_alone(actions, page, door):
    screen = Screen(View())
    drawn = list(actions.ask(screen, "   ", "", "balanced"))
    assert len(drawn) == 1
    assert page.ask.question not in drawn[0]
    assert door.asked == []


def test_stopping_ends_the_stream_and_late_steps_change_nothing(actions, door):
    screen = Screen(View())
    asking = actions.ask(screen, "slow", "", "balanced")
    next(asking)
    next(asking)
    actions.stop(screen)
    assert door.ended == 1
    stopped = screen.view
    list(asking)
    assert screen.view == stopped
    assert "Stopped before there was an answer." in screen.view.conversation()


def test_another_answer_and_language_can_be_chosen_while_a_question_runs(actions, page):
    screen = Screen(View())
    list(actions.ask(screen, "first", "", "balanced"))
    asking = actions.ask(screen, "second", "", "balanced")
    next(asking)
    actions.clicked(screen, event(select=0))
    actions.spoke(screen, "zh", "", "", "quick")
    drawn = list(asking)
    assert screen.view.selected == 0
    assert "置信度" in drawn[-1][page.ask.evidence]


def test_an_error_is_one_sentence_in_the_conversation(actions):
    screen = Screen(View())
    list(actions.ask(screen, "locked", "", "balanced"))
    assert "The base is locked; close the other program." in screen.view.conversation()
    assert "Traceback" not in screen.view.conversation()
    assert not screen.view.busy


def test_an_export_is_the_selected_trace(actions):
    screen = Screen(View())
    assert actions.export(screen) == ("", "")
    list(actions.ask(screen, "first", "", "balanced"))
    text, name = actions.export(screen)
    assert sample.Trace.from_json(text) == screen.view.shown
    assert name == "glassbox-t1.json"


def test_a_removed_document_leaves_the_table_and_is_named(actions, page):
    screen = Screen(View())
    shown = actions.removed(screen, "", event(delete="d4"))
    assert "old scan.pdf" not in shown[page.documents.files]
    assert "Removed old scan.pdf." in shown[page.notice]


def test_a_page_loaded_again_finds_the_last_job(actions, page):
    assert page.documents.job in actions.added(Screen(View()), "/notes")
    actions._adding.wait(10)
    again = actions.loaded(Screen(View()), "")
    assert "1 added" in again[page.documents.job]


def test_ticks_draw_only_what_changed(actions, page):
    screen = Screen(View())
    actions.loaded(screen, "")
    assert actions.tick(screen, "", "") == {page.screen: screen}


def test_a_path_is_needed_to_add_a_folder(actions, page):
    assert "Give the path of a folder or file first." in actions.added(Screen(View()), " ")[page.notice]


class Waiting:
    """Steps of which the next never comes; another thread ends the wait."""

    def __init__(self) -> None:
        self.waited, self.closed = threading.Event(), threading.Event()

    def __iter__(self):
        return self

    def __next__(self):
        self.waited.set()
        self.closed.wait(20)
        raise StopIteration

    def close(self) -> None:
        self.closed.set()


def test_stopping_reaches_a_question_that_waits_for_its_model(actions, door):
    waiting = Waiting()
    door.stream = lambda *asked: waiting
    screen = Screen(View())
    reader = threading.Thread(target=lambda: list(actions.ask(screen, "slow", "qwen3:8b", "quick")))
    reader.start()
    assert waiting.waited.wait(10)
    actions.stop(screen)
    reader.join(10)
    assert not reader.is_alive()
    assert waiting.closed.is_set()
    assert "Stopped" in screen.view.conversation()
    assert not screen.view.busy


def test_the_draft_knows_its_effort_so_that_the_stages_are_right(actions, page):
    screen = Screen(View())
    first = next(actions.ask(screen, "How many days?", "qwen3:8b", "careful"))
    assert "checking" in first[page.ask.talk]
    assert "checking" not in next(actions.ask(Screen(View()), "How many days?", "", "careful"))[page.ask.talk]


def test_a_question_is_asked_again_with_the_history_it_had(actions, door):
    screen = Screen(View())
    list(actions.ask(screen, "first", "", "quick"))
    list(actions.ask(screen, "second", "", "quick"))
    list(actions.again(screen, "qwen3:8b", "careful", event(retry=1)))
    question, history, changes = door.asked[2]
    assert (question, [t.question for t in history]) == ("second", ["first"])
    assert changes["answering.effort"] == "careful"
    list(actions.again(screen, "", "quick", event(retry=9)))
    assert len(door.asked) == 3


def test_an_incomplete_answer_is_continued_in_its_own_turn(actions, page, door):
    screen = Screen(View().begin(written.trace()).asked(written.cut()))
    drawn = list(actions.again(screen, "qwen3:8b", "quick", event(**{"continue": 0})))
    assert door.asked == [("continue", "And when does it lapse?")]
    assert "gb-writing" in drawn[0][page.ask.talk]
    assert screen.view.turns == (written.careful(),)
    assert not screen.view.busy


def test_the_effort_is_offered_only_when_a_model_writes(actions, page):
    screen = Screen(View())
    assert actions.writer("")[page.ask.efforts]["visible"] is False
    assert actions.writer("qwen3:8b")[page.ask.efforts]["visible"] is True
    assert "grades the passages" in actions.chose(screen, "careful")[page.ask.hint]


def test_a_page_that_is_opened_has_the_effort_of_the_settings(actions, page, door):
    door.settings = Settings().changed({"answering.effort": "careful", "answering.writer": "ollama"})
    shown = actions.loaded(Screen(View()), "")
    assert shown[page.ask.effort]["value"] == "careful"
    assert "grades the passages" in shown[page.ask.hint]
