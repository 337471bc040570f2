"""Pulling a model: true progress over all files, stalls, failures, stop and resume."""

from __future__ import annotations

import threading

import pytest
from ollama_server import Model, Pullable, running

from assistant.errors import AssistantError, BadReply, ModelUnavailable, SettingsError
from assistant.models import Models
from assistant.providers.ollama.pull import Meter
from assistant.settings import Settings

NAME = "qwen3:4b-instruct"


@pytest.fixture
def fake():
    layers = (("weights", 8_000), ("license", 16), ("params", 8))
    with running(library={NAME: Pullable(Model(), layers)}) as server:
        yield server


@pytest.fixture
def models(fake):
    return Models(Settings().changed({"ollama.url": fake.url}))


def names(models):
    return [model.name for model in models.installed().models]


# arithmetic


def line(digest, total, completed=0):
    return {"status": f"pulling {digest}", "digest": digest, "total": total} | (
        {"completed": completed} if completed else {}
    )


def test_progress_adds_up_all_files():
    meter = Meter(NAME, 60, now=0.0)
    meter.take(line("a", 1000, 1000), now=1.0)
    now = meter.take(line("b", 500), now=1.1)
    assert (now.done, now.total) == (1000, 1500)
    assert (meter.take(line("b", 500, 200), now=1.2).done, now.status) == (1200, "pulling b")


def test_rate_and_time_left_count_what_came_and_not_what_was_there():
    meter = Meter(NAME, 60, now=0.0)
    first = meter.take(line("a", 10_000, 6_000), now=0.5)
    assert (first.rate, first.seconds_left) == (None, None)
    later = meter.take(line("a", 10_000, 7_000), now=4.0)
    assert (later.rate, later.seconds_left) == (250.0, 12.0)


def test_rate_is_that_of_the_last_ten_seconds():
    meter = Meter(NAME, 60, now=0.0)
    for second in range(1, 31):
        told = meter.take(line("a", 1_000_000, 1 + (100 if second > 15 else 10) * second), now=float(second))
    assert told.rate == 100.0


def test_a_pull_is_stalled_when_its_bytes_stand_still_though_lines_come():
    meter = Meter(NAME, 60, now=0.0)
    meter.take(line("a", 1000, 10), now=1.0)
    assert not meter.take(line("a", 1000, 10), now=60.9).stalled
    told = meter.take(line("a", 1000, 10), now=61.0)
    assert told.stalled
    assert told.why.startswith("Nothing has come for 60 seconds")
    assert not meter.take(line("a", 1000, 11), now=62.0).stalled


def test_checking_a_large_file_in_silence_is_no_stall():
    meter = Meter(NAME, 60, now=0.0)
    meter.take({"status": "verifying sha256 digest"}, now=1.0)
    assert not meter.at(500.0).stalled


# against the server


def test_a_pull_tells_its_progress_and_the_model_is_there_afterwards(models):
    told = []
    last = models.pull(NAME, told.append)
    assert (last.state, last.done, last.total) == ("done", 8_024, 8_024)
    assert told[-1] == last
    assert [p.done for p in told] == sorted(p.done for p in told)
    assert names(models) == [NAME]


@pytest.mark.accept("E9")
def test_stop_pauses_and_the_next_pull_goes_on_from_there(fake, models):
    fake.faults.add("pull_silent")
    cancel = threading.Event()

    def stop_half_way(progress):
        if progress.done:
            cancel.set()

    stopped = models.pull(NAME, stop_half_way, cancel)
    assert (stopped.state, names(models)) == ("stopped", [])
    assert fake.gone.wait(1)
    assert fake.calls("/api/pull")[0].left is not None
    fake.faults.clear()
    told = []
    assert models.pull(NAME, told.append).state == "done"
    first = next(p for p in told if p.total)
    assert first.done >= stopped.done > 0


@pytest.mark.parametrize("fault", ["pull_stall", "pull_silent"])
def test_a_stall_is_said_and_waited_for(fake, models, fault):
    fake.faults.add(fault)
    stalls = []

    def go_on_after_the_stall(progress):
        if progress.stalled:
            stalls.append(progress)
            fake.gate.set()

    assert models.pull(NAME, go_on_after_the_stall, stall_seconds=0.1).state == "done"
    assert 0 < stalls[0].done < stalls[0].total
    assert stalls[0].seconds_left is None
    assert "it still waits" in stalls[0].why


def test_a_pull_that_breaks_off_says_so_and_goes_on_from_there(fake, models):
    fake.fail_next(1, "pull_drop", path="/api/pull")
    with pytest.raises(BadReply, match="pull again to go on from there"):
        models.pull(NAME)
    assert names(models) == []
    told = []
    assert models.pull(NAME, told.append).state == "done"
    assert next(p for p in told if p.total).done >= 4_000


@pytest.mark.parametrize(
    ("fault", "said"),
    [("pull_412", "update Ollama and pull again"), ("pull_retries", "HTTPS_PROXY where Ollama itself runs")],
)
def test_an_error_line_is_a_failure_and_never_a_success(fake, models, fault, said):
    fake.faults.add(fault)
    with pytest.raises(ModelUnavailable, match=said):
        models.pull(NAME)
    assert names(models) == []


def test_a_name_that_the_library_does_not_have_is_said(models):
    with pytest.raises(ModelUnavailable, match="no model 'qwen33:4b'; check its name"):
        models.pull("qwen33:4b")


def test_names_that_cannot_be_pulled_are_refused_before_anything_is_asked(fake, models):
    with pytest.raises(SettingsError):
        models.pull("  ")
    with pytest.raises(ModelUnavailable, match="your documents would leave this machine"):
        models.pull("qwen3:480b-cloud")
    assert fake.bodies("/api/pull") == []


def test_a_server_that_is_restarted_in_a_pull_ends_it_and_it_goes_on_afterwards(fake, models):
    fake.faults.add("pull_silent")

    def restart(progress):
        if progress.done and fake.faults:
            fake.faults.clear()
            fake.restart()

    with pytest.raises(AssistantError):
        models.pull(NAME, restart)
    assert models.pull(NAME).state == "done"


def test_an_error_of_the_listener_stops_the_pull(fake, models):
    fake.faults.add("pull_silent")

    def gives_up(progress):
        if progress.done:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        models.pull(NAME, gives_up)
    assert fake.gone.wait(1)


@pytest.mark.parametrize("fault", ["text_404", "html", "busy"])
def test_what_is_no_ollama_or_busy_is_said(fake, models, fault):
    fake.faults.add(fault)
    with pytest.raises(ModelUnavailable):
        models.pull(NAME)


def test_a_server_that_is_not_there_is_said(fake, models):
    fake.stop()
    with pytest.raises(ModelUnavailable, match="start Ollama"):
        models.pull(NAME)
