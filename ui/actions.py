"""What happens on each event: the view and the state behind it in, new contents of the page's parts out."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import gradio as gr

from assistant.errors import AssistantError
from assistant.settings import Settings
from assistant.trace import BaseInfo, Delta, Step, Trace, Turn
from ui.background import Adding, Opening, Work, sentence
from ui.layout import Page
from ui.panels import documents, states
from ui.texts import T, Texts
from ui.view import Door, View

Shown = dict[Any, Any]
SECONDS_BETWEEN_DELTAS = 0.1  # a model writes faster than anyone reads; each update redraws the conversation


class Actions:
    """The events of one page. Errors end here, as one sentence on the page."""

    def __init__(self, opening: Opening, adding: Adding, page: Page) -> None:
        self._opening = opening
        self._adding = adding
        self._page = page

    # ---------------------------------------------------------------- the frame

    def loaded(self, view: View, wanted: str) -> Shown:
        """A page was opened or loaded again."""
        return {self._page.seen: self._state(), **self._all(view, wanted, self._usual_model())}

    def tick(self, view: View, seen: object, wanted: str, model: str) -> Shown:
        """Every half second while something goes on behind the page: draws what changed since the last time."""
        state = self._state()
        if seen == state:
            return {self._page.seen: state}
        shown = self._job(view)
        if not isinstance(seen, tuple) or seen[0] != state[0]:
            shown = self._all(view, wanted, self._usual_model())
        elif seen[1] != state[1]:
            shown = self._all(view, wanted, model)
        return {self._page.seen: state, self._page.timer: gr.Timer(active=self._going_on()), **shown}

    def spoke(self, view: View, lang: str, wanted: str, model: str) -> Shown:
        """The other language was chosen."""
        t, page = T(lang), self._page
        ask, files = page.ask, page.documents
        words = {
            page.head.theme: t("theme"), ask.send: t("send"), ask.stop: t("stop"), ask.fresh: t("new_conversation"),
            ask.export: t("export"), files.add: t("add_folder"), files.halt: t("stop"),
        }  # fmt: skip
        shown = self._all(view.speak(lang), wanted, model)
        for button, word in words.items():
            shown[button] = gr.update(**{**_props(shown.get(button)), "value": word})
        return {
            **shown,
            ask.tab: gr.update(label=t("ask")),
            files.tab: gr.update(label=t("documents")),
            ask.question: gr.update(label=t("question_box"), placeholder=t("question_box")),
            files.upload: gr.update(label=t("drop_files")),
            files.folder: gr.update(label=t("folder"), placeholder=t("folder_hint")),
            files.wanted: gr.update(label=t("filter"), placeholder=t("filter")),
        }

    def dismissed(self, view: View) -> Shown:
        """The remark was closed."""
        return {self._page.view: view.noted(""), self._page.notice: ""}

    def models(self, view: View, model: str) -> Shown:
        """The chat models that are there now."""
        self._opening.refresh_models()
        return {self._page.head.model: self._model(model, T(view.lang))}

    # ---------------------------------------------------------------- asking

    def ask(self, view: View, question: str, model: str) -> Iterator[Shown]:
        """A question from the box."""
        yield from self._ask(view, question, model, view.history)

    def rerun(self, view: View, model: str, event: gr.EventData) -> Iterator[Shown]:
        """A question that was changed by hand: it stands alone, so no history goes with it."""
        yield from self._ask(view, str(event._data.get("rerun", "")), model, ())

    def stop(self, view: View) -> Shown:
        """The question under way was stopped."""
        return self._conversation(view.broken(T(view.lang)("stopped")))

    def fresh(self, view: View) -> Shown:
        """A new conversation; one under way is left alone."""
        return self._conversation(view if view.busy else View(lang=view.lang))

    def clicked(self, view: View, event: gr.EventData) -> Shown:
        """An answer, a citation, an attempt, or the way to the documents was clicked."""
        data = event._data or {}
        if "select" in data:
            return self._conversation(view.select(int(data["select"])))
        if "attempt" in data:
            return self._conversation(view.show_attempt(int(data["attempt"])))
        if data.get("go") == "documents":
            return {self._page.tabs: gr.Tabs(selected="documents")}
        return {self._page.view: view}

    def export(self, view: View) -> tuple[str, str]:
        """The selected trace as JSON, and a name for the file."""
        trace = view.shown
        return ("", "") if trace is None else (trace.model_dump_json(indent=1), f"glassbox-{trace.id[:8]}.json")

    def _ask(self, view: View, question: str, model: str, history: tuple[Turn, ...]) -> Iterator[Shown]:
        door, asked = self._opening.door, question.strip()
        if door is None or not asked or view.busy:
            yield {self._page.view: view}
            return
        changes = {"answering.writer": "ollama", "answering.model": model} if model else {
            "answering.writer": "extractive"}  # fmt: skip
        drawn = time.monotonic()
        try:
            view = view.begin(_draft(asked, door.info()))
            yield {**self._conversation(view), self._page.ask.question: ""}
            with closing(_steps(door, asked, history, changes)) as steps:
                for step in steps:
                    view = view.asked(step) if isinstance(step, Trace) else view.plus(step)
                    if isinstance(step, Delta) and time.monotonic() - drawn < SECONDS_BETWEEN_DELTAS:
                        continue
                    drawn = time.monotonic()
                    yield self._talk(view) if isinstance(step, Delta) else self._conversation(view)
        except Exception as err:
            view = view.broken(sentence(err, view.lang), "search") if view.busy else view.noted(sentence(err))
        yield self._conversation(view)

    def _talk(self, view: View) -> Shown:
        return {self._page.view: view, self._page.ask.talk: view.conversation()}

    def _conversation(self, view: View) -> Shown:
        ask = self._page.ask
        ready = self._opening.state == "ready"
        return {
            self._page.view: view,
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

    def uploaded(self, view: View, paths: list[str] | None) -> Shown:
        """Files were dropped: the assistant copies them into the base's own folder."""
        if not paths:
            return {self._page.view: view}
        return {**self._start(view, _upload(self._opening.door, paths)), self._page.documents.upload: None}

    def added(self, view: View, folder: str) -> Shown:
        """A folder or file was named: it is read where it is."""
        place = folder.strip().strip("\"'")
        if not place:
            return self._note(view, T(view.lang)("folder_missing"))
        return self._start(view, _folder(self._opening.door, place))

    def halted(self, view: View) -> Shown:
        """Adding documents was stopped."""
        self._adding.stop()
        return self._job(view)

    def filtered(self, view: View, wanted: str) -> Shown:
        """Another text in the filter, or the tab was opened."""
        return {self._page.documents.files: self._files(view, wanted)}

    def removed(self, view: View, wanted: str, event: gr.EventData) -> Shown:
        """A document was removed, after the question back."""
        door, document = self._opening.door, str((event._data or {}).get("delete", ""))
        if door is None or not document:
            return {self._page.view: view}
        try:
            name = next((row.name for row in door.documents() if row.document_id == document), document)
            door.delete(document)
            said = T(view.lang)("removed", name=name)
        except Exception as err:
            said = sentence(err, view.lang)
        shown = self._note(view, said)
        return {**shown, self._page.documents.files: self._files(view, wanted), self._page.head.top: self._top(view)}

    def _start(self, view: View, work: Work | None) -> Shown:
        t = T(view.lang)
        if work is None:
            return self._note(view, t("loading"))
        if not self._adding.start(work):
            return self._note(view, t("job_busy"))
        return {**self._note(view, ""), **self._job(view), self._page.timer: gr.Timer(active=True)}

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

    def _all(self, view: View, wanted: str, model: str) -> Shown:
        part, t = self._page.documents, T(view.lang)
        most = self._opening.door.settings if self._opening.door else Settings()
        limit = f'<p class="gb-why">{t("upload_limit", n=most.reading.max_megabytes)}</p>'
        return {
            **self._conversation(view),
            **self._job(view),
            self._page.head.top: self._top(view),
            self._page.head.model: self._model(model, t),
            self._page.timer: gr.Timer(active=self._going_on()),
            part.limit: limit,
            part.files: self._files(view, wanted),
        }

    def _going_on(self) -> bool:
        return self._opening.state == "loading" or self._adding.running

    def _state(self) -> tuple[object, ...]:
        """Whatever is equal here looks the same; a change in the first two redraws the whole page."""
        return self._opening.state, self._adding.running, self._adding.now, self._adding.stopping

    def _info(self) -> BaseInfo | None:
        try:
            return self._opening.door.info() if self._opening.door else None
        except AssistantError:
            return None

    def _top(self, view: View) -> str:
        return states.top(self._info(), self._opening.state, view.lang)

    def _model(self, chosen: str, t: Texts) -> Any:
        models = dict.fromkeys((*self._opening.models, *([self._usual_model()] if self._usual_model() else [])))
        choices = [(t("answer_quoted"), ""), *((name, name) for name in models)]
        return gr.update(choices=choices, value=chosen if chosen in models else "")

    def _usual_model(self) -> str:
        """The chat model that the settings name, "" for quoted sentences."""
        answering = self._opening.door.settings.answering if self._opening.door else Settings().answering
        return answering.model if answering.writer == "ollama" else ""

    def _note(self, view: View, words: str) -> Shown:
        return {self._page.view: view.noted(words), self._page.notice: states.notice(words, view.lang)}


def _steps(
    door: Door, question: str, history: tuple[Turn, ...], changes: dict[str, Any]
) -> Generator[Step | Trace, None, None]:
    yield from door.stream(question, history, changes)


def _draft(question: str, base: BaseInfo) -> Trace:
    return Trace(id="draft", question=question, base=base, settings={}, settings_hash="", started=datetime.now(UTC))


def _folder(door: Door | None, place: str) -> Work | None:
    if door is None:
        return None
    return lambda on_progress, cancel: door.ingest([Path(place).expanduser()], on_progress, cancel)


def _upload(door: Door | None, paths: list[str]) -> Work | None:
    if door is None:
        return None

    def work(on_progress: Any, cancel: Any) -> Any:
        places = [Path(p) for p in paths]
        try:
            return door.add_uploads(places, on_progress, cancel)
        finally:
            for place in places:  # the base has its own copy
                place.unlink(missing_ok=True)

    return work


def _props(update: Any) -> dict[str, Any]:
    """The properties of an update, so that another one can be laid over it."""
    return {k: v for k, v in update.items() if k != "__type__"} if isinstance(update, dict) else {}
