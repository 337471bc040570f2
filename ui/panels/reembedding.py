"""The indexes of a knowledge base, one for each embedding model: what another one costs, its building, the switch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ui.panels import numbers
from ui.panels.markup import bar, esc, opening, said
from ui.panels.reasons import told
from ui.panels.server import SPIN, button
from ui.texts import T, Texts

if TYPE_CHECKING:
    from assistant.reembed import EmbedMoment, Estimate, Index, ReembedReport

BUILT_IN = "embedded:"


@dataclass(frozen=True)
class Embedding:
    """What goes on, or went on last, with another model for this base.

    `doing`: estimate, build or switch, "" for nothing yet; `model`: which one, as "provider:name"; `now`: how far;
    `estimate`, `report`: what came of it; `message`: the sentence of its error. `built_in`: the model that needs no
    server can be offered.
    """

    doing: str = ""
    model: str = ""
    running: bool = False
    stopping: bool = False
    now: EmbedMoment | None = None
    estimate: Estimate | None = None
    report: ReembedReport | None = None
    message: str = ""
    built_in: bool = False


def panel(indexes: Sequence[Index], embedding: Embedding, lang: str = "en") -> str:
    """HTML of the indexes, and of what goes on with another model; "" while nothing is known."""
    if not indexes and not embedding.doing:
        return ""
    t = T(lang)
    rows = "".join(_row(index, embedding, t) for index in indexes)
    offered = embedding.built_in and not embedding.running
    act = f"<p>{button('estimate', BUILT_IN, t('index_built_in'))}</p>" if offered else ""
    return (
        f'<section class="gb-index"><h3>{t("indexes")} <small>{t("indexes_hint")}</small></h3>'
        f'<table class="gb-model-table gb-index-table"><tbody>{rows}</tbody></table>{act}'
        f"{_doing(embedding, t)}</section>"
    )


def wished(built: str, wish: str, lang: str = "en") -> str:
    """HTML of the choice when the settings ask for another model than the base was built with.

    `wish`: it as "provider:name", "" for none, which gives "".
    """
    if not wish:
        return ""
    t = T(lang)
    why = t("wished_why", built=said(built), wished=said(_name(wish, t)))
    build = button("estimate_wished", wish, t("wished_build"), "gb-button")
    keep, later = button("keep_model", "", t("wished_keep")), button("later", "", t("wished_later"))
    return (
        f'<section class="gb-banner" role="status"><strong>{t("wished_title")}</strong><p>{why}</p>'
        f'<p class="gb-buttons">{build}{keep}{later}</p></section>'
    )


def _name(model: str, t: Texts) -> str:
    """The name without its provider; the built-in model has no other."""
    return model.partition(":")[2] or t("built_in_model")


def _row(index: Index, embedding: Embedding, t: Texts) -> str:
    chunks = t("index_chunks", done=numbers.count(index.there), n=numbers.count(index.chunks))
    return (
        f'<tr class="gb-model-row"><th scope="row">{said(index.text)} {_state(index, t)}</th>'
        f'<td class="gb-num">{chunks}</td><td class="gb-num">{numbers.size(index.bytes)}</td>'
        f'<td class="gb-act"><div class="gb-acts">{_acts(index, embedding, t)}</div></td></tr>'
    )


def _state(index: Index, t: Texts) -> str:
    name = "current" if index.current else "complete" if index.complete else "partial"
    css = {"current": "gb-flag", "complete": "gb-state gb-s-indexed", "partial": "gb-state gb-s-partly"}[name]
    return f'<span class="{css}">{t.name("index_state", name)}</span>'


def _acts(index: Index, embedding: Embedding, t: Texts) -> str:
    if index.current or embedding.running:
        return ""
    model, name = f"{index.provider}:{index.model}", esc(index.text)
    act, words = ("switch", "index_switch") if index.complete else ("build", "index_go_on")
    question = t("index_remove_confirm", name=said(index.text), size=numbers.size(index.bytes))
    return (
        f"{button(act, model, t(words), about=index.text)}"
        f'<details class="gb-confirm" data-open="index {esc(index.fingerprint)}">'
        f'<summary aria-label="{t("index_remove")}: {name}">{t("index_remove")}</summary><div><p>{question}</p>'
        f"{button('remove_index', index.fingerprint, t('index_remove_yes'), 'gb-danger')}"
        f'<button type="button" class="gb-link" data-keep="1">{t("index_remove_no")}</button></div></details>'
    )


def _doing(now: Embedding, t: Texts) -> str:
    if not now.doing:
        return ""
    if now.running:
        return _running(now, t)
    name = said(_name(now.model, t))
    if now.message:
        again = "" if now.doing == "estimate" else button(now.doing, now.model, t("pull_again"), "gb-button")
        return _part(t(f"{now.doing}_failed", name=name), told(now.message, t), again + _dismiss(t), "gb-job-failed")
    if now.estimate is not None:
        return _cost(now.estimate, now.model, t)
    return _done(now.report, now, name, t) if now.report is not None else ""


def _cost(cost: Estimate, model: str, t: Texts) -> str:
    """What it costs, and what works meanwhile."""
    title = t("estimate_title", name=said(_name(model, t)))
    cancel = button("dismiss_index", "", t("estimate_cancel"))
    if cost.there == cost.chunks:
        switch = button("switch", model, t("index_switch"), "gb-button")
        return _part(title, t("estimate_nothing"), switch + cancel)
    time = t("estimate_unknown") if cost.seconds is None else t("estimate_time", time=numbers.left(cost.seconds))
    facts = [t("estimate_cost", chunks=t.count("chunks_n", cost.chunks - cost.there), time=time)]
    if cost.there:
        facts.append(t("estimate_part", n=t.count("chunks_n", cost.there)))
    if cost.too_long:
        facts.append(t.count("estimate_too_long", cost.too_long, tokens=numbers.count(cost.max_tokens)))
    facts.append(t("estimate_room", size=numbers.size(cost.bytes)))
    body = f"<p>{' '.join(facts)}</p><p class='gb-why'>{t('estimate_meanwhile')}</p>"
    return _part(title, "", button("build", model, t("estimate_start"), "gb-button") + cancel, body=body)


def _running(now: Embedding, t: Texts) -> str:
    at = now.now if now.now is not None and now.now.total else None
    title = "doing_stopping" if now.stopping else f"doing_{now.doing}"
    facts = []
    if at is not None:
        facts.append(t("index_chunks", done=numbers.count(at.done), n=numbers.count(at.total)))
        if at.chunks_per_second:
            facts.append(t("job_rate", n=numbers.fixed(at.chunks_per_second, 1)))
        if at.seconds_left:
            facts.append(t("job_left", time=numbers.left(at.seconds_left)))
    shown = "" if at is None else bar(at.done, at.total)
    words = t(title, name=said(_name(now.model, t)))
    meanwhile = f'<p class="gb-why">{t("estimate_meanwhile")}</p>' if now.doing == "build" else ""
    return (
        f'<div class="gb-cost gb-building"><strong role="status">{"" if shown else SPIN}{words}</strong>'
        f'<span class="gb-job-facts">{" · ".join(facts)}</span>{shown}{meanwhile}</div>'
    )


def _done(report: ReembedReport, now: Embedding, name: str, t: Texts) -> str:
    if report.switched:
        return _part(t("switch_done", name=name), t("switch_done_hint"), _dismiss(t), "gb-job-done")
    again = button(now.doing, now.model, t("index_go_on"), "gb-button") + _dismiss(t)
    if report.cancelled:
        far = t("index_chunks", done=numbers.count(report.there), n=numbers.count(report.chunks))
        return _part(t("build_stopped", name=name), f"{far} · {t('build_stopped_hint')}", again, "gb-job-stopped")
    if report.complete:
        switch = button("switch", now.model, t("index_switch"), "gb-button")
        return _part(t("build_done", name=name), t("build_done_hint"), switch + _dismiss(t), "gb-job-done")
    title = t("build_failed", name=name)
    body = f'<p class="gb-why">{t("build_lacks")}</p>{_failed(report.failed, t)}'
    return _part(title, "", again, "gb-job-failed", body)


def _failed(sentences: Sequence[str], t: Texts) -> str:
    if not sentences:
        return ""
    items = "".join(f"<li>{told(s, t)}</li>" for s in sentences)
    return opening(t.count("without_vector_n", len(sentences)), f"<ul>{items}</ul>", "gb-quiet")


def _dismiss(t: Texts) -> str:
    return button("dismiss_index", "", t("dismiss"))


def _part(title: str, words: str, buttons: str, css: str = "", body: str = "") -> str:
    role = "alert" if css == "gb-job-failed" else "status"
    said_below = body or f'<p class="gb-why">{words}</p>'
    return (
        f'<div class="gb-cost {css}" role="{role}"><strong>{title}</strong>{said_below}'
        f'<p class="gb-buttons">{buttons}</p></div>'
    )
