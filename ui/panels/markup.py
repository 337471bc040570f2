"""Text of documents and people → HTML that shows it and does nothing else."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

from ui.texts import Texts

# What would reorder, hide or break the text around it. Joiners (200C, 200D) stay: Persian and Indic scripts need them.
_REORDERING = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]")
_INVISIBLE = re.compile("[\u200b\u2060\ufeff]")
_LINE_ENDS = re.compile("\r\n?|[\u2028\u2029]")


def _code(match: re.Match[str]) -> str:
    return f"[U+{ord(match.group()):04X}]"


def esc(text: object) -> str:
    """HTML text or attribute value that shows `text` to the letter; control and reordering characters as [U+202E]."""
    clean = _LINE_ENDS.sub("\n", _INVISIBLE.sub("", str(text)))
    clean = _CONTROL.sub(_code, _REORDERING.sub(_code, clean))
    # gr.HTML puts values through a template language of ${…} and {{…}}
    return html.escape(clean, quote=True).replace("${", "&#36;{").replace("{{", "&#123;&#123;")


def said(text: object, css: str = "") -> str:
    """The text in a direction of its own, so that right-to-left text does not reorder what surrounds it."""
    return f'<bdi class="{css}">{esc(text)}</bdi>' if css else f"<bdi>{esc(text)}</bdi>"


def lang_of(language: str) -> str:
    """A `lang` attribute, so that browsers take Chinese letter forms for Chinese."""
    return ' lang="zh-CN"' if language in {"zh", "mixed"} else ""


def width(part: float, whole: float) -> str:
    """CSS percentage of part in whole, within 0–100."""
    if whole <= 0:
        return "0%"
    return f"{100 * min(1.0, max(0.0, part / whole)):.1f}%"


def bar(part: float, whole: float, css: str = "") -> str:
    """A horizontal bar; decoration only, the number stands beside it."""
    return f'<span class="gb-bar {css}" aria-hidden="true"><i style="width:{width(part, whole)}"></i></span>'


def opening(summary: str, body: str, css: str = "", opened: bool = False) -> str:
    """A part that opens on click or Enter."""
    state = " open" if opened else ""
    return f'<details class="gb-open {css}"{state}><summary>{summary}</summary><div>{body}</div></details>'


def place(document: str, heading: Iterable[str], pages: tuple[int, int] | None, t: Texts) -> str:
    """document › heading · page, each in its own direction."""
    parts = [said(document, "gb-doc")]
    path = " › ".join(h for h in heading if h)
    if path:
        parts.append(said(path, "gb-heading"))
    if pages:
        first, last = pages
        where = t("page", n=first) if first == last else t("page_range", a=first, b=last)
        parts.append(f'<span class="gb-page-no">{where}</span>')
    return '<span class="gb-dot" aria-hidden="true">·</span>'.join(parts)
