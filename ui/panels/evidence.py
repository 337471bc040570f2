"""The evidence for one answer: confidence, attempts, passages, and what the model saw."""

from __future__ import annotations

from assistant.trace import Trace
from ui.panels import attempts, check, confidence, ledger, prompt, states
from ui.panels.markup import said
from ui.texts import T


def panel(trace: Trace | None, attempt: int | None = None, lang: str = "en", turn: int = 0) -> str:
    """HTML of all that stands behind this answer, of the conversation's `turn`.

    `attempt`: whose passages are listed (default: the answer's own).
    """
    if trace is None:
        return states.empty("no_evidence", lang)
    t = T(lang)
    shown = attempt or trace.best_attempt
    head = f'<p class="gb-for"><span class="gb-label">{t("evidence_for")}</span> {said(trace.question)}</p>'
    judged = trace.last("confidence", shown) if attempt else trace.confidence
    decided = trace.last("decided", shown) if attempt else trace.last("decided")
    parts = (
        confidence.panel(judged, decided, lang),
        attempts.panel(trace, shown, lang),
        check.panel(trace, lang),
        ledger.panel(trace, shown, lang),
        prompt.panel(trace, turn, lang),
    )
    return f'<div class="gb-evidence">{head}{"".join(parts)}</div>'
