"""The answer: its sentences with chips that lead to their sources, or what is said instead."""

from __future__ import annotations

import re
from collections.abc import Mapping

from assistant.trace import Answered, Citation, Condensed, Failed, Prompt, Sentence, Trace
from ui.panels import numbers
from ui.panels.markup import esc, opening, place, said
from ui.panels.reasons import reason, told
from ui.texts import T, Texts

_BRACKET = re.compile(r"\s*\[(\d{1,3})\]")


def panel(trace: Trace, partial: str = "", turn: int = 0, lang: str = "en") -> str:
    """HTML of the answer; while it is being written `partial` is its text so far; "" before there is anything."""
    t = T(lang)
    failed: Failed | None = trace.last("failed")
    answered = trace.answered
    if answered is not None:
        body = _declined(answered, t) if answered.decision == "decline" else _answer(answered, turn, t)
        return f"{body}{_asked_as(trace, turn, t)}"
    if failed is not None:
        return f"{_failed(failed, t)}{_asked_as(trace, turn, t)}"
    return f'<div class="gb-answer gb-writing"><p>{said(partial)}</p></div>' if partial else ""


def prompt(trace: Trace, lang: str = "en") -> str:
    """HTML of what the model saw, to the letter; "" when no model wrote the answer."""
    t = T(lang)
    answered = trace.answered
    if answered is None or answered.prompt is None:
        return ""
    return opening(t("what_model_saw"), _prompt(answered.prompt, t), "gb-quiet")


def _answer(a: Answered, turn: int, t: Texts) -> str:
    by_number = {c.number: c for c in a.citations}
    caveat = f'<p class="gb-caveat"><strong>{t("caveat")}</strong> {told(a.caveat, t)}</p>' if a.caveat else ""
    return (
        f'<div class="gb-answer">{caveat}<div class="gb-prose" dir="auto">{_sentences(a, by_number, turn, t)}</div>'
        f"{_incomplete(a, t)}{_sources(a.citations, turn, t)}{_label(a, t)}</div>"
    )


def _sentences(a: Answered, by_number: Mapping[int, Citation], turn: int, t: Texts) -> str:
    """The sentences as they stand in the text; chips follow the last sentence of those that share their citations."""
    if not a.sentences:
        return _with_chips(a.text, by_number, turn, t)
    pieces: list[str] = []
    at = 0
    following = [s.citations for s in a.sentences[1:]] + [()]
    for sentence, after in zip(a.sentences, following, strict=True):
        found = a.text.find(sentence.text, at)
        gap = _BRACKET.sub("", a.text[at:found]) if found > at else " "
        pieces.append(esc(gap) if pieces or gap.strip() else "")
        pieces.append(_sentence(sentence, by_number, sentence.citations != after, turn, t))
        at = found + len(sentence.text) if found >= 0 else at
    return "".join(pieces)


def _sentence(s: Sentence, by_number: Mapping[int, Citation], cite: bool, turn: int, t: Texts) -> str:
    inline = {int(n) for n in _BRACKET.findall(s.text)}
    numbers = [n for n in s.citations if n in by_number and n not in inline] if cite else []
    body = (
        f"{_with_chips(_readable(s.text), by_number, turn, t)}{''.join(chip(by_number[n], turn, t) for n in numbers)}"
    )
    if s.supported is False:
        tag = f'<span class="gb-tag gb-unsupported-tag">{t("unsupported")}</span>'
        return f'<span class="gb-unsupported" title="{esc(reason(s.why, t.lang))}">{body}{tag}</span>'
    title = (
        f' title="{esc(reason(s.why, t.lang) or t("unchecked"))}"' if s.supported is None and not s.citations else ""
    )
    return f"<span{title}>{body}</span>"


def _readable(sentence: str) -> str:
    """A table row as its cells, one after the other; every other sentence as it is."""
    if "|" not in sentence or "\n" in sentence.strip():
        return sentence
    return " · ".join(cell for part in sentence.strip().strip("|").split("|") if (cell := part.strip()))


def _with_chips(text: str, by_number: Mapping[int, Citation], turn: int, t: Texts) -> str:
    pieces, at = [], 0
    for match in _BRACKET.finditer(text):
        cited = by_number.get(int(match.group(1)))
        if cited:
            pieces += [esc(text[at : match.start()]), chip(cited, turn, t)]
            at = match.end()
    return "".join(pieces) + esc(text[at:])


def chip(c: Citation, turn: int, t: Texts) -> str:
    """HTML of one citation number as a button that leads to its card."""
    title = esc(" · ".join(p for p in (c.document, " › ".join(c.heading)) if p))
    return (
        f'<button type="button" class="gb-chip" data-chunk="{esc(c.chunk_id)}" data-cite="{c.number}" '
        f'data-turn="{turn}" '
        f'title="{title}" aria-label="{t("source_n", n=c.number)}{t("colon")}{title}">{c.number}</button>'
    )


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
        removed = f'<span class="gb-warn">{t("removed_citations", numbers=gone)}</span>'
    return f'<p class="gb-made">{told(a.label, t)}{removed}</p>'


def _incomplete(a: Answered, t: Texts) -> str:
    if a.state == "complete":
        return ""
    return f'<p class="gb-caveat"><strong>{t("incomplete")}</strong> {told(a.why, t)}</p>'


def _declined(a: Answered, t: Texts) -> str:
    held = ""
    if a.suggestions:
        items = "".join(f"<li>{said(s)}</li>" for s in a.suggestions)
        held = f'<p class="gb-label">{t("suggestions")}</p><ul class="gb-held">{items}</ul>'
    return (
        f'<div class="gb-answer gb-declined"><strong>{t("declined")}</strong><p dir="auto">{esc(a.text)}</p>'
        f"{held}{_label(a, t)}</div>"
    )


def _failed(f: Failed, t: Texts) -> str:
    message = told(f.message, t)
    if f.stage == "stopped":
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
    why = f'<p class="gb-why">{told(condensed.why, t)}</p>' if condensed and changed else ""
    summary = f"{t('asked_as')} <em>“{said(asked)}”</em>" if changed else f"<span>{t('edit_question')}</span>"
    form = (
        f'<div class="gb-rerun"><input type="text" value="{esc(asked)}" data-field="rerun" '
        f'aria-label="{t("asked_as")}"><button type="button" data-rerun="{turn}">{t("ask_again")}</button></div>'
    )
    return opening(summary, f"{why}{form}", "gb-asked-as" + (" gb-changed" if changed else ""))


def _prompt(p: Prompt, t: Texts) -> str:
    messages = "".join(f"<h4>{esc(t.name('prompt', role))}</h4><pre>{said(text)}</pre>" for role, text in p.messages)
    tokens = " · ".join(f"{esc(t.name('prompt', k))} {t('tokens', n=numbers.count(v))}" for k, v in p.tokens.items())
    server = ""
    if p.counted_by_server is not None:
        server = " · " + t("counted_by_server", n=numbers.count(p.counted_by_server))
    out = ""
    if p.left_out:
        out = f"<p>{t('left_out')}{t('colon')}{t('semicolon').join(said(x) for x in p.left_out)}</p>"
    return f'<p class="gb-why">{t("window", n=numbers.count(p.window))} · {tokens}{server}</p>{out}{messages}'
