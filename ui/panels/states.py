"""What stands where there is nothing (yet): empty, loading, error; each with the next step."""

from __future__ import annotations

from typing import Literal

from assistant.trace import BaseInfo
from ui.panels.markup import esc, said
from ui.panels.reasons import told
from ui.texts import T

Empty = Literal["ready", "no_evidence", "first_run", "loading", "no_files"]


def empty(kind: Empty, lang: str = "en") -> str:
    """HTML of one of the designed empty states."""
    t = T(lang)
    action = ""
    if kind == "first_run":
        action = f'<button type="button" class="gb-button" data-go="documents">{t("go_documents")}</button>'
    mark = '<span class="gb-spin" aria-hidden="true"></span>' if kind == "loading" else ""
    live = ' role="status"' if kind == "loading" else ""
    words = f"<strong>{t(kind)}</strong><p>{t(f'{kind}_hint')}</p>"
    return f'<div class="gb-empty gb-{kind}"{live}>{mark}{words}{action}</div>'


def error(sentence: str, lang: str = "en", title: str = "error") -> str:
    """HTML of an error: its one sentence, which says what to do next."""
    t = T(lang)
    return f'<div class="gb-empty gb-error" role="alert"><strong>{t(title)}</strong><p>{told(sentence, t)}</p></div>'


def notice(sentence: str, lang: str = "en") -> str:
    """HTML of a passing remark, "" for none."""
    if not sentence:
        return ""
    t = T(lang)
    close = f'<button type="button" class="gb-link" data-dismiss="1">{t("dismiss")}</button>'
    return f'<div class="gb-notice" role="status">{told(sentence, t)}{close}</div>'


def top(info: BaseInfo | None, state: Literal["loading", "ready", "failed"], lang: str = "en") -> str:
    """HTML of the line at the top: the product, the knowledge base and whether it is ready."""
    t = T(lang)
    if info is None:
        words = t("loading") if state == "loading" else t("load_failed")
        base = f'<span class="gb-base gb-{state}">{words}</span>'
    else:
        counts = f"{t.count('documents_n', info.documents)} · {t.count('chunks_n', info.chunks)}"
        hint = f' title="{t("local_only")}"' if "(embedded," in info.embedder else ""
        base = (
            f'<span class="gb-base"><b>{said(info.name)}</b> {counts}</span>'
            f'<span class="gb-model"{hint}><i aria-hidden="true"></i>{esc(info.embedder)}</span>'
        )
    return f'<header class="gb-top"><span class="gb-logo">{t("app")}</span>{base}</header>'
