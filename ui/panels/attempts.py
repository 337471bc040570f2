"""The attempts: what was searched, why it was changed, and what the change brought."""

from __future__ import annotations

from assistant.trace import Confidence, Decided, Retrieved, Rewritten, Trace
from ui.panels import numbers
from ui.panels.markup import bar, esc, said
from ui.panels.reasons import reason, told
from ui.texts import T, Texts


def panel(trace: Trace, shown: int | None = None, lang: str = "en") -> str:
    """HTML of the timeline; "" before the first search. `shown`: the attempt whose passages are on screen."""
    t = T(lang)
    if not trace.attempts:
        return ""
    items = "".join(_item(trace, n, n == shown, t) for n in range(1, trace.attempts + 1))
    return (
        f'<section class="gb-attempts" aria-label="{t("attempts")}"><h3>{t("attempts")}'
        f"<small>{t('took', seconds=numbers.seconds(trace.seconds))}</small></h3><ol>{items}</ol></section>"
    )


def _item(trace: Trace, n: int, shown: bool, t: Texts) -> str:
    rewritten: Rewritten | None = trace.last("rewritten", n)
    decided: Decided | None = trace.last("decided", n)
    best = trace.best_attempt == n and trace.attempts > 1
    how = said(t.name("rewriter", rewritten.rewriter)) if rewritten else t("first_search")
    why = f'<p class="gb-why">{told(rewritten.why, t)}</p>' if rewritten else ""
    outcome = _outcome(decided, t) if decided else ""
    flag = f'<span class="gb-flag">{t("stands_on_this")}</span>' if best else ""
    return (
        f'<li class="{"gb-best" if best else ""} {"gb-shown" if shown else ""}"><span class="gb-dotno">{n}</span>'
        f'<div class="gb-att"><div class="gb-att-head"><span class="gb-how">{how}</span>{flag}'
        f"{_confidence(trace, n, t)}</div>{_queries(trace, n, rewritten)}{why}{_changes(rewritten, t)}"
        f'<div class="gb-routes">{_routes(trace, n, t)}</div>{outcome}{_switch(trace, n, shown, t)}</div></li>'
    )


def _switch(trace: Trace, n: int, shown: bool, t: Texts) -> str:
    if trace.attempts < 2 or shown or not trace.candidates(n):
        return ""
    return f'<button type="button" class="gb-link" data-attempt="{n}">{t("show_attempt", n=n)}</button>'


def _confidence(trace: Trace, n: int, t: Texts) -> str:
    now: Confidence | None = trace.last("confidence", n)
    before: Confidence | None = trace.last("confidence", n - 1) if n > 1 else None
    if now is None:
        return ""
    bands = (now.decline_below, now.answer_at)
    number = numbers.confidence(now.value, bands)
    came = f"<small>{numbers.confidence(before.value, bands)} →</small> " if before else ""
    tip = numbers.tip("confidence", t)
    return f'<span class="gb-att-conf" title="{tip}">{came}<b>{number}</b>{bar(now.value, 1)}</span>'


def _queries(trace: Trace, n: int, rewritten: Rewritten | None) -> str:
    searched = rewritten.queries if rewritten else tuple(dict.fromkeys(r.query for r in trace.of_kind("retrieved", n)))
    if not searched:
        condensed = trace.last("condensed")
        searched = (condensed.standalone if condensed else trace.question,)
    return "".join(f'<p class="gb-query">{said(q)}</p>' for q in searched)


def _changes(rewritten: Rewritten | None, t: Texts) -> str:
    if rewritten is None or not rewritten.changes:
        return ""
    pairs = ", ".join(f"<code>{esc(k)} = {esc(v)}</code>" for k, v in rewritten.changes.items())
    return f'<p class="gb-changes">{t("changes")}{t("colon")}{pairs}</p>'


def _routes(trace: Trace, n: int, t: Texts) -> str:
    return "".join(route(step, t) for step in trace.of_kind("retrieved", n))


def route(step: Retrieved, t: Texts) -> str:
    """HTML of one route's state: its hits and time, or why it brought none."""
    name = said(t.name("route", step.route))
    part = f" <small>{t('part_n', n=step.part + 1)} ·</small>" if step.part else ""
    if step.state == "done":
        said_ = f"{t.count('hits', len(step.hits))} · {numbers.seconds(step.seconds)}"
        return f'<span class="gb-route">{name}{part} <small>{said_}</small></span>'
    why = reason(step.why, t.lang)
    return (
        f'<span class="gb-route gb-off" title="{esc(why)}">{name}{part} '
        f"<small>{numbers.NONE} {t(f'route_{step.state}')}{t('colon')}{said(why)}</small></span>"
    )


def _outcome(decided: Decided, t: Texts) -> str:
    word = t.name("decision", decided.decision)
    gain = f' <span class="gb-gain">{numbers.signed(decided.gain, 2)}</span>' if decided.gain is not None else ""
    return f'<p class="gb-outcome"><strong>{word}</strong>{gain} {told(decided.why, t)}</p>'
