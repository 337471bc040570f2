"""The attempts: what was searched, why it was changed, and what the change brought."""

from __future__ import annotations

from assistant.trace import Confidence, Decided, ModelCall, Retrieved, Rewritten, Trace
from ui.panels import calls, numbers
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
    why = f'<p class="gb-why">{_because(rewritten, t)}{told(rewritten.why, t)}</p>' if rewritten else ""
    outcome = _outcome(decided, t) if decided else ""
    flag = f'<span class="gb-flag">{t("stands_on_this")}</span>' if best else ""
    return (
        f'<li class="{"gb-best" if best else ""} {"gb-shown" if shown else ""}"><span class="gb-dotno">{n}</span>'
        f'<div class="gb-att"><div class="gb-att-head"><span class="gb-how">{how}</span>{flag}'
        f"{_confidence(trace, n, t)}</div>{why}{_queries(trace, n, rewritten, t)}"
        f"{_changes(rewritten, t)}{_judged_by(rewritten, t)}{_routes(trace, n, t)}{outcome}"
        f"{_calls(trace, n, rewritten, decided, t)}{_switch(trace, n, shown, t)}</div></li>"
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


def _because(rewritten: Rewritten, t: Texts) -> str:
    """Why the attempt before failed; what is done about it is the sentence behind it."""
    if not rewritten.reason:
        return ""
    word = t.name("reason", rewritten.reason)
    return f'<span class="gb-tag gb-plain">{told(word, t)}</span> '


def _queries(trace: Trace, n: int, rewritten: Rewritten | None, t: Texts) -> str:
    """What was searched for; of several sub-questions each has its number."""
    searched = rewritten.queries if rewritten else tuple(dict.fromkeys(r.query for r in trace.of_kind("retrieved", n)))
    if not searched:
        condensed = trace.last("condensed")
        searched = (condensed.standalone if condensed else trace.question,)
    invented = _imagined(rewritten.imagined, t) if rewritten and rewritten.imagined else ""
    if len(searched) == 1:
        return f'<p class="gb-query">{said(searched[0])}</p>{invented}'
    items = "".join(_sub_question(trace, n, part, query, t) for part, query in enumerate(searched))
    return f'<ol class="gb-sub">{items}</ol>{invented}'


def _sub_question(trace: Trace, n: int, part: int, query: str, t: Texts) -> str:
    routes = "".join(route(step, t) for step in trace.of_kind("retrieved", n) if step.part == part)
    return f'<li><span class="gb-query">{said(query)}</span><div class="gb-routes">{routes}</div></li>'


def _imagined(text: str, t: Texts) -> str:
    return (
        f'<div class="gb-imagined"><span class="gb-tag gb-unsupported-tag">{t("imagined")}</span>'
        f'<p class="gb-why">{t("imagined_why")}</p><p dir="auto">{said(text)}</p></div>'
    )


def _judged_by(rewritten: Rewritten | None, t: Texts) -> str:
    by_queries = rewritten is not None and rewritten.judged_by == "queries"
    return f'<p class="gb-why">{t("judged_by_queries")}</p>' if by_queries else ""


def _calls(trace: Trace, n: int, rewritten: Rewritten | None, decided: Decided | None, t: Texts) -> str:
    """The requests to a model in this attempt: for its queries, for grades, and those that brought nothing."""
    made: list[ModelCall | None] = [rewritten.call if rewritten else None]
    made += [c for step in trace.of_kind("reranked", n) for c in step.calls]
    nothing = [*(rewritten.discarded if rewritten else ()), *(decided.calls if decided else ())]
    shown = calls.panel(made, t) + calls.panel(nothing, t, discarded=True)
    return f'<div class="gb-calls">{shown}</div>' if shown else ""


def _changes(rewritten: Rewritten | None, t: Texts) -> str:
    if rewritten is None or not rewritten.changes:
        return ""
    pairs = ", ".join(f"<code>{esc(k)} = {esc(v)}</code>" for k, v in rewritten.changes.items())
    return f'<p class="gb-changes">{t("changes")}{t("colon")}{pairs}</p>'


def _routes(trace: Trace, n: int, t: Texts) -> str:
    """What each route brought; of several sub-questions each has its own routes beside it."""
    found = trace.of_kind("retrieved", n)
    if any(step.part for step in found):
        return ""
    return f'<div class="gb-routes">{"".join(route(step, t) for step in found)}</div>'


def route(step: Retrieved, t: Texts, several: bool = False) -> str:
    """HTML of one route's state: its hits and time, or why it brought none; of `several` sub-questions with its own."""
    name = said(t.name("route", step.route))
    if several:
        name = f"<small>{t('part_n', n=step.part + 1)}</small> {name}"
    if step.state == "done":
        said_ = f"{t.count('hits', len(step.hits))} · {numbers.seconds(step.seconds)}"
        return f'<span class="gb-route">{name} <small>{said_}</small></span>'
    why = reason(step.why, t.lang)
    return (
        f'<span class="gb-route gb-off" title="{esc(why)}">{name} '
        f"<small>{numbers.NONE} {t(f'route_{step.state}')}{t('colon')}{said(why)}</small></span>"
    )


def _outcome(decided: Decided, t: Texts) -> str:
    word = t.name("decision", decided.decision)
    gain = f' <span class="gb-gain">{numbers.signed(decided.gain, 2)}</span>' if decided.gain is not None else ""
    return f'<p class="gb-outcome"><strong>{word}</strong>{gain} {told(decided.why, t)}</p>'
