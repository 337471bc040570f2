"""The events of the models screen without a browser, against a real (stand-in) server."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest
import sample_traces as sample
from ollama_server import Model, Pullable, running

from assistant import Assistant
from assistant.models import Models
from assistant.settings import Settings

gr = pytest.importorskip("gradio")

from ui.actions import Actions  # noqa: E402
from ui.background import Adding, ModelJobs, Opening  # noqa: E402
from ui.layout import Screen, layout  # noqa: E402
from ui.looking import Looking  # noqa: E402
from ui.model_actions import FAST, SLOW, ModelActions  # noqa: E402
from ui.texts import T  # noqa: E402
from ui.view import View  # noqa: E402

CHAT, EMBED = "qwen3:4b-instruct", "bge-m3:latest"


class Door:
    """As much of an assistant as the models screen needs."""

    def __init__(self, url: str, changes: dict) -> None:
        self.settings = Settings().changed({"ollama.url": url, **changes})
        self.models = Models(self.settings)
        self.reembedding = SimpleNamespace(indexes=lambda: ())
        self.wished = None

    def info(self):
        return sample.BASE

    def chat_models(self):
        return ()

    def close(self):
        pass


@pytest.fixture(scope="module")
def page():
    async def make():  # without a running loop gradio makes several of its own and never closes them
        with gr.Blocks():
            return layout(T("en"))

    return asyncio.run(make())


@pytest.fixture
def fake():
    library = {"small:latest": Pullable(), "other:latest": Pullable()}
    with running(models={CHAT: Model(), EMBED: Model(("embedding",), family="bert")}, library=library) as server:
        yield server


class Seat:
    """One page and what a person does on it."""

    def __init__(self, url: str, page, door=None, **changes) -> None:
        self.opening = Opening(lambda: door or Door(url, changes))  # type: ignore[arg-type, return-value]
        self.opening.start()
        self.opening.wait(10)
        self.page, self.part = page, page.models
        self.looking, self.jobs, self.screen, self.model = Looking(self.opening), ModelJobs(), Screen(View()), ""
        frame = Actions(self.opening, Adding(), page)
        self.actions = ModelActions(self.opening, self.looking, self.jobs, page, frame)
        self.has: dict = {}
        self.seconds = FAST

    def take(self, shown: dict) -> dict:
        """What the page has now."""
        self.has |= {part: value for part, value in shown.items() if value is not gr.skip()}
        chosen = shown.get(self.page.head.model)
        if isinstance(chosen, dict) and "value" in chosen:
            self.model = chosen["value"]
        return shown

    def see(self) -> dict:
        """The page after everything behind it has come to rest and its timer has ticked."""
        self.jobs.wait(10)
        self.looking.wait(10)
        self.tick()
        self.looking.wait(10)
        return self.tick()

    def tick(self) -> dict:
        shown = self.take(self.actions.tick(self.screen, self.model, self.seconds))
        self.seconds = shown[self.part.timer].value if self.part.timer in shown else self.seconds
        return shown

    def open(self) -> None:
        self.take(self.actions.loaded(self.screen, self.model))
        self.take(self.actions.shown(self.screen, self.model))
        self.see()

    def click(self, act: str, name: str = "") -> dict:
        event = SimpleNamespace(_data={"act": act, "name": name})
        return self.take(self.actions.clicked(self.screen, self.model, event))  # type: ignore[arg-type]

    @property
    def server(self) -> str:
        return self.has[self.part.server]

    @property
    def job(self) -> str:
        return self.has[self.part.job]


@pytest.fixture
def seat(fake, page):
    seat = Seat(fake.url, page)
    yield seat
    fake.gate.set()
    seat.jobs.stop()
    seat.jobs.wait(10)
    seat.looking.wait(10)


def test_the_first_drawing_does_not_wait_for_the_server(seat):
    shown = seat.take(seat.actions.loaded(seat.screen, ""))
    assert seat.part.server in shown
    seat.see()
    assert "Ollama 0.33.0" in seat.server
    assert CHAT in seat.has[seat.part.installed]


def test_a_page_is_slow_and_looks_no_more_once_its_tab_is_left_and_nothing_goes_on(seat, fake):
    seat.open()
    assert seat.seconds == FAST
    seat.take(seat.actions.left(seat.screen, ""))
    seat.see()
    assert seat.seconds == SLOW
    asked = len(fake.received)
    seat.see()
    assert len(fake.received) == asked
    assert seat.actions.shown(seat.screen, "")[seat.part.timer].value == FAST


def test_an_unchanged_page_is_not_drawn_again(seat):
    seat.open()
    seat.see()
    assert set(seat.tick()) <= {seat.page.screen}


@pytest.mark.accept("E4")
def test_a_model_is_loaded_with_the_window_of_the_questions_and_shown_in_memory(seat, fake):
    seat.open()
    seat.click("preload", CHAT)
    seat.see()
    assert fake.loads == [(CHAT, 8192)]
    assert "window 8,192 tokens" in seat.server
    seat.click("unload", CHAT)
    seat.see()
    assert "No model. The first question loads its own." in seat.server


@pytest.mark.accept("E6")
def test_a_model_that_cannot_be_loaded_says_why_until_it_is_dismissed(seat, fake):
    seat.open()
    fake.faults.add("out_of_memory")
    seat.click("preload", CHAT)
    seat.see()
    assert f"<bdi>{CHAT}</bdi> was not loaded" in seat.server
    assert "memory" in seat.server
    seat.click("dismiss_load")
    assert "was not loaded" not in seat.server


def test_the_chat_model_is_chosen_here_as_in_the_head(seat):
    seat.open()
    seat.click("use", CHAT)
    assert seat.model == CHAT
    assert "writes the answers" in seat.has[seat.part.installed]
    seat.click("quote")
    assert seat.model == ""


def test_a_look_that_began_before_a_choice_does_not_undo_it(seat):
    seat.open()
    late = seat.actions.tick(seat.screen, "", FAST) | seat.actions.shown(seat.screen, "")
    assert "value" not in late[seat.page.head.model]


@pytest.mark.accept("E9")
def test_a_model_is_downloaded_and_can_be_used_at_once(seat, fake):
    seat.open()
    shown = seat.take(seat.actions.named(seat.screen, "", " ollama pull small "))
    assert shown[seat.part.name] == ""
    seat.see()
    assert "<bdi>small</bdi> is here" in seat.job
    assert "small:latest" in seat.has[seat.part.installed]
    assert ("small:latest", "small:latest") in seat.has[seat.page.head.model]["choices"]
    seat.click("dismiss_pull")
    assert seat.job == ""


@pytest.mark.accept("E9")
def test_a_download_can_be_stopped_and_goes_on_from_there(seat, fake):
    fake.faults.add("pull_stall")
    seat.open()
    seat.click("pull", "small")
    assert fake.writing.wait(10)
    seat.take(seat.actions.halted(seat.screen, ""))
    seat.see()
    assert "Stopped: <bdi>small</bdi>" in seat.job
    assert fake.gone.wait(10)
    fake.faults.clear()
    seat.click("pull", "small")
    seat.see()
    assert "<bdi>small</bdi> is here" in seat.job


def test_a_second_download_follows_the_first_and_a_stop_gives_both_up(seat, fake):
    fake.faults.add("pull_stall")
    seat.open()
    seat.click("pull", "small")
    assert fake.writing.wait(10)
    shown = seat.click("pull", "other")
    assert "other follows when the download under way has ended." in shown[seat.page.notice]
    assert "then <bdi>other</bdi>" in seat.job
    seat.click("pull", "other")
    assert seat.jobs.pulling.waiting == ("other",)
    seat.take(seat.actions.halted(seat.screen, ""))
    seat.see()
    assert [body["model"] for body in fake.bodies("/api/pull")] == ["small"]


@pytest.mark.accept("E9")
@pytest.mark.parametrize("fault", ["pull_drop", "pull_retries", "pull_412"])
def test_a_download_that_fails_says_why_and_can_be_tried_again(seat, fake, fault):
    fake.fail_next(1, fault, path="/api/pull")
    seat.open()
    seat.click("pull", "small")
    seat.see()
    assert "<bdi>small</bdi> could not be downloaded" in seat.job
    assert 'data-act="pull" data-name="small"' in seat.job
    seat.click("pull", "small")
    seat.see()
    assert "could not be downloaded" not in seat.job
    assert "<bdi>small</bdi> is here" in seat.job


def test_no_name_and_no_such_model_are_sentences(seat):
    seat.open()
    assert "Give the name" in seat.actions.named(seat.screen, "", "  ")[seat.page.notice]
    seat.take(seat.actions.named(seat.screen, "", "nonsense"))
    seat.see()
    assert "has no model" in seat.job


def test_a_deleted_model_is_gone_and_no_longer_chosen(seat, fake):
    seat.open()
    seat.click("use", CHAT)
    shown = seat.click("delete", CHAT)
    assert f"{CHAT} was deleted." in shown[seat.page.notice]
    seat.see()
    assert CHAT not in fake.models
    assert seat.model == ""
    assert "no model" in seat.click("delete", CHAT)[seat.page.notice]


@pytest.mark.accept("E9")
def test_a_chosen_model_that_is_missing_is_said_on_every_tab_until_it_is_there(fake, page):
    seat = Seat(fake.url, page, **{"answering.writer": "ollama", "answering.model": "tiny"})
    seat.model = "tiny"
    seat.take(seat.actions.loaded(seat.screen, "tiny"))
    seat.see()
    seat.take(seat.actions.left(seat.screen, "tiny"))
    assert "<bdi>tiny</bdi> cannot write now" in seat.has[seat.part.banner]
    assert seat.seconds == FAST
    fake.models["tiny:latest"] = Model()
    seat.click("check")
    seat.see()
    assert seat.has[seat.part.banner] == ""
    assert seat.seconds == SLOW


def test_the_banner_leads_to_the_models(seat):
    event = SimpleNamespace(_data={"go": "models"})
    shown = seat.actions.clicked(seat.screen, "", event)  # type: ignore[arg-type]
    assert shown[seat.page.tabs].selected == "models"
    assert seat.screen.models.shown


@pytest.mark.accept("E6")
def test_a_server_that_goes_and_comes_back_is_noticed_without_a_restart(seat, fake):
    seat.open()
    fake.stop()
    seat.click("check")
    seat.see()
    assert "No Ollama here" in seat.server
    assert seat.has[seat.part.pull]["interactive"] is False
    fake.start()
    seat.click("check")
    seat.see()
    assert "Ollama 0.33.0" in seat.server
    assert CHAT in seat.has[seat.part.installed]


def test_an_address_of_another_machine_is_said_on_every_tab(page):
    seat = Seat("http://192.0.2.1:1", page)  # nobody answers there, and nobody is asked: tests stay on this machine
    seat.opening.door.models.server = lambda: (
        Models(  # type: ignore[method-assign, union-attr]
            Settings().changed({"ollama.url": "http://127.0.0.1:9"})
        )
        .server()
        .model_copy(update={"leaves_machine": True, "url": "http://192.0.2.1:1"})
    )
    seat.opening.door.models.advice = lambda: None  # type: ignore[method-assign, union-attr]
    seat.take(seat.actions.loaded(seat.screen, ""))
    seat.see()
    assert "Text leaves this machine" in seat.has[seat.part.standing]


def test_the_other_language_is_spoken_everywhere(seat):
    seat.open()
    shown = seat.take(seat.actions.spoke(seat.screen, "zh", ""))
    assert shown[seat.part.tab]["label"] == "模型"
    assert shown[seat.part.pull]["value"] == "下载"
    assert "本机内存" in seat.server


# ---------------------------------------------------------------- the index of the base


@pytest.fixture
def kb(fake, tmp_path):
    """A real base of three documents, with the embedded model; the settings ask for the server's."""
    for n, text in enumerate(("Hotels cost 220 euros.", "年假为 12 天。", "Receipts go to finance.")):
        (tmp_path / f"{n}.md").write_text(text, encoding="utf-8")
    with Assistant.open(tmp_path / "kb") as first:
        first.ingest([tmp_path])
    wish = {"ollama.url": fake.url, "embedding.provider": "ollama", "embedding.model": "bge-m3"}
    with Assistant.open(tmp_path / "kb", Settings().changed(wish), keep_model=True) as opened:
        yield opened


@pytest.fixture
def base_seat(kb, fake, page):
    seat = Seat(fake.url, page, kb)
    seat.open()
    yield seat
    fake.gate.set()
    seat.jobs.stop()
    seat.jobs.wait(10)
    seat.looking.wait(10)


def base_panel(seat: Seat) -> str:
    return seat.has[seat.part.base]


@pytest.mark.accept("F1")
@pytest.mark.accept("F5")
def test_a_model_that_the_settings_wish_is_a_question_that_can_be_put_off(base_seat):
    assert "The settings name another embedding model" in base_seat.has[base_seat.part.banner]
    shown = base_seat.click("keep_model")
    assert base_seat.has[base_seat.part.banner] == ""
    assert "leave embedding.provider empty" in shown[base_seat.page.notice]


@pytest.mark.accept("F2")
@pytest.mark.accept("F6")
def test_an_index_is_estimated_built_switched_to_left_again_and_removed(base_seat, kb, fake):
    shown = base_seat.click("estimate_wished", "ollama:bge-m3")
    assert shown[base_seat.page.tabs].selected == "models"
    assert base_seat.has[base_seat.part.banner] == ""
    base_seat.see()
    assert "3 chunks are embedded anew" in base_panel(base_seat)
    assert kb.embedder.identity.provider == "embedded"

    base_seat.click("build", "ollama:bge-m3")
    base_seat.see()
    assert "The index of <bdi>bge-m3</bdi> is complete" in base_panel(base_seat)
    assert "embedded, onnx" in base_seat.has[base_seat.page.head.top]

    base_seat.click("switch", "ollama:bge-m3")
    base_seat.see()
    assert "Passages are found with <bdi>bge-m3</bdi> now" in base_panel(base_seat)
    assert "bge-m3 (ollama" in base_seat.has[base_seat.page.head.top]
    assert "this knowledge base" in base_seat.has[base_seat.part.installed]
    assert kb.ask("Hotels?", write=False).of_kind("retrieved")[0].state == "done"
    assert 'data-act="switch" data-name="embedded:multilingual-e5-small"' in base_panel(base_seat)

    base_seat.click("switch", "embedded:multilingual-e5-small")
    base_seat.see()
    assert kb.embedder.identity.provider == "embedded"
    other = next(i for i in kb.reembedding.indexes() if not i.current)
    shown = base_seat.click("remove_index", other.fingerprint)
    assert "The index was removed." in shown[base_seat.page.notice]
    base_seat.see()
    assert [i.current for i in kb.reembedding.indexes()] == [True]


@pytest.mark.accept("F2")
def test_a_model_that_is_away_leaves_the_base_as_it_is(base_seat, kb, fake):
    fake.stop()
    for doing, says in (("estimate", "cannot be used"), ("build", "could not be completed"), ("switch", "stays")):
        base_seat.click(doing, "ollama:bge-m3")
        base_seat.see()
        assert says in base_panel(base_seat)
    assert kb.embedder.identity.provider == "embedded"
    assert kb.ask("Hotels?", write=False).of_kind("retrieved")[0].state == "done"
    base_seat.click("dismiss_index")
    assert "stays" not in base_panel(base_seat)
    fake.start()


def test_the_index_in_use_is_not_removed(base_seat, kb):
    own = kb.reembedding.indexes()[0]
    assert "is in use" in base_seat.click("remove_index", own.fingerprint)[base_seat.page.notice]
