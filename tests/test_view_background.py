"""Behind the page: opening once, one job at a time, and errors as one sentence."""

from __future__ import annotations

import logging
import threading

import pytest

from assistant.documents import IngestReport, Progress
from assistant.errors import StoreError
from ui.background import MOST_FILES, Adding, Opening, sentence


class Door:
    """As much of an assistant as opening needs."""

    closed = False

    def chat_models(self) -> tuple[str, ...]:
        return ("qwen3:8b",)

    def close(self) -> None:
        self.closed = True


def test_opening_goes_from_loading_to_ready_with_its_models():
    release = threading.Event()
    door = Door()

    def open_assistant():
        release.wait(10)
        return door

    opening = Opening(open_assistant)  # type: ignore[arg-type]
    opening.start()
    opening.start()
    assert (opening.state, opening.door) == ("loading", None)
    release.set()
    opening.wait(10)
    assert (opening.state, opening.models) == ("ready", ("qwen3:8b",))
    opening.close()
    assert door.closed


def test_opening_that_fails_says_the_sentence_of_the_error():
    def open_assistant():
        raise StoreError("The base is open in process 7; close it.")

    opening = Opening(open_assistant)
    opening.start()
    opening.wait(10)
    assert (opening.state, opening.message) == ("failed", "The base is open in process 7; close it.")
    with pytest.raises(Exception, match="process 7"):
        opening.ready()


def test_an_assistant_that_opens_after_the_end_is_closed():
    release, door = threading.Event(), Door()

    def open_assistant():
        release.wait(10)
        return door

    opening = Opening(open_assistant)  # type: ignore[arg-type]
    opening.start()
    opening.close()
    release.set()
    opening.wait(10)
    assert door.closed


def test_an_unforeseen_error_is_logged_and_named_in_one_sentence(caplog):
    with caplog.at_level(logging.ERROR):
        said = sentence(KeyError("secret detail"))
    assert said == "Something unexpected happened (KeyError); the details are in the log, please try again."
    assert "secret detail" in caplog.text


def test_a_second_job_does_not_start_while_one_is_under_way():
    adding, release, begun = Adding(), threading.Event(), threading.Event()

    def work(on_progress, cancel):
        on_progress(Progress(file="a.md", state="reading", files=2))
        on_progress(Progress(file="b.md", state="reading", files=2))
        on_progress(Progress(file="a.md", state="indexed", files=2, files_done=1))
        begun.set()
        release.wait(10)
        return IngestReport(added=("a.md",), cancelled=cancel.is_set())

    assert adding.start(work)
    begun.wait(10)
    assert not adding.start(work)
    assert [(p.file, p.state) for p in adding.files] == [("a.md", "indexed"), ("b.md", "reading")]
    adding.stop()
    assert adding.stopping
    release.set()
    adding.wait(10)
    assert not adding.running
    assert adding.report == IngestReport(added=("a.md",), cancelled=True)


def test_a_job_that_fails_says_why_and_the_next_one_starts_afresh():
    adding = Adding()

    def work(on_progress, cancel):
        raise StoreError("There is no folder '/missing'; give another path.")

    assert adding.start(work)
    adding.wait(10)
    assert (adding.running, adding.message) == (False, "There is no folder '/missing'; give another path.")
    assert adding.start(lambda on_progress, cancel: IngestReport())
    adding.wait(10)
    assert (adding.message, adding.report) == ("", IngestReport())


def test_only_the_latest_files_of_a_long_job_are_kept():
    adding = Adding()

    def work(on_progress, cancel):
        for n in range(500):
            on_progress(Progress(file=f"{n}.md", state="indexed"))
        return IngestReport()

    adding.start(work)
    adding.wait(10)
    assert len(adding.files) == MOST_FILES
    assert adding.files[0].file == "499.md"
