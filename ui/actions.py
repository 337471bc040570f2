"""What happens on each event: the view and the state behind it in, new contents of the page's parts out."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import gradio as gr

from assistant.errors import AssistantError
from assistant.settings import Settings
from assistant.trace import BaseInfo, Decided, Delta, Rewritten, Trace, Turn, Working
from ui.background import Adding, Opening, Work, sentence
from ui.layout import Page, Screen
from ui.panels import documents, states
from ui.panels import effort as efforts
from ui.texts import T, Texts
from ui.view import Steps, View

Shown = dict[Any, Any]
SECONDS_BETWEEN_DRAWINGS = 0.1  # steps come faster than anyone reads, and each drawing sends the whole evidence
BEFORE_WAITING = (Decided, Rewritten, Working)  # drawn at once: a model or another search follows, which may take long

_changing = threading.Lock()  # a question can be stopped in the very moment in which its next step comes


class Actions:
    """The events of one page. Errors end here, as one sentence on the page."""

    def __init__(self, opening: Opening, adding: Adding, page: Page) -> None:
        self._opening = opening
        self._adding = adding
        self._page = page

    # ---------------------------------------------------------------- the frame

    def loaded(self, screen: Screen, wanted: str) -> Shown:
        """A page was opened or loaded again."""
        screen.seen = self._state()
        return self._opened(screen.view, wanted)

    def tick(self, screen: Screen, wanted: str, model: str) -> Shown:
        """Every half second while something goes on behind the page: draws what changed since the last time."""
        state, seen = self._state(), screen.seen
        if seen == state:
            return {self._page.screen: screen}
        screen.seen = state
        if not seen or seen[0] != state[0]:
            return self._opened(screen.view, wanted)
        if seen[1] != state[1]:
            screen.view = screen.view.noted("")
            return self._all(screen.view, wanted, model)
        return self._job(screen.view)

    def spoke(self, screen: Screen, lang: str, wanted: str, model: str, effort: str) -> Shown:
        """The other language was chosen."""
        t, page = T(lang), self._page
        ask, files = page.ask, page.documents
        words = {
            page.head.theme: t("theme"), ask.send: t("send"), ask.stop: t("stop"), ask.fresh: t("new_conversation"),
            ask.export: t("export"), files.add: t("add_folder"), files.halt: t("stop"),
        }  # fmt: skip
        screen.view = screen.view.speak(lang)
        shown = self._all(screen.view, wanted, model)
        for button, word in words.items():
            shown[button] = gr.update(**{**_props(shown.get(button)), "value": word})
        return {
            **shown,
            ask.effort: gr.update(choices=self._efforts(t), label=t("effort")),
            ask.hint: self._hint(screen.view, effort),
            ask.tab: gr.update(label=t("ask")),
            files.tab: gr.update(label=t("documents")),
            ask.question: gr.update(label=t("question_box"), placeholder=t("question_box")),
            files.upload: gr.update(label=t("drop_files")),
            files.folder: gr.update(label=t("folder"), placeholder=t("folder_hint")),
            files.wanted: gr.update(label=t("filter"), placeholder=t("filter")),
        }

    def dismissed(self, screen: Screen) -> Shown:
        """The remark was closed."""
        return self._note(screen, "")

    def models(self, screen: Screen, model: str) -> Shown:
        """The chat models that are there now."""
        self._opening.refresh_models()
        return {self._page.head.model: self.model_choice(model, screen.view.lang)}

    # ---------------------------------------------------------------- asking

    def ask(self, screen: Screen, question: str, model: str, effort: str) -> Iterator[Shown]:
        """A question from the box; the box is emptied when it was taken."""
        asking = self._ask(screen, question, _changes(model, effort), screen.view.history)
        first = next(asking)
        taken = {self._page.ask.question: ""} if self._page.ask.talk in first else {}
        yield {**first, **taken}
        yield from asking

    def again(self, screen: Screen, model: str, effort: str, event: gr.EventData) -> Iterator[Shown]:
        """A question changed by hand, which stands alone; one asked once more as it was; or an answer continued."""
        data, turns, changes = event._data or {}, screen.view.turns, _changes(model, effort)
        if "continue" in data:
            yield from self._continue(screen)
        elif "retry" in data and 0 <= int(data["retry"]) < len(turns):
            turn = int(data["retry"])
            yield from self._ask(screen, turns[turn].question, changes, screen.view.before(turn))
        else:
            yield from self._ask(screen, str(data.get("rerun", "")), changes, ())

    def stop(self, screen: Screen) -> Shown:
        """The question under way was stopped: the page shows it, and whatever works on it ends."""
        with _changing:
            screen.view = screen.view.broken(T(screen.view.lang)("stopped"))
        if screen.steps is not None:
            with suppress(ValueError):  # an ordinary generator cannot be closed while it makes its next step
                screen.steps.close()
        return self._conversation(screen.view)

    def writer(self, model: str) -> Shown:
        """Another model was chosen, or none: there is no effort while no model writes."""
        return {self._page.ask.efforts: gr.update(visible=bool(model))}

    def chose(self, screen: Screen, effort: str) -> Shown:
        """Another effort was chosen."""
        return {self._page.ask.hint: self._hint(screen.view, effort)}

    def fresh(self, screen: Screen) -> Shown:
        """A new conversation; one under way is left alone."""
        screen.view = screen.view if screen.view.busy else View(lang=screen.view.lang)
        return self._conversation(screen.view)

    def clicked(self, screen: Screen, event: gr.EventData) -> Shown:
        """An answer, a citation, an attempt, or the way to the documents was clicked."""
        data = event._data or {}
        if data.get("go") == "documents":
            return {self._page.tabs: gr.Tabs(selected="documents")}
        if "select" in data:
            screen.view = screen.view.select(int(data["select"]))
        elif "attempt" in data:
            screen.view = screen.view.show_attempt(int(data["attempt"]))
        return self._conversation(screen.view)

    def export(self, screen: Screen) -> tuple[str, str]:
        """The selected trace as JSON, and a name for the file."""
        trace = screen.view.shown
        return ("", "") if trace is None else (trace.model_dump_json(indent=1), f"glassbox-{trace.id[:8]}.json")

    def _ask(
        self, screen: Screen, question: str, changes: dict[str, Any], history: tuple[Turn, ...]
    ) -> Iterator[Shown]:
        door, asked = self._opening.door, question.strip()
        if door is None or not asked or screen.view.busy:
            yield self._note(screen, T(screen.view.lang)("loading") if door is None else "")
            return

        def begin() -> Steps:
            settings = door.settings.changed(changes).model_dump(mode="json")
            screen.view = screen.view.begin(_draft(asked, door.info(), settings, history))
            return door.stream(asked, history, changes)

        yield from self._follow(screen, begin, len(screen.view.turns) + 1)

    def _continue(self, screen: Screen) -> Iterator[Shown]:
        """The last answer, which is incomplete, is written on."""
        door, turns = self._opening.door, screen.view.turns
        if door is None or not turns or screen.view.busy or turns[-1].answered is None:
            yield self._note(screen, "")
            return

        def begin() -> Steps:
            screen.view = screen.view.resume()
            return door.continue_answer(turns[-1])

        yield from self._follow(screen, begin, len(turns))

    def _follow(self, screen: Screen, begin: Callable[[], Steps], turn: int) -> Iterator[Shown]:
        """Each step as it comes, until the question is answered or was stopped in the meantime."""
        try:
            screen.steps = steps = begin()
            yield self._conversation(screen.view)
            with closing(steps):
                yield from self._drawn(screen, steps, turn)
        except Exception as err:
            said, mine = sentence(err, screen.view.lang), screen.view.busy and len(screen.view.turns) == turn
            screen.view = screen.view.broken(said, "search") if mine else screen.view.noted(said)
        yield self._conversation(screen.view)

    def _drawn(self, screen: Screen, steps: Steps, turn: int) -> Iterator[Shown]:
        """What is new on the page, not more often than it can be read; pieces of an answer leave its evidence alone."""
        drawn, evidence = time.monotonic(), False
        for step in steps:
            with _changing:
                if not screen.view.busy or len(screen.view.turns) != turn:
                    return
                screen.view = screen.view.asked(step) if isinstance(step, Trace) else screen.view.plus(step)
            evidence = evidence or not isinstance(step, Delta | Working)
            if isinstance(step, BEFORE_WAITING) or time.monotonic() - drawn > SECONDS_BETWEEN_DRAWINGS:
                talk = {self._page.ask.talk: screen.view.conversation()}
                yield self._conversation(screen.view) if evidence else talk
                drawn, evidence = time.monotonic(), False

    def _conversation(self, view: View) -> Shown:
        ask = self._page.ask
        ready = self._opening.state == "ready"
        return {
            self._page.notice: states.notice(view.notice, view.lang),
            ask.talk: view.conversation() if view.turns else self._empty(view),
            ask.evidence: view.evidence(),
            ask.send: gr.update(visible=not view.busy, interactive=ready),
            ask.stop: gr.update(visible=view.busy),
            ask.export: gr.update(interactive=view.shown is not None and not view.busy),
        }

    def _empty(self, view: View) -> str:
        """The conversation before the first question."""
        opening = self._opening
        if opening.state == "failed":
            return states.error(opening.message, view.lang, "load_failed")
        if opening.door is None or opening.state == "loading":
            return states.empty("loading", view.lang)
        info = self._info()
        return states.empty("first_run" if info and not info.documents else "ready", view.lang)

    # ---------------------------------------------------------------- documents

    def uploaded(self, screen: Screen, paths: list[str] | None) -> Shown:
        """Files were dropped: the assistant copies them into the base's own folder."""
        if not paths:
            return {self._page.screen: screen}
        # the box is emptied, so what was dropped during another job must not be lost with it
        started = self._start(screen, _upload(self._opening, paths), queue=True)
        return {**started, self._page.documents.upload: None}

    def added(self, screen: Screen, folder: str) -> Shown:
        """A folder or file was named: it is read where it is."""
        place = folder.strip().strip("\"'")
        if not place:
            return self._note(screen, T(screen.view.lang)("folder_missing"))
        return self._start(screen, _folder(self._opening, place))

    def halted(self, screen: Screen) -> Shown:
        """Adding documents was stopped."""
        self._adding.stop()
        return self._job(screen.view)

    def filtered(self, screen: Screen, wanted: str) -> Shown:
        """Another text in the filter, or the tab was opened."""
        return {self._page.documents.files: self._files(screen.view, wanted)}

    def removed(self, screen: Screen, wanted: str, event: gr.EventData) -> Shown:
        """A document was removed, after the question back."""
        door, document = self._opening.door, str((event._data or {}).get("delete", ""))
        if door is None or not document:
            return {self._page.screen: screen}
        try:
            name = next((row.name for row in door.documents() if row.document_id == document), document)
            door.delete(document)
            said = T(screen.view.lang)("removed", name=name)
        except Exception as err:
            said = sentence(err, screen.view.lang)
        shown = self._note(screen, said)
        view = screen.view
        return {**shown, self._page.documents.files: self._files(view, wanted), self._page.head.top: self.top(view)}

    def _start(self, screen: Screen, work: Work, queue: bool = False) -> Shown:
        t = T(screen.view.lang)
        if not self._adding.start(work, queue):
            return self._note(screen, t("job_queued" if queue else "job_busy"))
        return {**self._note(screen, ""), **self._job(screen.view), self._page.timer: gr.Timer(active=True)}

    def _job(self, view: View) -> Shown:
        adding, part = self._adding, self._page.documents
        if adding.running:
            html = documents.progress(adding.now, adding.files, adding.stopping, view.lang)
        elif adding.message:
            html = states.error(adding.message, view.lang, "job_failed")
        else:
            html = documents.report(adding.report, view.lang) if adding.report else ""
        return {part.job: html, part.halt: gr.update(visible=adding.running, interactive=not adding.stopping)}

    def _files(self, view: View, wanted: str) -> str:
        if self._opening.door is None:
            return states.empty("loading", view.lang)
        try:
            return documents.panel(self._opening.door.documents(), wanted, view.lang)
        except Exception as err:
            return states.error(sentence(err, view.lang), view.lang)

    # ---------------------------------------------------------------- all of it

    def _opened(self, view: View, wanted: str) -> Shown:
        """All of it, with the model and the effort that the settings name."""
        model, effort, ask = self._usual_model(), self._settings().answering.effort, self._page.ask
        return {
            **self._all(view, wanted, model),
            ask.efforts: gr.update(visible=bool(model)),
            ask.effort: gr.update(choices=self._efforts(T(view.lang)), value=effort),
            ask.hint: self._hint(view, effort),
        }

    def _all(self, view: View, wanted: str, model: str) -> Shown:
        part, t = self._page.documents, T(view.lang)
        limit = f'<p class="gb-why">{t("upload_limit", n=self._settings().reading.max_megabytes)}</p>'
        return {
            **self._conversation(view),
            **self._job(view),
            self._page.head.top: self.top(view),
            self._page.head.model: self.model_choice(model, view.lang),
            self._page.timer: gr.Timer(active=self._going_on()),
            part.limit: limit,
            part.files: self._files(view, wanted),
        }

    def _going_on(self) -> bool:
        return self._opening.state == "loading" or self._adding.running

    def _state(self) -> tuple[object, ...]:
        """What goes on behind the page; equal states look the same."""
        jobs = (self._adding.running, self._adding.finished)
        return self._opening.state, jobs, self._adding.now, self._adding.stopping

    def _info(self) -> BaseInfo | None:
        try:
            return self._opening.door.info() if self._opening.door else None
        except AssistantError:
            return None

    def top(self, view: View) -> str:
        """HTML of the line at the top of the page."""
        return states.top(self._info(), self._opening.state, view.lang)

    def model_choice(self, chosen: str, lang: str) -> Any:
        """The chat models to choose from, with this one chosen if it is there."""
        t = T(lang)
        models = dict.fromkeys((*self._opening.models, *([self._usual_model()] if self._usual_model() else [])))
        choices = [(t("answer_quoted"), ""), *((name, name) for name in models)]
        return gr.update(choices=choices, value=chosen if chosen in models else "")

    def _usual_model(self) -> str:
        """The chat model that the settings name, "" for quoted sentences."""
        answering = self._settings().answering
        return answering.model if answering.writer == "ollama" else ""

    def _settings(self) -> Settings:
        return self._opening.door.settings if self._opening.door else Settings()

    def _efforts(self, t: Texts) -> list[tuple[str, str]]:
        return efforts.choices(self._settings().loop.max_attempts, t)

    def _hint(self, view: View, effort: str) -> str:
        return efforts.hint(effort, self._settings().loop.max_attempts, view.lang)

    def _note(self, screen: Screen, words: str) -> Shown:
        screen.view = screen.view.noted(words)
        return {self._page.notice: states.notice(words, screen.view.lang)}


def _changes(model: str, effort: str) -> dict[str, Any]:
    """Who writes the answer: a chat model, and what it may be asked besides, or nobody (quoted sentences)."""
    if not model:
        return {"answering.writer": "extractive"}
    return {"answering.writer": "ollama", "answering.model": model, "answering.effort": effort}


def _draft(question: str, base: BaseInfo, settings: dict[str, Any], history: tuple[Turn, ...]) -> Trace:
    """The trace before its first step; the stages on screen follow from its settings."""
    now = datetime.now(UTC)
    return Trace(
        id="draft", question=question, history=history, base=base, settings=settings, settings_hash="", started=now
    )


def _folder(opening: Opening, place: str) -> Work:
    """Files named while the assistant is still being opened are read as soon as it is."""
    return lambda on_progress, cancel: opening.ready().ingest([Path(place).expanduser()], on_progress, cancel)


def _upload(opening: Opening, paths: list[str]) -> Work:
    def work(on_progress: Any, cancel: Any) -> Any:
        places = [Path(p) for p in paths]
        try:
            return opening.ready().add_uploads(places, on_progress, cancel)
        finally:
            for place in places:  # the base has its own copy
                place.unlink(missing_ok=True)

    return work


def _props(update: Any) -> dict[str, Any]:
    """The properties of an update, so that another one can be laid over it."""
    return {k: v for k, v in update.items() if k != "__type__"} if isinstance(update, dict) else {}
