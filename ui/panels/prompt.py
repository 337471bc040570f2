"""What the model saw and replied, to the letter, and how the window was shared out."""

from __future__ import annotations

from collections.abc import Iterable

from assistant.trace import Prompt, Trace
from ui.panels import calls, numbers
from ui.panels.markup import esc, opening, said, width
from ui.texts import T, Texts

PARTS = ("rules", "history", "evidence", "question", "reserve", "margin")


def panel(trace: Trace, turn: int = 0, lang: str = "en") -> str:
    """HTML of what the model saw; "" when no model wrote the answer."""
    t = T(lang)
    answered = trace.answered
    if answered is None or answered.prompt is None:
        return ""
    p = answered.prompt
    out = _chunks(trace, p.left_out, "left_out", turn, t) + _chunks(trace, p.shortened, "shortened", turn, t)
    turns = f'<p class="gb-why">{t.count("turns_left_out", p.turns_left_out)}</p>' if p.turns_left_out else ""
    reply = (("reply", answered.reply),) if answered.reply else ()
    whole = opening(t("to_the_letter"), calls.messages((*p.messages, *reply), t), "gb-quiet")
    return (
        f'<section class="gb-saw" aria-label="{t("what_model_saw")}"><h3>{t("what_model_saw")}'
        f"<small>{t('window', n=numbers.count(p.window))}</small></h3>{truncated(p, t)}{_budget(p, t)}{out}{turns}"
        f"{whole}</section>"
    )


def truncated(p: Prompt, t: Texts) -> str:
    """HTML of the warning that the server read less than it was sent; "" when it did not."""
    if not p.truncated:
        return ""
    counted = numbers.NONE if p.counted_by_server is None else numbers.count(p.counted_by_server)
    words = t("truncated", counted=counted, sent=numbers.count(p.sent))
    return f'<p class="gb-caveat" role="alert"><strong>{t("caveat")}</strong> {words}</p>'


def _budget(p: Prompt, t: Texts) -> str:
    """One bar for the window and its parts in words; parts that a record brought along are shown after the known."""
    named = [name for name in (*PARTS, *(k for k in p.tokens if k not in PARTS)) if p.tokens.get(name)]
    pieces = "".join(
        f'<i class="gb-p-{name if name in PARTS else "other"}" style="width:{width(p.tokens[name], p.window)}"></i>'
        for name in map(str, named)
    )
    rows = "".join(_part(name, p.tokens[name], t) for name in named)
    free = (
        f'<li><span class="gb-key gb-p-free" aria-hidden="true"></span>{t("unused")} <b>{numbers.count(p.unused)}</b>'
    )
    return (
        f'<span class="gb-bar gb-stack gb-budget" aria-hidden="true">{pieces}</span>'
        f'<ul class="gb-budget-parts">{rows}{free}</li></ul>{_counts(p, t)}'
    )


def _part(name: str, n: int, t: Texts) -> str:
    css = name if name in PARTS else "other"
    return (
        f'<li><span class="gb-key gb-p-{css}" aria-hidden="true"></span>{said(t.name("prompt", name))} '
        f"<b>{numbers.count(n)}</b></li>"
    )


def _counts(p: Prompt, t: Texts) -> str:
    """Our estimate beside the server's count, and what the estimate was multiplied with."""
    counted = ""
    if p.counted_by_server is not None:
        counted = f"{t('semicolon')}{t('counted_by_server', n=numbers.count(p.counted_by_server))}"
    scale = f"{t('semicolon')}{t('scale', n=numbers.number('scale', p.scale))}" if p.scale != 1 else ""
    return f'<p class="gb-why">{t("estimated", n=numbers.count(p.sent))}{counted}{scale}</p>'


def _chunks(trace: Trace, chunk_ids: Iterable[str], key: str, turn: int, t: Texts) -> str:
    """The chunks by document, each a button that leads to its card."""
    links = t("semicolon").join(_link(trace, chunk_id, turn) for chunk_id in chunk_ids)
    return f'<p class="gb-left-out"><span class="gb-label">{t(key)}</span> {links}</p>' if links else ""


def _link(trace: Trace, chunk_id: str, turn: int) -> str:
    passage = trace.passage(chunk_id)
    if passage is None:
        return said(chunk_id)
    name = " › ".join((passage.document, *passage.heading))
    return (
        f'<button type="button" class="gb-link" data-chunk="{esc(chunk_id)}" data-cite="" data-turn="{turn}">'
        f"{said(name)}</button>"
    )
