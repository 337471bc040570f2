"""What happens on each event of the models screen; errors end here, as one sentence on the page."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import gradio as gr

from assistant.serving import PullProgress
from ui.actions import Actions
from ui.background import Job, ModelJobs, Opening, sentence
from ui.layout import Page, Screen
from ui.looking import Looking
from ui.panels import models, pulling, reembedding, server, states
from ui.panels.seen import Use
from ui.texts import T

if TYPE_CHECKING:
    from assistant.reembed import EmbedMoment, Estimate, ReembedReport

Shown = dict[Any, Any]
SECONDS_BETWEEN_LOOKS = 5.0
# the page's clock: never off, so that a late answer cannot stop it, but slow while there is nothing to see
FAST, SLOW = 1.0, 5.0


class ModelActions:
    """The events of the models part of one page. `frame` draws the head of the page."""

    def __init__(self, opening: Opening, looking: Looking, jobs: ModelJobs, page: Page, frame: Actions) -> None:
        self._opening = opening
        self._looking = looking
        self._jobs = jobs
        self._page = page
        self._frame = frame
        self._asked_before = False  # the wish of the settings was put off until the next start

    # ---------------------------------------------------------------- the frame

    def loaded(self, screen: Screen, model: str) -> Shown:
        """A page was opened or loaded again: the server is looked for behind it."""
        screen.models.ended = self._jobs.ended
        self._look(model)
        return self._all(screen, model)

    def tick(self, screen: Screen, model: str, seconds: float) -> Shown:
        """Every so many seconds: draws what changed since the last time, and sets the pace of the page's clock."""
        wanted = self._pace(screen, model)
        pace = {} if seconds == wanted else {self._page.models.timer: gr.Timer(wanted)}
        return {self._page.screen: screen, **self._changed(screen, model), **pace}

    def _changed(self, screen: Screen, model: str) -> Shown:
        tab = screen.models
        if (tab.ended, tab.asked) != (self._jobs.ended, model) or self._looking.seen.server is None:
            tab.ended, tab.asked = self._jobs.ended, model
            self._look(model)
        elif tab.shown or self._amiss(screen, model):
            self._looking.look_if_older(SECONDS_BETWEEN_LOOKS, model)
        before, tab.seen = tab.seen, self._state(model)
        if before[1:] == tab.seen[1:]:
            return self._progress(screen) if before != tab.seen else {}
        return self._all(screen, model)

    def shown(self, screen: Screen, model: str) -> Shown:
        """The tab was opened."""
        screen.models.shown = True
        self._look(model)
        return {**self._all(screen, model), self._page.models.timer: gr.Timer(FAST)}

    def left(self, screen: Screen, model: str) -> Shown:
        """Another tab was opened."""
        screen.models.shown = False
        return {self._page.models.banner: self._banner(screen, model)}

    def spoke(self, screen: Screen, lang: str, model: str) -> Shown:
        """The other language was chosen."""
        screen.view = screen.view.speak(lang)
        t, part = T(lang), self._page.models
        return {
            **self._all(screen, model),
            part.tab: gr.update(label=t("models")),
            part.name: gr.update(label=t("pull_name"), placeholder=t("pull_name_hint")),
            part.pull: gr.update(value=t("pull")),
        }

    def chose(self, screen: Screen, model: str) -> Shown:
        """Another chat model was chosen in the head of the page."""
        self._look(model)
        return self._all(screen, model)

    # ---------------------------------------------------------------- what a person does

    def clicked(self, screen: Screen, model: str, event: gr.EventData) -> Shown:
        """A button of one of the panels, by what it does."""
        data = event._data or {}
        if data.get("go") == "models":
            return {**self.shown(screen, model), self._page.tabs: gr.Tabs(selected="models")}
        act, name = str(data.get("act", "")), str(data.get("name", ""))
        if act == "use":
            return self._use(screen, name, T(screen.view.lang)("model_used", name=name))
        if act == "quote":
            return self._use(screen, "", "")
        if act == "estimate_wished":
            begun = self._done(screen, model, lambda: self._embed(screen, "estimate", name))
            return {**begun, **self.shown(screen, model), self._page.tabs: gr.Tabs(selected="models")}
        acts: dict[str, Callable[[], str]] = {
            "check": lambda: "",
            "estimate": lambda: self._embed(screen, "estimate", name),
            "build": lambda: self._embed(screen, "build", name),
            "switch": lambda: self._embed(screen, "switch", name),
            "remove_index": lambda: self._remove(screen, name),
            "dismiss_index": lambda: self._forget(self._jobs.embedding.forget),
            "keep_model": lambda: self._put_off(T(screen.view.lang)("wished_kept")),
            "later": lambda: self._put_off(""),
            "pull": lambda: self._pull(screen, name),
            "dismiss_pull": lambda: self._forget(self._jobs.pulling.forget),
            "dismiss_load": lambda: self._forget(self._jobs.loading.forget),
            "preload": lambda: self._preload(name),
            "unload": lambda: self._unload(name),
            "delete": lambda: self._delete(screen, name),
        }
        return self._done(screen, model, acts.get(act, lambda: ""))

    def named(self, screen: Screen, model: str, name: str) -> Shown:
        """A model was named to be downloaded; the box is emptied when it was taken."""
        wanted = name.strip().removeprefix("ollama pull ").strip()
        if not wanted:
            return self._note(screen, T(screen.view.lang)("pull_name_missing"))
        return {**self._done(screen, model, lambda: self._pull(screen, wanted)), self._page.models.name: ""}

    def halted(self, screen: Screen, model: str) -> Shown:
        """The download was stopped."""
        self._jobs.pulling.stop()
        return self._all(screen, model)

    def base_halted(self, screen: Screen, model: str) -> Shown:
        """The building of an index was stopped."""
        self._jobs.embedding.stop()
        return self._all(screen, model)

    def _use(self, screen: Screen, name: str, remark: str) -> Shown:
        self._look(name)
        shown = {**self._all(screen, name), **self._note(screen, remark)}
        return {**shown, self._page.head.model: self._frame.model_choice(name, screen.view.lang)}

    def _done(self, screen: Screen, model: str, act: Callable[[], str]) -> Shown:
        """What the act says, or the sentence of its error; then the server is looked at again."""
        try:
            remark = act()
        except Exception as err:
            remark = sentence(err, screen.view.lang)
        self._look(model)
        shown = {**self._all(screen, model), **self._note(screen, remark)}
        return {**shown, self._page.models.timer: gr.Timer(FAST)}

    def _pull(self, screen: Screen, name: str) -> str:
        def work(on_progress: Callable[[PullProgress], None], cancel: threading.Event) -> PullProgress:
            last = self._opening.ready().models.pull(name, on_progress, cancel)
            on_progress(last)
            return last

        if name in self._jobs.pulling.names:
            return ""
        begun = self._jobs.pulling.start(work, queue=True, about=name)
        return "" if begun else T(screen.view.lang)("pull_queued", name=name)

    def _preload(self, name: str) -> str:
        def work(_: Callable[[None], None], cancel: threading.Event) -> bool:
            return self._opening.ready().models.preload(name, cancel)

        self._jobs.loading.start(work, queue=True, about=name)
        return ""

    def _unload(self, name: str) -> str:
        self._opening.ready().models.unload(name)
        return ""

    def _delete(self, screen: Screen, name: str) -> str:
        self._opening.ready().models.delete(name)
        return T(screen.view.lang)("model_deleted", name=name)

    def _embed(self, screen: Screen, doing: str, model: str) -> str:
        """Begins to estimate, build or switch to the index of this model ("provider:name")."""
        provider, _, name = model.partition(":")

        def work(tell: Callable[[EmbedMoment], None], cancel: threading.Event) -> Estimate | ReembedReport:
            reembedding = self._opening.ready().reembedding
            if doing == "estimate":
                return reembedding.estimate(provider, name)
            begin = reembedding.switch if doing == "switch" else reembedding.run
            try:
                return begin(provider, name, tell, cancel)
            finally:
                self._looking.count()  # what came of it and the indexes are shown together

        begun = self._jobs.embedding.start(work, about=f"{doing} {model}")
        return "" if begun else T(screen.view.lang)("index_busy")

    def _remove(self, screen: Screen, fingerprint: str) -> str:
        self._opening.ready().reembedding.forget(fingerprint)
        self._looking.count()
        return T(screen.view.lang)("index_removed")

    def _put_off(self, remark: str) -> str:
        self._asked_before = True
        return remark

    def _forget(self, forget: Callable[[], None]) -> str:
        forget()
        return ""

    # ---------------------------------------------------------------- drawing

    def _all(self, screen: Screen, model: str) -> Shown:
        part, lang, seen, use = self._page.models, screen.view.lang, self._looking.seen, self._used(model)
        screen.models.seen = self._state(model)
        return {
            **self._progress(screen),
            part.standing: server.standing(seen, lang),
            part.banner: self._banner(screen, model),
            self._page.head.top: self._frame.top(screen.view),
            part.server: server.panel(seen, use, lang),
            part.installed: models.panel(seen, use, lang),
            part.advice: models.advice(seen.advice, self._jobs.pulling.names, seen.reachable, lang),
            part.pull: gr.update(interactive=seen.reachable),
            self._page.head.model: self._choices(model, lang),
        }

    def _choices(self, model: str, lang: str) -> Any:
        """The choices alone while the chosen one is among them: another may have been chosen in the meantime."""
        update = self._frame.model_choice(model, lang)
        return {key: value for key, value in update.items() if (key, value) != ("value", model)}

    def _progress(self, screen: Screen) -> Shown:
        """How far it is."""
        part, job, lang = self._page.models, self._jobs.pulling, screen.view.lang
        now = None if job.about in job.failed else job.now
        pulled = pulling.Pulled(job.about, job.running, job.stopping, now, tuple(job.failed.items()), job.waiting)
        return {
            part.job: pulling.panel(pulled, lang),
            part.halt: self._stop(job, lang),
            part.base: reembedding.panel(self._looking.seen.indexes, self._embedding(), lang),
            part.base_halt: self._stop(self._jobs.embedding, lang),
        }

    def _stop(self, job: Job[Any, Any], lang: str) -> Any:
        """The button that stops it; an estimate takes a moment only and cannot be stopped."""
        visible = job.running and not job.about.startswith("estimate ")
        return gr.update(value=T(lang)("stop"), visible=visible, interactive=not job.stopping)

    def _embedding(self) -> reembedding.Embedding:
        """What goes on with another index, as its panel takes it."""
        job = self._jobs.embedding
        doing, _, model = job.about.partition(" ")
        providers = {index.provider for index in self._looking.seen.indexes}
        built_in = bool(providers) and "embedded" not in providers
        at_rest = not (job.running or job.report or job.message)
        what: Any = {"estimate": job.report} if doing == "estimate" else {"report": job.report}
        return reembedding.Embedding(
            "" if at_rest else doing, model, job.running, job.stopping, job.now, message=job.message,
            built_in=built_in, **what,
        )  # fmt: skip

    def _banner(self, screen: Screen, model: str) -> str:
        """What stands on every tab; why a model cannot be used is said at the server where that is in sight."""
        seen, lang = self._looking.seen, screen.view.lang
        busy = self._jobs.embedding.about.endswith(f" {seen.wished}")
        wish = "" if self._asked_before or busy else seen.wished
        built = next((i.text for i in seen.indexes if i.current), "")
        amiss = "" if screen.models.shown else self._amiss(screen, model)
        return reembedding.wished(built, wish, lang) + amiss

    def _amiss(self, screen: Screen, model: str) -> str:
        return server.banner(self._looking.seen, self._used(model), screen.view.lang)

    def _pace(self, screen: Screen, model: str) -> float:
        """Seconds between two looks at what goes on behind the page."""
        going_on = self._opening.state == "loading" or self._jobs.running or self._looking.running
        return FAST if screen.models.shown or going_on or self._amiss(screen, model) else SLOW

    def _state(self, model: str) -> tuple[object, ...]:
        """What goes on behind the page; how far it is comes first, since that needs only its own panels."""
        pull, load, embed = self._jobs.pulling, self._jobs.loading, self._jobs.embedding
        jobs = (pull.running, pull.stopping, pull.names, pull.failed, load.state, self._jobs.ended)
        embedding = (embed.running, embed.stopping, embed.about, embed.report, embed.message)
        return (pull.now, embed.now), *jobs, embedding, self._opening.state, self._looking.seen, model

    def _used(self, model: str) -> Use:
        job = self._jobs.loading
        loading = (job.about, *job.waiting) if job.running else ()
        failed = job.about if job.message else ""
        return Use(model, self._looking.seen.embedder, loading, failed, job.message)

    def _look(self, model: str) -> None:
        self._looking.look(model)

    def _note(self, screen: Screen, words: str) -> Shown:
        screen.view = screen.view.noted(words)
        return {self._page.notice: states.notice(words, screen.view.lang)}
