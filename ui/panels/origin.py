"""How one passage's score came about: its own numbers, from terms and cosine through fusion to the final order."""

from __future__ import annotations

from assistant.trace import Candidate, Fused, Hit, Reranked, Retrieved, RouteScore, Trace
from ui.panels import numbers
from ui.panels.markup import bar, esc, said
from ui.panels.reasons import told
from ui.texts import T, Texts


def origin(trace: Trace, c: Candidate, attempt: int, lang: str = "en") -> str:
    """HTML of the formulas with this candidate's numbers."""
    t = T(lang)
    fused: Fused = trace.last("fused", attempt)
    retrieved = {(s.route, s.part): s for s in trace.of_kind("retrieved", attempt)}
    routes = "".join(_route(r, retrieved.get((r.route, r.part)), c, _part(r, fused, t), t) for r in c.routes)
    return f'<div class="gb-origin">{routes}{_fusion(c, fused, t)}{_order(c, trace.last("reranked", attempt), t)}</div>'


def _route(r: RouteScore, step: Retrieved | None, c: Candidate, part: str, t: Texts) -> str:
    hit = next((h for h in step.hits if h.chunk_id == c.chunk_id), None) if step else None
    if step is None or hit is None:
        why = r.raw.why or (step.why if step else "") or t("not_found_by")
        return f"<h4>{said(t.name('route', r.route))}{part}</h4><p>{numbers.NONE} {told(why, t)}</p>"
    draw = _terms if hit.matches else _similarity
    return draw(hit, step, part, t)


def _terms(hit: Hit, step: Retrieved, part: str, t: Texts) -> str:
    digits = numbers.NUMBERS["bm25"].digits
    known = {term.text: term for term in step.terms}
    shares = numbers.adding_up([m.share for m in hit.matches], hit.score, digits)
    best = max((m.share for m in hit.matches), default=0.0)
    rows = ""
    for match, share in zip(hit.matches, shares, strict=True):
        term = known.get(match.term)
        rows += (
            f'<tr><th scope="row">{said(match.term)}</th><td class="gb-num">{match.frequency}</td>'
            f'<td class="gb-num">{numbers.count(term.document_frequency) if term else numbers.NONE}</td>'
            f'<td class="gb-num">{numbers.number("idf", term.idf) if term else numbers.NONE}</td>'
            f'<td class="gb-num">{numbers.fixed(share, digits)}</td><td>{bar(match.share, best)}</td></tr>'
        )
    heads = "".join(
        f'<th scope="col" class="gb-num" title="{numbers.tip(tip, t)}">{t(word)}</th>'
        for word, tip in (("times", ""), ("in_chunks", ""), ("idf", "idf"), ("share", ""))
    )
    length = ""
    if hit.length is not None and step.average_length is not None:
        words = t("length_note", length=hit.length, average=numbers.fixed(step.average_length, 1))
        length = f"<p>{words}</p>"
    return (
        f'<h4>{t("how_text")}{part}</h4><div class="gb-scroll"><table><thead><tr><th scope="col">{t("term")}</th>'
        f"{heads}"
        f'<th aria-hidden="true"></th></tr></thead><tbody>{rows}</tbody>'
        f'<tfoot><tr><th scope="row">BM25</th><td></td><td></td><td></td>'
        f'<td class="gb-num">= {numbers.fixed(hit.score, digits)}</td><td></td></tr></tfoot></table></div>{length}'
    )


def _similarity(hit: Hit, step: Retrieved, part: str, t: Texts) -> str:
    title = f"{t('how_vector') if step.unit == 'cosine' else said(t.name('route', step.route))}{part}"
    note = ""
    if step.background:
        note = t(
            "background",
            n=numbers.count(step.background.chunks),
            mean=numbers.number("cosine", step.background.mean),
            deviation=numbers.number("cosine", step.background.deviation),
        )
    unit = esc(t.name("unit", step.unit))
    return f"<h4>{title}</h4><p><code>{unit} = {numbers.number(step.unit, hit.score)}</code> {note}</p>"


def _part(r: RouteScore, fused: Fused, t: Texts) -> str:
    """The sub-question that was searched for, where there were several."""
    if len(fused.parts) < 2 or r.part >= len(fused.parts):
        return ""
    return f" · {t('part_n', n=r.part + 1)} <small>{said(fused.parts[r.part])}</small>"


def _fusion(c: Candidate, fused: Fused, t: Texts) -> str:
    if c.fused.value is None:
        return f"<h4>{t('how_fused')}</h4><p>{numbers.NONE} {told(c.fused.why, t)}</p>"
    reciprocal = fused.rrf_k is not None
    digits = numbers.NUMBERS["rrf" if reciprocal else "fused"].digits
    found = [r for r in c.routes if r.rank]
    shares = numbers.adding_up([r.share for r in found], c.fused.value, digits)
    lines = "".join(
        f"<code>{_share(r, fused.rrf_k, len(fused.parts) > 1, t)} = {numbers.fixed(share, digits)}</code>"
        for r, share in zip(found, shares, strict=True)
    )
    total = " + ".join(numbers.fixed(s, digits) for s in shares)
    note = t("rrf_note", k=fused.rrf_k) if reciprocal else told(fused.weights_why, t)
    return (
        f'<h4>{t("how_fused")}</h4><div class="gb-formula">{lines}'
        f"<code>{total} = {numbers.fixed(c.fused.value, digits)}</code></div><p>{note}</p>"
    )


def _share(r: RouteScore, k: int | None, several: bool, t: Texts) -> str:
    name, weight = esc(t.name("route", r.route)), numbers.fixed(r.weight, 2)
    name += f" {t('part_n', n=r.part + 1)}" if several else ""
    if k is not None:
        return f"{name}: {weight} / ({k} + {r.rank})"
    value = numbers.number("normalised", r.normalised.value) if r.normalised.value is not None else numbers.NONE
    return f"{name}: {weight} × {value}"


def _order(c: Candidate, reranked: Reranked | None, t: Texts) -> str:
    kind = numbers.kind_of_rerank(c.rerank)
    if c.rerank.state == "value":
        score = f"{t(kind)} {numbers.reading(c.rerank, t, kind)}"
    else:
        score = f"{t(kind)} {numbers.NONE} {told(c.rerank.why, t)}"
    ranks = f"{t('fused')} #{c.fused_rank} → {t('final')} {f'#{c.final_rank}' if c.final_rank else numbers.NONE}"
    dropped = f"<p>{t('dropped')}{t('colon')}{told(c.dropped.why, t)}</p>" if c.dropped else ""
    why = f"<p>{told(reranked.why, t)}</p>" if reranked and reranked.why and reranked.why != c.rerank.why else ""
    return f"<h4>{t('how_order')}</h4><p>{score}{t('semicolon')}{ranks}</p>{why}{dropped}"
