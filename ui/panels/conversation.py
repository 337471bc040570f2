"""The conversation: questions and answers in order; a click on one brings its evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.trace import Trace
from ui.panels import answer, numbers, progress, states
from ui.panels.confidence import TONES
from ui.panels.markup import said
from ui.texts import T, Texts


@dataclass(frozen=True)
class Under:
    """What is known of the turn being worked on beside its steps: the text so far, its draft, and the model's doing."""

    partial: str = ""
    draft: int = 1
    now: progress.Now | None = None


def panel(turns: Sequence[Trace], selected: int | None = None, under: Under | None = None, lang: str = "en") -> str:
    """HTML of all turns; `under`: the last one is still being worked on. An invitation to ask when there is none."""
    t = T(lang)
    if not turns:
        return states.empty("ready", lang)
    *earlier, last = enumerate(turns)
    items = [_turn(i, trace, i == selected, False, t) for i, trace in earlier]
    i, trace = last
    newest = _turn(i, trace, i == selected, True, t) if under is None else _under(i, trace, i == selected, under, t)
    return f'<section class="gb-talk" aria-label="{t("conversation")}">{"".join(items)}{newest}</section>'


def _turn(i: int, trace: Trace, selected: bool, last: bool, t: Texts) -> str:
    body = answer.panel(trace, turn=i, lang=t.lang, last=last)
    return _article(i, trace, selected, f"{body}{_foot(i, trace, selected, t)}")


def _under(i: int, trace: Trace, selected: bool, under: Under, t: Texts) -> str:
    body = answer.panel(trace, under.partial, i, t.lang, under.draft)
    return _article(i, trace, selected, f"{progress.panel(trace, under.now, t.lang)}{body}")


def _article(i: int, trace: Trace, selected: bool, body: str) -> str:
    return (
        f'<article class="gb-turn {"gb-selected" if selected else ""}" data-turn="{i}">'
        f'<h3 class="gb-question" dir="auto">{said(trace.question)}</h3>{body}</article>'
    )


def _foot(i: int, trace: Trace, selected: bool, t: Texts) -> str:
    sure = ""
    if trace.confidence:
        bands = (trace.confidence.decline_below, trace.confidence.answer_at)
        shown = numbers.confidence(trace.confidence.value, bands)
        decided = trace.last("decided")
        tone = TONES.get(decided.decision, "") if decided else ""
        sure = f'<span class="gb-sure {tone}">{t("confidence")} <b>{shown}</b></span>'
    state = t("shown_now") if selected else t("show_evidence")
    pressed = "true" if selected else "false"
    return (
        f'<div class="gb-turn-foot">{sure}<span class="gb-took">{numbers.seconds(trace.seconds)}</span>'
        f'<button type="button" class="gb-link" data-select="{i}" aria-pressed="{pressed}">{state}</button></div>'
    )
