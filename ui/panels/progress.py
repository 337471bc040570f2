"""How far a question has come: its stages, what each route brought so far, and what the model is doing now."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.trace import Trace, Working
from ui.panels import numbers
from ui.panels.attempts import route
from ui.panels.markup import esc
from ui.panels.reasons import told
from ui.panels.wanted import Wanted
from ui.texts import T, Texts

SEARCHING, JUDGING, GRADING, ANSWERING, CHECKING = "searching", "judging", "grading", "answering", "checking"
_AFTER = {"condensed": SEARCHING, "retrieved": SEARCHING, "rewritten": SEARCHING, "fused": SEARCHING}
_AFTER |= {"reranked": JUDGING, "confidence": JUDGING, "answered": ANSWERING, "verified": CHECKING}
_PURPOSES = {"answer": ANSWERING, "grade": GRADING, "verify": CHECKING}


@dataclass(frozen=True)
class Now:
    """What the model is doing: since when (seconds since 1970), and for how long when this is drawn."""

    working: Working
    since: float
    seconds: float


def stages(trace: Trace) -> tuple[str, ...]:
    """What a question goes through at its effort."""
    effort = Wanted.of(trace).effort
    grading = (GRADING,) if effort.grades else ()
    checking = (CHECKING,) if effort.verifies else ()
    return (SEARCHING, JUDGING, *grading, ANSWERING, *checking)


def stage(trace: Trace, now: Now | None = None) -> str:
    """The stage at work, from what the model does or else from the last step; searching before any."""
    known = stages(trace)
    found = _PURPOSES.get(now.working.purpose, SEARCHING) if now else _after(trace)
    return found if found in known else ANSWERING


def panel(trace: Trace, now: Now | None = None, lang: str = "en") -> str:
    """HTML of the stages, of the routes of the attempt under way, and of what the model is doing."""
    t = T(lang)
    known, at = stages(trace), stage(trace, now)
    attempt = max(1, trace.attempts)
    items = "".join(_stage(name, _state(trace, name, at, known), t) for name in known)
    found = trace.of_kind("retrieved", attempt)
    several = any(step.part for step in found)
    routes = "".join(route(step, t, several) for step in found)
    again = ""
    if attempt > 1:
        rewritten = trace.last("rewritten", attempt)
        why = told(rewritten.why, t) if rewritten else ""
        again = f'<p class="gb-why"><b>{t("attempt_n", n=attempt)}</b> {why}</p>'
    return (
        f'<div class="gb-progress" role="status" aria-live="polite"><ol class="gb-stages">{items}</ol>{again}'
        f'<div class="gb-routes">{routes}</div>{_so_far(trace, t)}{_model(trace, now, t) if now else ""}</div>'
    )


def _after(trace: Trace) -> str:
    if not trace.steps:
        return SEARCHING
    last = trace.steps[-1]
    if last.kind == "decided":
        return SEARCHING if last.decision == "rewrite" else ANSWERING
    return _AFTER.get(last.kind, SEARCHING)


def _state(trace: Trace, name: str, at: str, known: tuple[str, ...]) -> str:
    """done, now, waiting; or skipped, for grades that the question could do without."""
    if name == at:
        return "now"
    if known.index(name) > known.index(at):
        return "waiting"
    return "skipped" if name == GRADING and not any(s.calls for s in trace.of_kind("reranked")) else "done"


def _stage(name: str, state: str, t: Texts) -> str:
    current = ' aria-current="step"' if state == "now" else ""
    return f'<li class="gb-{state}"{current}>{t(name)}<span class="gb-sr"> ({t(state)})</span></li>'


def _so_far(trace: Trace, t: Texts) -> str:
    confidence = trace.last("confidence")
    if confidence is None:
        return ""
    shown = numbers.confidence(confidence.value, (confidence.decline_below, confidence.answer_at))
    return f'<p class="gb-why">{t("confidence")} <b>{shown}</b></p>'


def _model(trace: Trace, now: Now, t: Texts) -> str:
    working = now.working
    hint = f'<p class="gb-why">{t("loading_model_hint")}</p>' if working.state == "loading" else ""
    # the clock goes on in the browser (ui/clicks.js); read aloud, it would never end
    clock = (
        f'<span class="gb-clock" aria-hidden="true" data-since="{now.since:.1f}">{numbers.elapsed(now.seconds)}</span>'
    )
    return (
        f'<p class="gb-working"><span class="gb-spin" aria-hidden="true"></span>'
        f"<span>{_does(trace, working, t)}</span>{clock}</p>{hint}"
    )


def _does(trace: Trace, working: Working, t: Texts) -> str:
    model = esc(working.model)
    if working.state == "loading":
        return t("loading_model", model=model)
    if working.purpose != "answer":
        return f"{esc(t.name('doing', working.purpose))} · {model}"
    if working.state == "reading":
        sources = sum(1 for c in trace.candidates() if c.final_rank)
        return f"{t.count('reading_sources', sources)} · {model}"
    return f"{t('writing_answer')} · {model}"
