"""What a model said of the finished answer when it was asked to check it against the sources."""

from __future__ import annotations

from assistant.trace import Answered, Trace, Verdict, Verified
from ui.panels import calls
from ui.panels.markup import said
from ui.panels.reasons import told
from ui.texts import T, Texts

TONES = {"kept": "gb-good", "rewrite": "gb-fair", "marked": "gb-fair", "failed": "gb-fair"}


def line(trace: Trace, t: Texts) -> str:
    """HTML of the outcome in one line below the answer; "" when no check was made."""
    checks: tuple[Verified, ...] = trace.of_kind("verified")
    if not checks or checks[-1].outcome == "not_run":
        return ""
    anew = f"{t('semicolon')}{t('check_anew')}" if any(v.outcome == "rewrite" for v in checks[:-1]) else ""
    return f'<p class="gb-made gb-check-line {TONES.get(checks[-1].outcome, "")}">{_said(checks[-1], t)}{anew}</p>'


def panel(trace: Trace, lang: str = "en") -> str:
    """HTML of every check with its verdicts and the request behind it; "" when there was none."""
    t = T(lang)
    checks = trace.of_kind("verified")
    if not checks:
        return ""
    drafts = {a.draft: a for a in trace.of_kind("answered")}
    items = "".join(_check(v, drafts.get(v.draft), len(checks) > 1, t) for v in checks)
    return f'<section class="gb-check" aria-label="{t("check")}"><h3>{t("check")}</h3>{items}</section>'


def _check(v: Verified, answered: Answered | None, several: bool, t: Texts) -> str:
    draft = f'<span class="gb-label">{t("draft_n", n=v.draft)}</span> ' if several else ""
    rows = "".join(_verdict(verdict, answered, t) for verdict in v.verdicts)
    listed = f'<ul class="gb-verdicts">{rows}</ul>' if rows else ""
    return f'<p class="{TONES.get(v.outcome, "")}">{draft}{_said(v, t)}</p>{listed}{calls.panel((v.call,), t)}'


def _said(v: Verified, t: Texts) -> str:
    why = f"{t('colon')}{told(v.why, t)}" if v.why else ""
    return f'<strong class="gb-outcome-word">{t(f"check.{v.outcome}")}</strong>{why}'


def _verdict(v: Verdict, answered: Answered | None, t: Texts) -> str:
    sentences = answered.sentences if answered else ()
    sentence = sentences[v.sentence] if v.sentence < len(sentences) else None
    text = sentence.text if sentence else t("sentence_n", n=v.sentence + 1)
    why = f'<span class="gb-why">{told(v.why, t)}</span>' if v.why else ""
    word, tone = (t("verdict_yes"), "gb-in") if v.supported else (t("verdict_no"), "gb-verdict-no")
    # the model lifts none of our own marks, which count as well
    ours = v.supported and sentence is not None and sentence.supported is False
    mine = f' <span class="gb-tag gb-verdict-no">{t("unsupported")}</span>' if ours else ""
    return f'<li><span class="gb-tag {tone}">{word}</span>{mine} {said(text)}{why}</li>'
