"""Where everything stands on the page; what it does is wired in ui/gradio_app.py."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gradio as gr

from assistant.settings import Answering, Loop
from ui.panels.effort import choices
from ui.texts import Texts
from ui.view import Steps, View

HERE = Path(__file__).parent


@dataclass
class ModelsTab:
    """What the models part of one page knows: whether its tab is shown, and what was drawn last.

    `ended`: which jobs had ended when the server was last looked at, and `asked`: for which chat model.
    """

    shown: bool = False
    seen: tuple[object, ...] = ()
    ended: tuple[int, ...] = ()
    asked: str = ""


@dataclass
class Screen:
    """What one open page shows now. Every event of the page gets this same object, also while a question runs.

    `steps`: those of the question under way, None before the first. `seen`: what went on behind the page when it was
    last drawn; of the models, in `models`.
    """

    view: View
    steps: Steps | None = None
    seen: tuple[object, ...] = ()
    models: ModelsTab = field(default_factory=ModelsTab)


@dataclass(frozen=True)
class Head:
    """The line at the top."""

    top: gr.HTML
    model: gr.Dropdown
    lang: gr.Radio
    theme: gr.Button


@dataclass(frozen=True)
class Ask:
    """The tab with the conversation and its evidence."""

    tab: gr.Tab
    talk: gr.HTML
    question: gr.Textbox
    send: gr.Button
    stop: gr.Button
    efforts: gr.Column
    effort: gr.Radio
    hint: gr.HTML
    fresh: gr.Button
    export: gr.Button
    evidence: gr.HTML


@dataclass(frozen=True)
class Documents:
    """The tab with the files."""

    tab: gr.Tab
    upload: gr.File
    limit: gr.HTML
    folder: gr.Textbox
    add: gr.Button
    job: gr.HTML
    halt: gr.Button
    wanted: gr.Textbox
    files: gr.HTML


@dataclass(frozen=True)
class Models:
    """The tab with the models, and what it says on every tab: `standing` and `banner`."""

    timer: gr.Timer
    standing: gr.HTML
    banner: gr.HTML
    tab: gr.Tab
    server: gr.HTML
    job: gr.HTML
    halt: gr.Button
    base: gr.HTML
    base_halt: gr.Button
    installed: gr.HTML
    advice: gr.HTML
    name: gr.Textbox
    pull: gr.Button

    @property
    def panels(self) -> list[gr.HTML]:
        """The parts with buttons of their own."""
        return [self.banner, self.server, self.job, self.base, self.installed, self.advice]

    @property
    def parts(self) -> list[Any]:
        """Every part but the tab's own words."""
        own = [self.timer, self.standing, self.halt, self.base_halt, self.name, self.pull]
        return [*own, *self.panels]


@dataclass(frozen=True)
class Page:
    """All parts. `screen` holds this page's Screen; `payload` and `filename` carry an export."""

    screen: gr.State
    timer: gr.Timer
    payload: gr.Textbox
    filename: gr.Textbox
    notice: gr.HTML
    tabs: gr.Tabs
    head: Head
    ask: Ask
    documents: Documents
    models: Models

    @property
    def parts(self) -> list[Any]:
        """Every part whose words change with the language."""
        a, d, h = self.ask, self.documents, self.head
        return [
            *(h.top, h.model, h.theme),
            *(a.tab, a.talk, a.question, a.send, a.stop, a.efforts, a.effort, a.hint, a.fresh, a.export, a.evidence),
            *(d.tab, d.upload, d.limit, d.folder, d.add, d.job, d.halt, d.wanted, d.files),
        ]


def layout(t: Texts) -> Page:
    """The page, made within an open gr.Blocks."""
    screen, timer = gr.State(Screen(View(lang=t.lang))), gr.Timer(0.5)
    head = _head(t)
    standing, banner = _panel("standing", clicks=False), _panel("banner")
    notice = _panel("notice")
    clock = gr.Timer(1.0)  # stands outside: within gr.Tabs it would count as a tab
    with gr.Tabs(elem_id="gb-tabs") as tabs:
        ask, documents, models = _ask(t), _documents(t), _models(t, clock, standing, banner)
    payload, filename = gr.Textbox("", visible="hidden"), gr.Textbox("", visible="hidden")
    return Page(screen, timer, payload, filename, notice, tabs, head, ask, documents, models)


def _panel(name: str, clicks: bool = True) -> gr.HTML:
    script = (HERE / "clicks.js").read_text(encoding="utf-8") if clicks else None
    return gr.HTML(
        "",
        elem_id=f"gb-{name}",
        elem_classes="gb-panel",
        js_on_load=script,
        apply_default_css=False,
    )


def _head(t: Texts) -> Head:
    with gr.Row(elem_id="gb-head"):
        top = _panel("top", clicks=False)
        model = gr.Dropdown(
            [(t("answer_quoted"), "")], value="", label=t("answer_by"), show_label=False, container=False,
            filterable=False, elem_id="gb-model",
        )  # fmt: skip
        lang = gr.Radio(
            [("English", "en"), ("中文", "zh")], value=t.lang, label="Language / 语言", show_label=False,
            container=False, elem_id="gb-lang",
        )  # fmt: skip
        theme = gr.Button(t("theme"), size="sm", elem_id="gb-theme")
    return Head(top, model, lang, theme)


def _ask(t: Texts) -> Ask:
    with gr.Tab(t("ask"), id="ask") as tab, gr.Row(elem_id="gb-columns"):
        with gr.Column(scale=4, min_width=320):
            talk = _panel("talk")
            with gr.Row(elem_id="gb-ask-line"):
                question = gr.Textbox(
                    "", label=t("question_box"), placeholder=t("question_box"), show_label=False, container=False,
                    lines=1, max_lines=6, scale=1, elem_id="gb-question",
                )  # fmt: skip
                send = gr.Button(t("send"), variant="primary", interactive=False, elem_id="gb-send")
                stop = gr.Button(t("stop"), variant="stop", visible=False, elem_id="gb-stop")
            with gr.Column(visible=False, elem_id="gb-efforts") as efforts:
                effort = gr.Radio(
                    choices(Loop().max_attempts, t), value=Answering().effort, label=t("effort"), show_label=False,
                    container=False, elem_id="gb-effort",
                )  # fmt: skip
                hint = _panel("effort-hint", clicks=False)
            with gr.Row(elem_id="gb-foot"):
                fresh = gr.Button(t("new_conversation"), size="sm")
                export = gr.Button(t("export"), size="sm", interactive=False, elem_id="gb-export")
        with gr.Column(scale=6, min_width=320):
            evidence = _panel("evidence")
    return Ask(tab, talk, question, send, stop, efforts, effort, hint, fresh, export, evidence)


def _documents(t: Texts) -> Documents:
    with gr.Tab(t("documents"), id="documents") as tab, gr.Column(elem_id="gb-docs"):
        upload = gr.File(label=t("drop_files"), file_count="multiple", height=140, elem_id="gb-upload")
        limit = _panel("limit", clicks=False)
        with gr.Row(elem_id="gb-folder-line"):
            folder = gr.Textbox("", label=t("folder"), placeholder=t("folder_hint"), show_label=False, container=False,
                                max_lines=1, scale=1, elem_id="gb-folder")  # fmt: skip
            add = gr.Button(t("add_folder"), variant="primary", elem_id="gb-add")
        job = _panel("job", clicks=False)
        halt = gr.Button(t("stop"), variant="stop", visible=False, elem_id="gb-halt")
        wanted = gr.Textbox("", label=t("filter"), placeholder=t("filter"), show_label=False, container=False,
                            elem_id="gb-filter")  # fmt: skip
        files = _panel("files")
    return Documents(tab, upload, limit, folder, add, job, halt, wanted, files)


def _models(t: Texts, timer: gr.Timer, standing: gr.HTML, banner: gr.HTML) -> Models:
    with gr.Tab(t("models"), id="models") as tab, gr.Column(elem_id="gb-models"):
        server, job = _panel("server"), _panel("pull-job")
        halt = gr.Button(t("stop"), variant="stop", visible=False, elem_id="gb-pull-halt")
        base = _panel("base")
        base_halt = gr.Button(t("stop"), variant="stop", visible=False, elem_id="gb-base-halt")
        installed, advice = _panel("installed"), _panel("advice")
        with gr.Row(elem_id="gb-pull-line"):
            name = gr.Textbox("", label=t("pull_name"), placeholder=t("pull_name_hint"), show_label=False,
                              container=False, max_lines=1, scale=1, elem_id="gb-pull-name")  # fmt: skip
            pull = gr.Button(t("pull"), elem_id="gb-pull")
    return Models(timer, standing, banner, tab, server, job, halt, base, base_halt, installed, advice, name, pull)
