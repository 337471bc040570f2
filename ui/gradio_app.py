"""The app: one page in the browser, served by this computer to itself. Wiring and launching only.

The page is served first; the assistant with its models is opened behind it (`ui.background.Opening`).
"""

from __future__ import annotations

import os
import signal
import socket
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")  # read when gradio is imported

import gradio as gr

from ui import panels
from ui.actions import Actions
from ui.background import Adding, ModelJobs, Opening
from ui.guard import OwnPagesOnly
from ui.layout import Page, layout
from ui.looking import Looking
from ui.model_actions import ModelActions
from ui.texts import T
from ui.theme import theme
from ui.view import Door

HOST = "127.0.0.1"
FIRST_PORT, PORTS = 7860, 100
HERE = Path(__file__).parent

_FIRST = """() => {
  const kept = localStorage.getItem('glassbox-theme');
  if (kept) document.body.classList.toggle('dark', kept === 'dark');
  if (innerWidth > 900) document.querySelector('#gb-question textarea')?.focus({ preventScroll: true });
}"""
_OTHER_THEME = """() => {
  const dark = document.body.classList.toggle('dark');
  localStorage.setItem('glassbox-theme', dark ? 'dark' : 'light');
}"""
_DOWNLOAD = """(text, name) => {
  if (!text) return;
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}"""


def build(opening: Opening, adding: Adding | None = None, jobs: ModelJobs | None = None) -> gr.Blocks:
    """The page. It shows a loading state until the assistant is open."""
    t = T("en")
    blocks: gr.Blocks
    with gr.Blocks(title=t("app"), fill_width=True, analytics_enabled=False, delete_cache=(3600, 3600)) as blocks:
        page = layout(t)
        actions = Actions(opening, adding or Adding(), page)
        _wire_frame(blocks, page, actions)
        _wire_ask(page, actions)
        _wire_documents(page, actions)
        models = ModelActions(opening, Looking(opening), jobs or ModelJobs(), page, actions)
        _wire_models(blocks, page, models)
    blocks.queue(default_concurrency_limit=4)
    return blocks


def serve(
    open_assistant: Callable[[], Door], port: int | None = None, open_browser: bool = True, block: bool = True
) -> gr.Blocks:
    """The page, served on 127.0.0.1 until Ctrl-C (returned at once with `block` False).

    `open_assistant` is called in the background after the page is up. A taken port gives the next free one.
    """
    opening, adding, jobs = Opening(open_assistant), Adding(), ModelJobs()
    blocks = build(opening, adding, jobs)
    _, address, _ = blocks.launch(
        server_name=HOST,
        server_port=free_port(port or FIRST_PORT),
        inbrowser=False,
        share=False,
        quiet=True,
        prevent_thread_lock=True,
        show_error=False,
        footer_links=[],
        enable_monitoring=False,
        strict_cors=True,
        ssr_mode=False,
        allowed_paths=[],
        app_kwargs={"middleware": [(OwnPagesOnly, (), {})]},
        favicon_path=HERE / "favicon.svg",
        theme=theme(),
        css=panels.css() + (HERE / "gradio_app.css").read_text(encoding="utf-8"),
    )
    print(f"Glassbox is open at {address} (stop it with Ctrl-C).", flush=True)
    opening.start()
    if open_browser:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    if block:
        _until_stopped(blocks, opening, adding, jobs)
    return blocks


def free_port(wanted: int) -> int:
    """The wanted port, or the next one that nothing listens on; 0 (any) when all of them are taken."""
    for port in range(wanted, min(wanted + PORTS, 65536)):
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            if os.name == "posix":  # connections just closed do not count; on Windows this option would share the port
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, port))
            except OSError:
                continue
            return port
    return 0


def _until_stopped(blocks: gr.Blocks, opening: Opening, adding: Adding, jobs: ModelJobs) -> None:
    stop = threading.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: stop.set())
    while not stop.wait(1):  # Windows sees Ctrl-C only between waits
        pass
    print("Stopping …", flush=True)
    jobs.stop()
    adding.stop()
    adding.wait(10)
    jobs.wait(10)
    blocks.close(verbose=False)
    opening.close()


# ---------------------------------------------------------------- wiring


def _on(
    event: Callable[..., Any], fn: Callable[..., Any] | None, inputs: list[Any], outputs: list[Any], **more: Any
) -> Any:
    """One event, with nothing drawn over the page while it runs and no public endpoint."""
    return event(fn, inputs, outputs, show_progress="hidden", api_visibility="private", **more)


def _wire_frame(blocks: gr.Blocks, page: Page, actions: Actions) -> None:
    head, wanted = page.head, page.documents.wanted
    everything = [page.screen, page.timer, page.notice, *page.parts]
    _on(blocks.load, actions.loaded, [page.screen, wanted], everything)
    blocks.load(None, None, None, js=_FIRST)
    _on(page.timer.tick, actions.tick, [page.screen, wanted, head.model], everything, trigger_mode="once")
    _on(head.lang.input, actions.spoke, [page.screen, head.lang, wanted, head.model, page.ask.effort], everything)
    _on(head.model.focus, actions.models, [page.screen, head.model], [head.model])
    head.theme.click(None, None, None, js=_OTHER_THEME)
    _on(page.notice.click, actions.dismissed, [page.screen], [page.notice])


def _wire_ask(page: Page, actions: Actions) -> None:
    ask, model, effort = page.ask, page.head.model, page.ask.effort
    shown = [page.notice, ask.talk, ask.evidence, ask.send, ask.stop, ask.export]
    asking = [
        _on(event, actions.ask, [page.screen, ask.question, model, effort], [*shown, ask.question])
        for event in (ask.question.submit, ask.send.click)
    ]
    asking.append(_on(ask.talk.submit, actions.again, [page.screen, model, effort], shown))
    _on(ask.stop.click, actions.stop, [page.screen], shown, cancels=asking)
    _on(model.change, actions.writer, [model], [ask.efforts])
    _on(effort.change, actions.chose, [page.screen, effort], [ask.hint])
    _on(ask.fresh.click, actions.fresh, [page.screen], shown)
    for panel in (ask.talk, ask.evidence):
        _on(panel.click, actions.clicked, [page.screen], [*shown, page.tabs])
    exported = _on(ask.export.click, actions.export, [page.screen], [page.payload, page.filename])
    exported.then(None, [page.payload, page.filename], None, js=_DOWNLOAD)


def _wire_documents(page: Page, actions: Actions) -> None:
    part = page.documents
    job = [page.screen, page.notice, page.timer, part.job, part.halt]
    _on(part.upload.upload, actions.uploaded, [page.screen, part.upload], [*job, part.upload])
    for event in (part.add.click, part.folder.submit):
        _on(event, actions.added, [page.screen, part.folder], job)
    _on(part.halt.click, actions.halted, [page.screen], [part.job, part.halt])
    for event in (part.wanted.change, part.tab.select):
        _on(event, actions.filtered, [page.screen, part.wanted], [part.files])
    removed = [page.screen, page.notice, part.files, page.head.top]
    _on(part.files.click, actions.removed, [page.screen, part.wanted], removed)


def _wire_models(blocks: gr.Blocks, page: Page, models: ModelActions) -> None:
    part, model = page.models, page.head.model
    shown = [page.screen, page.notice, model, page.head.top, *part.parts]
    _on(blocks.load, models.loaded, [page.screen, model], shown)
    _on(part.timer.tick, models.tick, [page.screen, model, part.timer], shown, trigger_mode="once")
    _on(part.tab.select, models.shown, [page.screen, model], shown)
    for tab in (page.ask.tab, page.documents.tab):
        _on(tab.select, models.left, [page.screen, model], [part.banner])
    _on(page.head.lang.input, models.spoke, [page.screen, page.head.lang, model], [*shown, part.tab])
    _on(model.input, models.chose, [page.screen, model], shown)
    for panel in part.panels:
        # each click counts, also one that comes while another waits for the server
        _on(panel.click, models.clicked, [page.screen, model], [*shown, page.tabs], trigger_mode="multiple")
    for event in (part.pull.click, part.name.submit):
        _on(event, models.named, [page.screen, model, part.name], shown)
    _on(part.halt.click, models.halted, [page.screen, model], shown)
    _on(part.base_halt.click, models.base_halted, [page.screen, model], shown)
