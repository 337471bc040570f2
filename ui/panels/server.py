"""The model server: whether it answers, what it has in memory, what stands in the way."""

from __future__ import annotations

from datetime import datetime

from assistant.serving import LoadedModel, Memory, ModelWarning
from ui.panels import numbers
from ui.panels.markup import esc, said
from ui.panels.reasons import told
from ui.panels.seen import Seen, Use, same
from ui.texts import T, Texts

_HINTS = {"start": "server_start_hint", "correct_address": "server_address_hint", "update": "server_update_hint"}
_BLOCKING = {"missing", "no_chat", "unreachable"}
SPIN = '<span class="gb-spin" aria-hidden="true"></span>'
_COMMAND = "<code>ollama serve</code>"


def panel(seen: Seen, use: Use, lang: str = "en") -> str:
    """HTML of the server's line, the memory, the loaded models and the warnings."""
    t = T(lang)
    if seen.server is None:
        line = f'<p class="gb-server-line">{SPIN}{t("server_looking")}</p>'
        return f'<section class="gb-server" role="status">{line}</section>'
    warnings = "".join(_warning(w, t) for w in seen.warnings)
    warnings += _not_loaded(use, t) if use.not_loaded else ""
    trouble = f'<p class="gb-poor-text">{told(seen.trouble, t)}</p>' if seen.trouble else ""
    return (
        f'<section class="gb-server">{_line(seen, t)}{_why(seen, t)}{trouble}'
        f'<dl class="gb-pairs">{_memory(seen.memory, t)}{_loaded(seen, use, t)}</dl>'
        f'{f"""<ul class="gb-warnings">{warnings}</ul>""" if warnings else ""}</section>'
    )


def standing(seen: Seen, lang: str = "en") -> str:
    """HTML of the notice that text leaves this machine, "" while it does not."""
    if not seen.away:
        return ""
    t = T(lang)
    why = t("leaves_machine_why", url=said(seen.away))
    return f'<div class="gb-standing" role="note"><strong>{t("leaves_machine")}</strong> <span>{why}</span></div>'


def banner(seen: Seen, use: Use, lang: str = "en") -> str:
    """HTML of why a chosen model cannot be used, for every tab; "" when all can, or before the first look."""
    t = T(lang)
    if seen.server is None:
        return ""
    unwell = "".join(
        f"<strong>{t(words, model=said(model))}</strong>"
        for words, model in (("unwell_chat", use.chat), ("unwell_embedder", use.embedder))
        if model and not _usable(model, seen)
    )
    if not unwell:
        return ""
    whys = [w.why for w in seen.warnings if w.kind in _BLOCKING] or [seen.server.why or seen.trouble]
    sentences = "".join(f"<p>{told(why, t)}</p>" for why in whys if why)
    go = f'<button type="button" class="gb-button" data-go="models">{t("go_models")}</button>'
    buttons = f'<p class="gb-buttons">{go}{button("check", "", t("check_again"))}</p>'
    return f'<section class="gb-banner" role="status">{unwell}{sentences}{buttons}</section>'


def _usable(model: str, seen: Seen) -> bool:
    blocked = any(w.kind in _BLOCKING and same(w.model, model) for w in seen.warnings)
    return seen.reachable and not seen.trouble and not blocked


def button(act: str, name: str, words: str, css: str = "gb-link", about: str = "") -> str:
    """HTML of a button of the models screen; `about` is what a screen reader hears besides its words."""
    label = f' aria-label="{esc(words)}: {esc(about)}"' if about else ""
    data = f'data-act="{esc(act)}" data-name="{esc(name)}"'
    return f'<button type="button" class="{css}" {data}{label}>{esc(words)}</button>'


def _line(seen: Seen, t: Texts) -> str:
    server = seen.server
    assert server is not None
    light = "gb-on" if server.reachable else "gb-out-light"
    name = t("server_version", version=esc(server.version)) if server.reachable else t("server_none")
    return (
        f'<p class="gb-server-line"><i class="gb-light {light}" aria-hidden="true"></i><strong>{name}</strong>'
        f"<span>{t('server_at', url=said(server.url))}</span>{button('check', '', t('check_again'))}</p>"
    )


def _why(seen: Seen, t: Texts) -> str:
    server = seen.server
    assert server is not None
    if not server.why:
        return ""
    hint = [t(_HINTS[server.action], command=_COMMAND)] if server.action else []
    meanwhile = [] if server.reachable else [t("server_meanwhile")]
    lines = "".join(f'<p class="gb-why">{words}</p>' for words in (*hint, *meanwhile))
    return f'<p class="gb-server-why">{told(server.why, t)}</p>{lines}'


def _memory(memory: Memory | None, t: Texts) -> str:
    if memory is None:
        return ""
    if not memory.of_server:
        return f'<dt>{t("memory")}</dt><dd class="gb-why">{t("memory_elsewhere")}</dd>'
    free = f"<b>{numbers.size(memory.available)}</b>"
    return f"<dt>{t('memory')}</dt><dd>{t('memory_free', free=free, total=numbers.size(memory.total))}</dd>"


def _loaded(seen: Seen, use: Use, t: Texts) -> str:
    if not seen.reachable:
        return ""
    items = "".join(_one_loaded(m, t) for m in seen.loaded)
    items += "".join(_one_loading(name, t) for name in use.loading)
    shown = f'<ul class="gb-loaded">{items}</ul>' if items else f'<span class="gb-why">{t("loaded_none")}</span>'
    return f"<dt>{t('loaded_now')}</dt><dd>{shown}</dd>"


def _one_loaded(model: LoadedModel, t: Texts) -> str:
    facts = [numbers.size(model.size)]
    if model.context:
        facts.append(t("loaded_window", n=numbers.count(model.context)))
    if model.on_gpu:
        facts.append(t("loaded_gpu", n=numbers.percent(model.on_gpu)))
    facts.append(t("loaded_until", time=clock(model.until)) if model.until else t("loaded_forever"))
    return (
        f'<li><b>{said(model.name)}</b><span class="gb-why">{" · ".join(facts)}</span>'
        f"{button('unload', model.name, t('unload'), about=model.name)}</li>"
    )


def _one_loading(name: str, t: Texts) -> str:
    hint = f'<span class="gb-why">{t("loading_model_hint")}</span>'
    return f'<li role="status">{SPIN}<b>{t("loading_models", name=said(name))}</b>{hint}</li>'


def clock(moment: datetime) -> str:
    """The time on this machine's clock, with its date when that is another day."""
    local = moment.astimezone()
    return f"{local:%H:%M}" if local.date() == datetime.now().date() else f"{local:%Y-%m-%d %H:%M}"


def _warning(warning: ModelWarning, t: Texts) -> str:
    act = ""
    if warning.action == "pull":
        act = button("pull", warning.model, t("pull"), about=warning.model)
    elif warning.action == "unload":
        act = button("unload", warning.model, t("unload"), about=warning.model)
    elif warning.action == "start":
        act = button("check", "", t("check_again"))
    return f'<li class="gb-warning gb-w-{warning.kind}">{told(warning.why, t)} {act}</li>'


def _not_loaded(use: Use, t: Texts) -> str:
    title = t("load_did_not", name=said(use.not_loaded))
    dismiss = button("dismiss_load", "", t("dismiss"))
    return f'<li class="gb-warning gb-w-unreachable" role="alert"><b>{title}</b> {told(use.why, t)} {dismiss}</li>'
