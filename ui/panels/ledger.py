"""The score ledger: one card a passage, with every number that put it where it stands."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.trace import Candidate, Fused, Passage, Place, Reading, RouteScore, Trace
from ui.panels import numbers
from ui.panels.lit import citations, ranges
from ui.panels.marking import mark
from ui.panels.markup import esc, lang_of, opening, place, said, width
from ui.panels.origin import origin
from ui.panels.reasons import reason, told
from ui.texts import T, Texts

OPEN_CARDS = 3
HELPS = 2  # grades from here on say that the passage helps to answer


@dataclass(frozen=True)
class Scale:
    """What bars are drawn against: the best raw score of each route and the best fused score of the attempt."""

    raw: dict[tuple[str, int], float]
    fused: float

    @classmethod
    def of(cls, candidates: tuple[Candidate, ...]) -> Scale:
        raw: dict[tuple[str, int], float] = {}
        for line in (r for c in candidates for r in c.routes if r.raw.value is not None):
            key = (line.route, line.part)
            raw[key] = max(raw.get(key, 0.0), line.raw.value or 0.0)
        return cls(raw, max((c.fused.value or 0.0 for c in candidates), default=0.0))


def panel(trace: Trace, attempt: int | None = None, lang: str = "en") -> str:
    """HTML of one attempt's candidates (default: the one the answer stands on), best first, the dropped ones below."""
    t = T(lang)
    shown = attempt or trace.best_attempt
    fused: Fused | None = trace.last("fused", shown)
    candidates = trace.candidates(shown) or (fused.candidates if fused else ())
    if not fused:
        return ""
    if not candidates:
        return (
            f'<section class="gb-ledger"><div class="gb-empty"><strong>{t("nothing_found")}</strong>'
            f"<p>{t('nothing_found_hint')}</p></div></section>"
        )
    scale = Scale.of(candidates)
    going_on = [c for c in candidates if c.dropped is None]
    cards = "".join(card(trace, c, shown, scale, i < OPEN_CARDS, lang) for i, c in enumerate(going_on))
    title = t("passages") if trace.attempts < 2 else t("passages_of", n=shown)
    return (
        f'<section class="gb-ledger" aria-label="{t("passages")}"><h3>{title}{_method(fused, t)}</h3>'
        f"{cards}{_dropped(trace, candidates, t)}"
        f"{opening(t('legend'), _legend(fused, t), 'gb-quiet')}</section>"
    )


def _method(fused: Fused, t: Texts) -> str:
    weights = " · ".join(f"{esc(t.name('route', r))} {numbers.fixed(w, 2)}" for r, w in fused.weights.items())
    how = t("fused_by", method=esc(t.name("method", fused.method)))
    return f'<small title="{esc(reason(fused.weights_why, t.lang))}">{how} · {weights}</small>'


def _legend(fused: Fused, t: Texts) -> str:
    total = ("normalised", "share", "fused") if fused.rrf_k is None else ("share", "rrf")
    return numbers.legend(("rank", "cosine", "bm25", *total, "rerank", "weight", "idf"), t)


def card(trace: Trace, c: Candidate, attempt: int, scale: Scale, opened: bool, lang: str = "en") -> str:
    """HTML of one candidate's card; the cited ones and the first few are open."""
    t = T(lang)
    passage = trace.passage(c.chunk_id)
    fused: Fused = trace.last("fused", attempt)
    cited = citations(trace, c)
    chips = "".join(f'<span class="gb-chip gb-still">{n.number}</span>' for n in cited)
    where = place(passage.document, passage.heading, passage.pages, t) if passage else said(c.chunk_id)
    css = "gb-cited" if cited else ""
    also = " ".join(esc(p.chunk_id) for p in c.also_in)
    state = " open" if opened or cited else ""
    numbers_ = f"{_path(c, fused, t)}{_parts(c, fused, t)}{_scores(c, fused, scale, t)}"
    body = f"{numbers_}{_text(trace, c, passage, t)}{_also(c.also_in, t)}"
    return (
        f'<article class="gb-card {css}" data-card="{esc(c.chunk_id)}" data-also="{also}" tabindex="-1">'
        f"<details{state}><summary>"
        f'<span class="gb-rank" title="{numbers.tip("rank", t)}">{c.final_rank or c.fused_rank}</span>'
        f'<span class="gb-where">{where}</span>{chips}{_grade(c.rerank, t)}{_headline(c, fused, scale, t)}</summary>'
        f'<div class="gb-body">{body}'
        f"{opening(t('how_score'), origin(trace, c, attempt, lang), 'gb-how-score')}</div></details></article>"
    )


def kind_of_fused(fused: Fused) -> str:
    """Which number the fused score is: "rrf" is no percentage and has its own format."""
    return "rrf" if fused.rrf_k is not None else "fused"


def _headline(c: Candidate, fused: Fused, scale: Scale, t: Texts) -> str:
    kind = kind_of_fused(fused)
    whole = scale.fused if fused.rrf_k is not None else max(1.0, scale.fused)
    parts = "".join(
        f'<i class="gb-r{i}" style="width:{width(r.share, whole)}"></i>' for i, r in enumerate(_lines(c, fused))
    )
    return (
        f'<span class="gb-fused" title="{numbers.tip(kind, t)}">'
        f'<span class="gb-bar gb-stack" aria-hidden="true">{parts}'
        f"</span><small>{t('fused')}</small> {numbers.reading(c.fused, t, kind)}</span>"
    )


def _lines(c: Candidate, fused: Fused) -> list[RouteScore]:
    """The routes in the order of the weights, so that one colour is one route in all cards."""
    order = {name: i for i, name in enumerate(fused.weights)}
    return sorted(c.routes, key=lambda r: (order.get(r.route, len(order)), r.part))


def _path(c: Candidate, fused: Fused, t: Texts) -> str:
    """Rank after each stage, and by how much each moved the passage."""
    lines = _lines(c, fused)
    found = " · ".join(
        f"{_route_name(r, fused, t)} {_place(r.rank)}{numbers.movement(r.rank, c.fused_rank, t)}" for r in lines
    )
    stages = [f"<span>{found}</span>", f"<span>{t('fused')} {_place(c.fused_rank)}</span>"]
    if c.rerank.state == "value":
        moved = numbers.movement(c.fused_rank, c.rerank_rank, t)
        stages.append(f"<span>{_rerank_name(c.rerank, t)} {_place(c.rerank_rank)}{moved}</span>")
    else:
        stages.append(f"<span>{_rerank_name(c.rerank, t)} {numbers.reading(c.rerank, t)}</span>")
    last = numbers.movement(c.rerank_rank or c.fused_rank, c.final_rank, t)
    stages.append(f"<span><b>{t('final')} {_place(c.final_rank)}</b>{last}</span>")
    arrow = '<span class="gb-arrow" aria-hidden="true">→</span>'
    return f'<div class="gb-path">{arrow.join(stages)}</div>'


def _place(rank: int | None) -> str:
    return f"#{rank}" if rank else numbers.NONE


def _scores(c: Candidate, fused: Fused, scale: Scale, t: Texts) -> str:
    kind = kind_of_fused(fused)
    lines = _lines(c, fused)
    digits = numbers.NUMBERS[kind].digits
    shares = numbers.adding_up([r.share for r in lines], c.fused.value or 0.0, digits)
    rows = "".join(
        _score(i, r, share, digits, scale, _route_name(r, fused, t), t)
        for i, (r, share) in enumerate(zip(lines, shares, strict=True))
    )
    reranked = _reranked(c, t)
    heads = "".join(
        f'<th scope="col" class="gb-num" title="{numbers.tip(tip, t)}">{t(word)}</th>'
        for word, tip in (("rank", "rank"), ("raw", ""), ("normalised", "normalised"), ("share", "share"))
    )
    return (
        f'<table class="gb-scores"><thead><tr><th scope="col">{t("route")}</th><th aria-hidden="true"></th>{heads}</tr>'
        f'</thead><tbody>{rows}</tbody><tbody class="gb-total"><tr><th scope="row">{t("fused")}</th><td></td>'
        f'<td class="gb-num">{_rank(c.fused_rank)}</td><td></td><td></td>'
        f'<td class="gb-num" title="{numbers.tip(kind, t)}">{numbers.reading(c.fused, t, kind)}</td></tr>{reranked}'
        "</tbody></table>"
    )


def _reranked(c: Candidate, t: Texts) -> str:
    if c.rerank.value is None:
        why = f"{numbers.reading(c.rerank, t)} {numbers.reason(c.rerank, t)}"
        name = _rerank_name(c.rerank, t)
        return f'<tr><th scope="row">{name}</th><td class="gb-off-line" colspan="5">{why}</td></tr>'
    kind = numbers.kind_of_rerank(c.rerank)
    return (
        f'<tr><th scope="row">{_rerank_name(c.rerank, t)}</th><td></td><td class="gb-num">{_rank(c.rerank_rank)}</td>'
        f'<td class="gb-num" title="{numbers.tip(kind, t)}">{numbers.reading(c.rerank, t, kind)} '
        f'<small class="gb-unit">{esc(t.name("unit", c.rerank.unit))}</small></td><td></td><td></td></tr>'
    )


def _rerank_name(r: Reading, t: Texts) -> str:
    return t(numbers.kind_of_rerank(r))


def _grade(r: Reading, t: Texts) -> str:
    """What a model thinks of the passage; no grade at all is no tag, its reason stands in the table."""
    if numbers.kind_of_rerank(r) != "grade" or r.value is None:
        return ""
    tone = "gb-in" if r.value >= HELPS else "gb-plain"
    return (
        f'<span class="gb-tag {tone}" title="{numbers.tip("grade", t)}">'
        f"{t('grade_of', n=numbers.number('grade', r.value), most=numbers.MOST_GRADE)}</span>"
    )


def _rank(rank: int | None) -> str:
    return f"#{rank}" if rank else f'<span class="gb-none">{numbers.NONE}</span>'


def _route_name(r: RouteScore, fused: Fused, t: Texts) -> str:
    """The route, and the sub-question it searched for where there were several."""
    part = f" <small>{t('part_n', n=r.part + 1)}</small>" if len(fused.parts) > 1 else ""
    return f"{said(t.name('route', r.route))}{part}"


def _parts(c: Candidate, fused: Fused, t: Texts) -> str:
    """Which sub-questions found the passage; "" when the question was not split."""
    found = sorted({r.part for r in c.routes if r.rank and r.part < len(fused.parts)})
    if len(fused.parts) < 2 or not found:
        return ""
    items = " ".join(f"<span><b>{n + 1}</b> {said(fused.parts[n])}</span>" for n in found)
    return f'<p class="gb-parts"><span class="gb-label">{t("found_by_parts")}</span> {items}</p>'


def _score(index: int, r: RouteScore, share: float, digits: int, scale: Scale, name: str, t: Texts) -> str:
    drawn = width(r.raw.value or 0.0, scale.raw.get((r.route, r.part), 0.0))
    unit = esc(t.name("unit", r.raw.unit)) if r.raw.unit and r.raw.value is not None else ""
    # a route that did not find the chunk adds nothing, which is not a score of 0
    shown = numbers.fixed(share, digits) if r.rank else numbers.reading(r.raw, t)
    return (
        f'<tr><th scope="row"><i class="gb-key gb-r{index}" aria-hidden="true"></i>'
        f"{name}</th>"
        f'<td><span class="gb-bar gb-r{index}" aria-hidden="true"><i style="width:{drawn}"></i></span></td>'
        f'<td class="gb-num">{_rank(r.rank)}</td>'
        f'<td class="gb-num" title="{numbers.tip(r.raw.unit, t)}">{numbers.reading(r.raw, t)} '
        f'<small class="gb-unit">{unit}</small>{numbers.reason(r.raw, t)}</td>'
        f'<td class="gb-num">{numbers.reading(r.normalised, t, "normalised" if digits == 3 else "rrf")}</td>'
        f'<td class="gb-num">{shown}</td></tr>'
    )


def _text(trace: Trace, c: Candidate, passage: Passage | None, t: Texts) -> str:
    if passage is None:
        return ""
    lit = ranges(trace, c, passage)
    context = ""
    if passage.context:
        context = f'<div class="gb-context" title="{t("repeated_header")}">{mark(passage.context, c.present)}</div>'
    css = "gb-mono" if passage.kind in {"code", "table"} else ""
    return (
        f'<blockquote class="gb-text {css}" dir="auto"{lang_of(passage.language)}>{context}'
        f"{mark(passage.text, c.present, lit)}</blockquote>{_terms(c, t)}"
    )


def _terms(c: Candidate, t: Texts) -> str:
    if not c.present and not c.absent:
        return ""
    present = "".join(f'<span class="gb-tag gb-in">{said(x)}</span>' for x in c.present)
    absent = "".join(f'<span class="gb-tag gb-out">{said(x)}</span>' for x in c.absent)
    shown = f'<span class="gb-label">{t("terms_present")}</span>{present or numbers.NONE}'
    missing = f'<span class="gb-label">{t("terms_absent")}</span>{absent}' if absent else ""
    return f'<div class="gb-terms">{shown}{missing}</div>'


def _also(places: tuple[Place, ...], t: Texts) -> str:
    if not places:
        return ""
    where = t("semicolon").join(place(p.document, p.heading, p.pages, t) for p in places)
    return f'<p class="gb-also"><span class="gb-label">{t("also_in")}</span> {where}</p>'


def _dropped(trace: Trace, candidates: tuple[Candidate, ...], t: Texts) -> str:
    dropped = [c for c in candidates if c.dropped is not None]
    if not dropped:
        return ""
    rows = "".join(_dropped_row(trace, c, t) for c in dropped)
    return opening(t.count("dropped_n", len(dropped)), f'<ol class="gb-dropped">{rows}</ol>', "gb-quiet")


def _dropped_row(trace: Trace, c: Candidate, t: Texts) -> str:
    passage = trace.passage(c.chunk_id)
    fused: Fused | None = trace.last("fused")
    kind = kind_of_fused(fused) if fused else "fused"
    where = place(passage.document, passage.heading, passage.pages, t) if passage else said(c.chunk_id)
    ranks = " · ".join(f"{_route_name(r, fused, t) if fused else said(r.route)} {_place(r.rank)}" for r in c.routes)
    start = f"<p>{esc(passage.text[:140])}</p>" if passage else ""
    why = told(c.dropped.why, t) if c.dropped else ""
    return (
        f'<li data-card="{esc(c.chunk_id)}" tabindex="-1"><span class="gb-rank">{c.fused_rank}</span>'
        f'<div><span class="gb-where">{where}</span><p class="gb-why">{why}</p>{start}</div>'
        f'<span class="gb-dropped-n">{ranks} · {t("fused")} {numbers.reading(c.fused, t, kind)}</span></li>'
    )
