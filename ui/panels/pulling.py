"""A model being downloaded: how much of it is here, how fast, how long it takes, and how to go on."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.serving import PullProgress
from ui.panels import numbers
from ui.panels.markup import bar, said
from ui.panels.reasons import told
from ui.panels.server import SPIN, button
from ui.texts import T, Texts


@dataclass(frozen=True)
class Pulled:
    """The latest download: of which model (`name`, "" for none yet) and how far it is (`now`).

    `failed`: (model, why) of those that could not be downloaded. `waiting`: the models that follow.
    """

    name: str = ""
    running: bool = False
    stopping: bool = False
    now: PullProgress | None = None
    failed: tuple[tuple[str, str], ...] = ()
    waiting: tuple[str, ...] = ()


def panel(pulled: Pulled, lang: str = "en") -> str:
    """HTML of the latest download and of those that failed, "" when there is none."""
    t = T(lang)
    failed = "".join(_failed(name, why, t) for name, why in pulled.failed)
    if pulled.running:
        return _running(pulled, t) + failed
    return (_ended(pulled.name, pulled.now, t) if pulled.now else "") + failed


def _running(pulled: Pulled, t: Texts) -> str:
    now = pulled.now
    title, css, why = "pull_running", "", ""
    if pulled.stopping:
        title = "pull_stopping"
    elif now is None or not now.total:
        title = "pull_starting"
    elif now.stalled:
        title, css, why = "pull_stalled", " gb-job-stalled", f'<p class="gb-why">{told(now.why, t)}</p>'
    shown = "" if now is None or not now.total else bar(now.done, now.total)
    then = f'<p class="gb-why">{t("pull_then", names=_names(pulled.waiting, t))}</p>' if pulled.waiting else ""
    spin = "" if shown else SPIN
    return (
        f'<section class="gb-job{css}"><strong role="status">{spin}{t(title, name=said(pulled.name))}</strong>'
        f'<span class="gb-job-facts">{" · ".join(_facts(now, t))}</span>{shown}{why}{then}</section>'
    )


def _facts(now: PullProgress | None, t: Texts) -> list[str]:
    """Bytes, rate and time left, as far as they are known; what the server does after the last byte."""
    if now is None or not now.total:
        return []
    facts = [t("pull_bytes", done=numbers.size(now.done), total=numbers.size(now.total))]
    if now.done == now.total:
        return [*facts, t("pull_checking")]
    if now.rate:
        facts.append(t("pull_rate", n=numbers.size(round(now.rate))))
    if now.seconds_left is not None:
        facts.append(t("job_left", time=numbers.left(now.seconds_left)))
    return facts


def _failed(name: str, why: str, t: Texts) -> str:
    again = button("pull", name, t("pull_again"), "gb-button", name)
    return _end("gb-job-failed", t("pull_failed", name=said(name)), told(why, t), again + _dismiss(t))


def _ended(name: str, now: PullProgress, t: Texts) -> str:
    if now.state == "done":
        words = numbers.size(now.total) if now.total else ""
        return _end("gb-job-done", t("pull_done", name=said(name)), words, _dismiss(t))
    far = t("pull_bytes", done=numbers.size(now.done), total=numbers.size(now.total)) if now.total else ""
    words = f"{far} · {t('pull_stopped_hint')}" if far else t("pull_stopped_hint")
    resume = button("pull", name, t("pull_resume"), "gb-button", name)
    return _end("gb-job-stopped", t("pull_stopped", name=said(name)), words, resume + _dismiss(t))


def _dismiss(t: Texts) -> str:
    return button("dismiss_pull", "", t("dismiss"))


def _end(css: str, title: str, words: str, buttons: str) -> str:
    role = "alert" if css == "gb-job-failed" else "status"
    return (
        f'<section class="gb-job {css}" role="{role}"><strong>{title}</strong>'
        f'<p class="gb-why">{words}</p><p class="gb-buttons">{buttons}</p></section>'
    )


def _names(names: tuple[str, ...], t: Texts) -> str:
    return t("comma").join(said(name) for name in names)
