"""How far a question has come: searching → judging → answering, with what each route brought so far."""

from __future__ import annotations

from assistant.trace import Trace
from ui.panels import numbers
from ui.panels.attempts import route
from ui.panels.reasons import told
from ui.texts import T, Texts

STAGES = ("searching", "judging", "answering")
_AFTER = {"condensed": 0, "retrieved": 0, "rewritten": 0, "fused": 0, "reranked": 1, "confidence": 1, "answered": 2}


def stage(trace: Trace) -> str:
    """The stage at work, from the last step; searching before any."""
    if not trace.steps:
        return STAGES[0]
    last = trace.steps[-1]
    if last.kind == "decided":
        return STAGES[0 if last.decision == "rewrite" else 2]
    return STAGES[_AFTER.get(last.kind, 0)]


def panel(trace: Trace, lang: str = "en") -> str:
    """HTML of the stages and the routes of the attempt under way."""
    t = T(lang)
    now = STAGES.index(stage(trace))
    attempt = max(1, trace.attempts)
    items = "".join(_stage(i, name, now, t) for i, name in enumerate(STAGES))
    routes = "".join(route(step, t) for step in trace.of_kind("retrieved", attempt))
    again = ""
    if attempt > 1:
        rewritten = trace.last("rewritten", attempt)
        why = told(rewritten.why, t) if rewritten else ""
        again = f'<p class="gb-why"><b>{t("attempt_n", n=attempt)}</b> {why}</p>'
    return (
        f'<div class="gb-progress" role="status" aria-live="polite"><ol class="gb-stages">{items}</ol>{again}'
        f'<div class="gb-routes">{routes}</div>{_so_far(trace, t)}</div>'
    )


def _stage(i: int, name: str, now: int, t: Texts) -> str:
    state = "done" if i < now else "now" if i == now else "waiting"
    current = ' aria-current="step"' if state == "now" else ""
    return f'<li class="gb-{state}"{current}>{t(name)}<span class="gb-sr"> ({t(state)})</span></li>'


def _so_far(trace: Trace, t: Texts) -> str:
    confidence = trace.last("confidence")
    if confidence is None:
        return ""
    shown = numbers.confidence(confidence.value, (confidence.decline_below, confidence.answer_at))
    return f'<p class="gb-why">{t("confidence")} <b>{shown}</b></p>'
