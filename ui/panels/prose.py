"""The sentences of an answer: chips that lead to their sources, what supports each, and what no source holds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from assistant.trace import Answered, Citation, Sentence, Support, Trace
from ui.panels import numbers
from ui.panels.marking import term_spans
from ui.panels.markup import esc, lang_of, place, said
from ui.panels.reasons import told
from ui.texts import Texts

_BRACKET = re.compile(r"\s*\[(\d{1,3})\]")


@dataclass(frozen=True)
class _Prose:
    """What every sentence of one answer is drawn with."""

    trace: Trace
    cited: Mapping[int, Citation]
    turn: int
    t: Texts


def prose(trace: Trace, a: Answered, turn: int, t: Texts) -> str:
    """HTML of the answer's text; numbers in brackets that name a source become chips, others stay as they are."""
    p = _Prose(trace, {c.number: c for c in a.citations}, turn, t)
    return _sentences(a, p) if a.sentences else _with_chips(a.text, p)


def chip(c: Citation, turn: int, t: Texts, sentence: int | None = None, tip: str = "") -> str:
    """HTML of one citation number as a button that leads to its card, and there to what supports this sentence.

    `tip`: id of what is shown beside it; without one the source's name is.
    """
    name = esc(" · ".join(p for p in (c.document, " › ".join(c.heading)) if p))
    says = "" if sentence is None else f'data-says="{sentence}" '
    about = f'aria-describedby="{tip}"' if tip else f'title="{name}"'
    return (
        f'<button type="button" class="gb-chip" data-chunk="{esc(c.chunk_id)}" data-cite="{c.number}" '
        f'data-turn="{turn}" {says}{about} '
        f'aria-label="{t("source_n", n=c.number)}{t("colon")}{name}">{c.number}</button>'
    )


def _sentences(a: Answered, p: _Prose) -> str:
    """The sentences as they stand in the text; chips follow the last of those that share citations and no support."""
    pieces: list[str] = []
    at = 0
    following = [s.citations for s in a.sentences[1:]] + [()]
    for i, (sentence, after) in enumerate(zip(a.sentences, following, strict=True)):
        found = a.text.find(sentence.text, at)
        gap = _BRACKET.sub("", a.text[at:found]) if found > at else " "
        pieces.append(esc(gap) if pieces or gap.strip() else "")
        pieces.append(_sentence(i, sentence, bool(sentence.support) or sentence.citations != after, p))
        at = found + len(sentence.text) if found >= 0 else at
    return "".join(pieces) + _rest(_BRACKET.sub("", a.text[at:]), p.t)


def _rest(text: str, t: Texts) -> str:
    """What was written after the last sentence that was looked at."""
    return f' <span class="gb-unchecked" title="{t("unchecked")}">{esc(text.strip())}</span>' if text.strip() else ""


def _sentence(i: int, s: Sentence, cite: bool, p: _Prose) -> str:
    inline = {int(n) for n in _BRACKET.findall(s.text)}
    shown = [n for n in s.citations if n in p.cited and n not in inline] if cite else []
    tip = _tip(i, s, p)
    tip_id = _tip_id(i, p) if tip else ""
    chips = "".join(chip(p.cited[n], p.turn, p.t, i, tip_id) for n in shown)
    words = _with_missing(_readable(s.text), s.missing) if s.missing else _with_chips(_readable(s.text), p)
    tag, css = _mark(i, s, tip_id, p)
    reach = _reach(i, s, p)
    return f'<span class="gb-said{css}"{reach}><span class="gb-words">{words}</span>{chips}{tag}{tip}</span>'


def _mark(i: int, s: Sentence, tip: str, p: _Prose) -> tuple[str, str]:
    """(the tag behind a sentence that no source supports, the sentence's classes)."""
    if s.supported is not False:
        return "", ""
    about = f' aria-describedby="{tip}"' if tip else ""
    # a button, so that its reason can be reached with the keyboard
    button = f'<button type="button" class="gb-tag gb-unsupported-tag"{_reach(i, s, p)}{about}>'
    return f"{button}{p.t('unsupported')}</button>", " gb-unsupported"


def _reach(i: int, s: Sentence, p: _Prose) -> str:
    """Attributes that lead a click to the nearest passage; "" when nothing was found near."""
    if not s.support:
        return ""
    near = s.support[0]
    return f' data-chunk="{esc(near.chunk_id)}" data-cite="{near.number}" data-turn="{p.turn}" data-says="{i}"'


def _tip(i: int, s: Sentence, p: _Prose) -> str:
    """What is shown while the pointer or the keyboard is on the sentence."""
    lines = [_why(s, p.t), _missing(s, p.t), _named(s, p.t), _nearest(s, p)]
    if not any(lines):
        return ""
    return f'<span class="gb-tip" role="tooltip" id="{_tip_id(i, p)}">{"".join(lines)}</span>'


def _tip_id(i: int, p: _Prose) -> str:
    return f"gb-tip-{p.turn}-{i}"


def _why(s: Sentence, t: Texts) -> str:
    unchecked = t("unchecked") if s.supported is None and not s.citations else ""
    why = told(s.why, t) if s.why else unchecked
    return f'<span class="gb-tip-line">{why}</span>' if why else ""


def _missing(s: Sentence, t: Texts) -> str:
    if all(m in s.why for m in s.missing):
        return ""
    names = " ".join(f'<span class="gb-tag gb-missing">{said(m)}</span>' for m in s.missing)
    return f'<span class="gb-tip-line">{t("missing_here")} {names}</span>'


def _named(s: Sentence, t: Texts) -> str:
    """Which sources the model itself named, where that differs from those shown."""
    if set(s.named) <= set(s.citations):
        return ""
    return f'<span class="gb-tip-line gb-why">{t("named_by_model", numbers=", ".join(map(str, s.named)))}</span>'


def _nearest(s: Sentence, p: _Prose) -> str:
    if not s.support:
        return ""
    near, t = s.support[0], p.t
    passage = p.trace.passage(near.chunk_id)
    score = f'<b title="{numbers.tip("support", t)}">{numbers.number("support", near.score)}</b>'
    where = place(passage.document, passage.heading, passage.pages, t) if passage else ""
    return (
        f'<span class="gb-tip-line"><span class="gb-label">{t("nearest_sentence", n=near.number)} {score}</span> '
        f"{where}</span>{_quote(near, p)}"
    )


def _quote(near: Support, p: _Prose) -> str:
    passage = p.trace.passage(near.chunk_id)
    text = passage.text[max(0, near.start - passage.start) : max(0, near.end - passage.start)] if passage else ""
    if passage is None or not text:
        return ""
    return f'<q class="gb-tip-quote" dir="auto"{lang_of(passage.language)}>{esc(text)}</q>'


def _with_missing(text: str, missing: tuple[str, ...]) -> str:
    pieces, at = [], 0
    for start, end in term_spans(text, missing):
        pieces += [esc(text[at:start]), f'<mark class="gb-missing">{esc(text[start:end])}</mark>']
        at = end
    return "".join(pieces) + esc(text[at:])


def _readable(sentence: str) -> str:
    """A table row as its cells, one after the other; every other sentence as it is."""
    if "|" not in sentence or "\n" in sentence.strip():
        return sentence
    return " · ".join(cell for part in sentence.strip().strip("|").split("|") if (cell := part.strip()))


def _with_chips(text: str, p: _Prose) -> str:
    pieces, at = [], 0
    for match in _BRACKET.finditer(text):
        cited = p.cited.get(int(match.group(1)))
        if cited:
            pieces += [esc(text[at : match.start()]), chip(cited, p.turn, p.t)]
            at = match.end()
    return "".join(pieces) + esc(text[at:])
