"""The conversation: questions and answers in order; a click on one brings its evidence."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.trace import Trace
from ui.panels import answer, numbers, progress, states
from ui.panels.confidence import TONES
from ui.panels.markup import said
from ui.texts import T, Texts


def panel(
    turns: Sequence[Trace], selected: int | None = None, busy: bool = False, partial: str = "", lang: str = "en"
) -> str:
    """HTML of all turns; `busy`: the last one is still being worked on. An invitation to ask when there is none."""
    t = T(lang)
    if not turns:
        return states.empty("ready", lang)
    items = "".join(
        _turn(i, trace, i == selected, busy and i == len(turns) - 1, partial, t) for i, trace in enumerate(turns)
    )
    return f'<section class="gb-talk" aria-label="{t("conversation")}">{items}</section>'


def _turn(i: int, trace: Trace, selected: bool, busy: bool, partial: str, t: Texts) -> str:
    body = answer.panel(trace, partial if busy else "", i, t.lang)
    working = progress.panel(trace, t.lang) if busy else ""
    foot = "" if busy else _foot(i, trace, selected, t)
    return (
        f'<article class="gb-turn {"gb-selected" if selected else ""}" data-turn="{i}">'
        f'<h3 class="gb-question" dir="auto">{said(trace.question)}</h3>{working}{body}{foot}</article>'
    )


def _foot(i: int, trace: Trace, selected: bool, t: Texts) -> str:
    sure = ""
    if trace.confidence:
        bands = (trace.confidence.decline_below, trace.confidence.answer_at)
        shown = numbers.confidence(trace.confidence.value, bands)
        tone = TONES.get(trace.decision, "")
        sure = f'<span class="gb-sure {tone}">{t("confidence")} <b>{shown}</b></span>'
    state = t("shown_now") if selected else t("show_evidence")
    pressed = "true" if selected else "false"
    return (
        f'<div class="gb-turn-foot">{sure}<span class="gb-took">{numbers.seconds(trace.seconds)}</span>'
        f'<button type="button" class="gb-link" data-select="{i}" aria-pressed="{pressed}">{state}</button></div>'
    )
