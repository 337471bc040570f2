"""The indexes of a knowledge base, one for each embedding model: what another one costs, its building, the switch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ui.panels import numbers
from ui.panels.markup import bar, esc, said
from ui.panels.reasons import told
from ui.panels.server import SPIN, button
from ui.texts import T, Texts


@dataclass(frozen=True)
class Index:
    """One index. `key` tells it from the others; `model` for people. `done` of `chunks` have their vector."""

    key: str
    model: str
    dimension: int
    done: int
    chunks: int
    state: Literal["active", "complete", "partial", "building"]


@dataclass(frozen=True)
class Cost:
    """What an index of this model costs: so many chunks are still to be embedded, `done` are already.

    `seconds`: None while nothing is known of the model's speed. `why`: why it cannot be built, "" when it can.
    """

    model: str
    chunks: int = 0
    done: int = 0
    seconds: float | None = None
    why: str = ""


@dataclass(frozen=True)
class Building:
    """The latest building of an index: of which model, how far, and how it ended. `message`: of its error."""

    model: str = ""
    running: bool = False
    stopping: bool = False
    done: int = 0
    chunks: int = 0
    rate: float | None = None
    seconds_left: float | None = None
    ended: Literal["", "done", "stopped"] = ""
    message: str = ""


@dataclass(frozen=True)
class Indexes:
    """All of it. `built_in`: the model that needs no server may be offered."""

    indexes: tuple[Index, ...] = ()
    cost: Cost | None = None
    building: Building = Building()
    built_in: bool = False


def panel(now: Indexes, lang: str = "en") -> str:
    """HTML of the indexes, of what the chosen model would cost and of the building; "" while nothing is known."""
    t = T(lang)
    if not now.indexes and now.cost is None and not now.building.model:
        return ""
    rows = "".join(_row(i, now.building.running, t) for i in now.indexes)
    act = f"<p>{button('estimate', '', t('index_built_in'))}</p>" if now.built_in and now.cost is None else ""
    return (
        f'<section class="gb-index"><h3>{t("indexes")} <small>{t("indexes_hint")}</small></h3>'
        f'<table class="gb-model-table"><tbody>{rows}</tbody></table>{act}'
        f"{_cost(now.cost, t) if now.cost else ''}{_building(now.building, t)}</section>"
    )


def wished(built: str, wish: str, lang: str = "en") -> str:
    """HTML of the choice when the settings ask for another model than the base was built with; "" when they do not."""
    if not wish:
        return ""
    t = T(lang)
    keep = button("keep_model", "", t("wished_keep", built=built))
    return (
        f'<section class="gb-banner" role="status"><strong>{t("wished_title")}</strong>'
        f"<p>{t('wished_why', built=said(built), wished=said(wish))}</p>"
        f'<p class="gb-buttons">{button("estimate_wished", wish, t("wished_build"), "gb-button")}{keep}'
        f"{button('later', '', t('wished_later'))}</p></section>"
    )


def _row(index: Index, busy: bool, t: Texts) -> str:
    done, n = numbers.count(index.done), numbers.count(index.chunks)
    state = t.name("index_state", index.state)
    css = {"active": "gb-flag", "complete": "gb-state gb-s-indexed"}.get(index.state, "gb-state gb-s-partly")
    return (
        f'<tr class="gb-model-row"><th scope="row">{said(index.model)} <span class="{css}">{state}</span></th>'
        f'<td class="gb-num" data-label="{t("dimension")}">{numbers.count(index.dimension)}</td>'
        f'<td class="gb-num">{t("index_chunks", done=done, n=n)}</td>'
        f'<td class="gb-act"><div class="gb-acts">{_acts(index, busy, t)}</div></td></tr>'
    )


def _acts(index: Index, busy: bool, t: Texts) -> str:
    if index.state in ("active", "building"):
        return ""
    act = ""
    if index.state == "complete":
        act = button("switch", index.key, t("index_switch"), about=index.model)
    elif not busy:
        act = button("go_on", index.key, t("index_go_on"), about=index.model)
    question = t("index_remove_confirm", name=said(index.model))
    name = esc(index.model)
    return (
        f'{act}<details class="gb-confirm" data-open="index {esc(index.key)}">'
        f'<summary aria-label="{t("index_remove")}: {name}">{t("index_remove")}</summary><div><p>{question}</p>'
        f"{button('remove_index', index.key, t('index_remove_yes'), 'gb-danger')}"
        f'<button type="button" class="gb-link" data-keep="1">{t("index_remove_no")}</button></div></details>'
    )


def _cost(cost: Cost, t: Texts) -> str:
    cancel = button("no_estimate", "", t("estimate_cancel"))
    if cost.why:
        title = f"<strong>{t('estimate_failed', name=said(cost.model))}</strong>"
        words = f'<p class="gb-why">{told(cost.why, t)}</p>'
        return f'<div class="gb-cost gb-job-failed" role="alert">{title}{words}<p class="gb-buttons">{cancel}</p></div>'
    time = t("estimate_unknown")
    if cost.seconds is not None:
        time = t("estimate_time", time=numbers.left(cost.seconds))
    part = f" {t('estimate_part', n=t.count('chunks_n', cost.done))}" if cost.done else ""
    words = t("estimate_cost", chunks=t.count("chunks_n", cost.chunks), time=time)
    start = button("build", cost.model, t("estimate_start"), "gb-button")
    return (
        f'<div class="gb-cost" role="status"><strong>{t("estimate_title", name=said(cost.model))}</strong>'
        f'<p>{words}{part}</p><p class="gb-why">{t("estimate_meanwhile")}</p>'
        f'<p class="gb-buttons">{start}{cancel}</p></div>'
    )


def _building(now: Building, t: Texts) -> str:
    if not now.model:
        return ""
    if now.running:
        return _running(now, t)
    name, dismiss = said(now.model), button("dismiss_build", "", t("dismiss"))
    if now.message:
        again = button("build", now.model, t("index_go_on"), "gb-button")
        return _end("gb-job-failed", t("building_failed", name=name), told(now.message, t), again + dismiss)
    if now.ended == "done":
        words = t("building_done_hint")
        return _end("gb-job-done", t("building_done", name=name), words, dismiss)
    if now.ended == "stopped":
        again = button("build", now.model, t("index_go_on"), "gb-button")
        return _end("gb-job-stopped", t("building_stopped", name=name), t("building_stopped_hint"), again + dismiss)
    return ""


def _running(now: Building, t: Texts) -> str:
    title = "building" if now.chunks else "building_starting"
    title = "building_stopping" if now.stopping else title
    facts = [t("index_chunks", done=numbers.count(now.done), n=numbers.count(now.chunks))] if now.chunks else []
    if now.rate:
        facts.append(t("job_rate", n=numbers.fixed(now.rate, 1)))
    if now.seconds_left is not None:
        facts.append(t("job_left", time=numbers.left(now.seconds_left)))
    shown = bar(now.done, now.chunks) if now.chunks else ""
    return (
        f'<div class="gb-cost gb-building"><strong role="status">{"" if shown else SPIN}'
        f'{t(title, name=said(now.model))}</strong><span class="gb-job-facts">{" · ".join(facts)}</span>{shown}'
        f'<p class="gb-why">{t("estimate_meanwhile")}</p></div>'
    )


def _end(css: str, title: str, words: str, buttons: str) -> str:
    role = "alert" if css == "gb-job-failed" else "status"
    return (
        f'<div class="gb-cost {css}" role="{role}"><strong>{title}</strong>'
        f'<p class="gb-why">{words}</p><p class="gb-buttons">{buttons}</p></div>'
    )
