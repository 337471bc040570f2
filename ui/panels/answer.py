"""The answer: its sentences with chips that lead to their sources, or what is said instead."""

from __future__ import annotations

from assistant.trace import Answered, Citation, Condensed, Failed, Trace
from ui.panels import calls, check, prompt
from ui.panels.markup import esc, opening, place, said
from ui.panels.prose import chip, prose
from ui.panels.reasons import told
from ui.panels.wanted import Wanted
from ui.texts import T, Texts

STOPPED = "stopped"


def panel(trace: Trace, partial: str = "", turn: int = 0, lang: str = "en", draft: int = 1, last: bool = False) -> str:
    """HTML of the answer; "" before there is anything.

    `partial`: the text of one being written, of which this is the `draft`, counted from 1. `last`: no question was
    asked after this one, so that its answer can be continued.
    """
    t = T(lang)
    failed: Failed | None = trace.last("failed")
    answered = trace.answered
    if partial:
        return _writing(partial, draft, t)
    if answered is not None:
        body = _declined(trace, answered, t) if answered.decision == "decline" else _answer(trace, answered, turn, t)
        return f"{body}{_again(trace, answered, turn, last, t)}{_asked_as(trace, turn, t)}"
    if failed is not None:
        return f"{_failed(failed, t)}{_buttons(turn, False, t)}{_asked_as(trace, turn, t)}"
    return ""


def _writing(partial: str, draft: int, t: Texts) -> str:
    anew = f'<p class="gb-why">{t("written_anew")}</p>' if draft > 1 else ""
    return f'{anew}<div class="gb-answer gb-writing"><p>{said(partial)}</p></div>'


def _answer(trace: Trace, a: Answered, turn: int, t: Texts) -> str:
    caveat = f'<p class="gb-caveat"><strong>{t("caveat")}</strong> {told(a.caveat, t)}</p>' if a.caveat else ""
    cut = prompt.truncated(a.prompt, t) if a.prompt else ""
    return (
        f'<div class="gb-answer">{_instead(trace, a, t)}{caveat}{cut}'
        f'<div class="gb-prose" dir="auto">{prose(trace, a, turn, t)}</div>'
        f"{_incomplete(a, t)}{_sources(a.citations, turn, t)}{_label(a, t)}{check.line(trace, t)}</div>"
    )


def _instead(trace: Trace, a: Answered, t: Texts) -> str:
    """Said when a model was to write the answer and did not."""
    wanted = _wanted_of_another(trace, a)
    if not wanted:
        return ""
    why = f" {told(a.why, t)}" if a.why and a.state == "complete" else ""
    return f'<p class="gb-caveat"><strong>{t("quoted_instead", model=esc(wanted))}</strong>{why}</p>'


def _wanted_of_another(trace: Trace, a: Answered) -> str:
    """The model that was to write what it did not, "" otherwise; a declined answer needs no writer."""
    return "" if a.model or a.decision == "decline" else Wanted.of(trace).model


def _sources(citations: tuple[Citation, ...], turn: int, t: Texts) -> str:
    if not citations:
        return ""
    items = "".join(
        f'<li>{chip(c, turn, t)}<span class="gb-where">{place(c.document, c.heading, c.pages, t)}</span></li>'
        for c in citations
    )
    return f'<ul class="gb-sources" aria-label="{t("sources")}">{items}</ul>'


def _label(a: Answered, t: Texts) -> str:
    removed = ""
    if a.removed_citations:
        gone = ", ".join(str(n) for n in a.removed_citations)
        said_ = t.count("removed_citations", len(a.removed_citations), numbers=gone)
        removed = f'<span class="gb-warn">{said_}</span>'
    return f'<p class="gb-made">{told(a.label, t)}{removed}</p>'


def _incomplete(a: Answered, t: Texts) -> str:
    if a.state == "complete":
        return ""
    title = t("stopped_title" if a.stopped_by == STOPPED else "incomplete")
    return f'<p class="gb-caveat gb-cut"><strong>{title}</strong> {told(a.why, t)}</p>'


def _again(trace: Trace, a: Answered, turn: int, last: bool, t: Texts) -> str:
    """What can be done about an answer that is not what was wanted; only one with its prompt can be continued."""
    if a.state == "complete":
        return _buttons(turn, False, t) if _wanted_of_another(trace, a) else ""
    return _buttons(turn, last and a.prompt is not None, t)


def _buttons(turn: int, continues: bool, t: Texts) -> str:
    go_on = ""
    if continues:
        go_on = f'<button type="button" class="gb-button" data-continue="{turn}">{t("continue")}</button>'
    again = f'<button type="button" class="gb-button gb-second" data-retry="{turn}">{t("retry")}</button>'
    return f'<div class="gb-again">{go_on}{again}</div>'


def _declined(trace: Trace, a: Answered, t: Texts) -> str:
    held = ""
    if a.suggestions:
        items = "".join(f"<li>{said(s)}</li>" for s in a.suggestions)
        held = f'<p class="gb-label">{t("suggestions")}</p><ul class="gb-held">{items}</ul>'
    return (
        f'<div class="gb-answer gb-declined"><strong>{t("declined")}</strong>'
        f'<p class="gb-why">{_who_declined(trace, a, t)}</p><p dir="auto">{esc(a.text)}</p>{held}</div>'
    )


def _who_declined(trace: Trace, a: Answered, t: Texts) -> str:
    """The check, the model that wrote, or the confidence before anything was written."""
    verified = trace.last("verified")
    if verified is not None and verified.outcome == "declined":
        return t("declined_by_check")
    return told(a.label, t) if a.model else f"{told(a.label, t)}{t('semicolon')}{t('declined_by_confidence')}"


def _failed(f: Failed, t: Texts) -> str:
    message = told(f.message, t)
    if f.stage == STOPPED:
        return f'<div class="gb-answer gb-stopped"><strong>{t("stopped_title")}</strong><p>{message}</p></div>'
    stage = esc(t.name("stage", f.stage))
    return (
        f'<div class="gb-answer gb-error" role="alert"><strong title="{stage}">{t("failed_at")}</strong>'
        f"<p>{message}</p></div>"
    )


def _asked_as(trace: Trace, turn: int, t: Texts) -> str:
    condensed: Condensed | None = trace.last("condensed")
    asked = condensed.standalone if condensed else trace.question
    changed = condensed is not None and condensed.standalone != condensed.original
    why = f'<p class="gb-why">{told(condensed.why, t)}</p>' if condensed and (changed or condensed.call) else ""
    made = calls.panel((condensed.call,), t) if condensed else ""
    summary = f"{t('asked_as')} <em>“{said(asked)}”</em>" if changed else f"<span>{t('edit_question')}</span>"
    form = (
        f'<div class="gb-rerun"><input type="text" value="{esc(asked)}" data-field="rerun" '
        f'aria-label="{t("asked_as")}"><button type="button" data-rerun="{turn}">{t("ask_again")}</button></div>'
    )
    return opening(summary, f"{why}{form}{made}", "gb-asked-as" + (" gb-changed" if changed else ""))
