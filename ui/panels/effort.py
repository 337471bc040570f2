"""How much a chat model may be asked for one question: the choices, and what they cost."""

from __future__ import annotations

from assistant.effort import EFFORTS, describe
from ui.panels.markup import esc, opening
from ui.texts import T, Texts


def choices(attempts: int, t: Texts) -> list[tuple[str, str]]:
    """(words, name) of each effort, the cheapest first; the words say how many requests it costs at most."""
    return [(_words(name, EFFORTS[name].calls(attempts), t), name) for name in EFFORTS]


def hint(name: str, attempts: int, lang: str = "en") -> str:
    """HTML of what runs at this effort, to open."""
    t = T(lang)
    runs = f'<p class="gb-why">{esc(describe(name, t.lang == "zh", attempts))}</p>'
    return opening(t("effort_runs"), runs, "gb-quiet gb-effort-hint")


def _words(name: str, calls: int, t: Texts) -> str:
    return f"{t.name('effort', name)} · {t('effort_call') if calls == 1 else t('effort_calls', n=calls)}"
