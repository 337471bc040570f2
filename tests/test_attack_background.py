"""Two people, two tabs or one quick hand: what is handed over while a job runs is not lost."""

from __future__ import annotations

import threading

from assistant.documents import IngestReport
from ui.background import Adding


def work_of(name: str, gate: threading.Event | None = None, log: list[str] | None = None):
    def work(on_progress, cancel):
        if gate:
            gate.wait(10)
        if cancel.is_set():
            return IngestReport(cancelled=True)
        if log is not None:
            log.append(name)
        return IngestReport(added=(name,), embedded=2, seconds=1.0, stage_seconds={"reading": 1.0})

    return work


def test_an_upload_during_another_follows_it_and_both_are_in_the_report():
    gate, adding = threading.Event(), Adding()
    assert adding.start(work_of("first.md", gate))
    assert not adding.start(work_of("refused.md"))
    assert not adding.start(work_of("second.md"), queue=True)
    gate.set()
    adding.wait(10)
    assert adding.report is not None
    assert adding.report.added == ("first.md", "second.md")
    assert (adding.report.embedded, adding.report.seconds) == (4, 2.0)
    assert adding.report.stage_seconds == {"reading": 2.0}
    assert (adding.finished, adding.running) == (1, False)


def test_an_upload_follows_a_job_that_failed_and_the_failure_stays_said():
    gate, adding, log = threading.Event(), Adding(), []

    def failing(on_progress, cancel):
        gate.wait(10)
        raise ValueError("broken")

    adding.start(failing)
    adding.start(work_of("second.md", log=log), queue=True)
    gate.set()
    adding.wait(10)
    assert log == ["second.md"]
    assert "ValueError" in adding.message


def test_stop_stops_what_waits_as_well():
    gate, adding, log = threading.Event(), Adding(), []
    adding.start(work_of("first.md", gate, log))
    adding.start(work_of("second.md", log=log), queue=True)
    adding.stop()
    gate.set()
    adding.wait(10)
    assert log == []
    assert adding.report is not None
    assert adding.report.cancelled
