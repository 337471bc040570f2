"""The installed models, and the models to install on this machine."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.serving import Advice, Advised, InstalledModel, InstalledModels, LoadedModel
from ui.panels import numbers
from ui.panels.markup import esc, said
from ui.panels.reasons import told
from ui.panels.seen import Seen, Use, same
from ui.panels.server import button, clock
from ui.texts import T, Texts

_CHAT = ("parameters", "quantisation", "context", "size")
_EMBEDDING = ("dimension", "context", "quantisation", "size")
_TAGS = ("tools", "thinking", "vision")


def panel(seen: Seen, use: Use, lang: str = "en") -> str:
    """HTML of the chat models and the embedding models on the server."""
    t = T(lang)
    if seen.installed is None:
        return f'<section class="gb-models">{_unknown(t)}</section>'
    embedding = seen.installed.that_can("embedding")
    chat = tuple(m for m in seen.installed.models if m not in embedding)
    return (
        f'<section class="gb-models">{_table("chat_models", chat, _CHAT, seen, use, t)}'
        f"{_table('embedding_models', embedding, _EMBEDDING, seen, use, t)}{_cloud(seen.installed, t)}</section>"
    )


def advice(advised: Advice | None, pulling: Sequence[str] = (), reachable: bool = True, lang: str = "en") -> str:
    """HTML of what to use on this machine, with a button for what is not installed; "" while nothing is known."""
    if advised is None:
        return ""
    t = T(lang)
    why = f'<p class="gb-why">{told(advised.why, t)}</p>' if advised.why else ""
    kinds = (("advised_chat", advised.chat), ("advised_embedding", advised.embedding))
    lists = "".join(
        f"<div><h4>{t(title)}</h4><ul>{''.join(_advised(a, pulling, reachable, t) for a in models)}</ul></div>"
        for title, models in kinds
        if models
    )
    return (
        f'<section class="gb-advice"><h3>{t("advised")}</h3>{why}<div class="gb-advice-columns">{lists}</div></section>'
    )


def _unknown(t: Texts) -> str:
    parts = (("chat_models", "models_unknown"), ("embedding_models", "models_unknown"))
    return "".join(f'<h3>{t(title)}</h3><p class="gb-why">{t(words)}</p>' for title, words in parts)


def _cloud(installed: InstalledModels, t: Texts) -> str:
    return f'<p class="gb-why">{t.count("cloud_hidden", installed.cloud)}</p>' if installed.cloud else ""


def _table(title: str, models: Sequence[InstalledModel], columns: Sequence[str], seen: Seen, use: Use, t: Texts) -> str:
    head = f"<h3>{t(title)} <small>{t(f'{title}_hint')}</small></h3>"
    if not models:
        return f'{head}<p class="gb-why">{t("models_none")}</p>'
    heads = "".join(f'<th scope="col" class="gb-num">{t(word)}</th>' for word in columns)
    rows = "".join(_row(m, columns, seen.loaded, use, t) for m in models)
    return (
        f'{head}<table class="gb-model-table"><thead><tr><th scope="col">{t("model")}</th>{heads}<th></th></tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def _row(model: InstalledModel, columns: Sequence[str], loaded: Sequence[LoadedModel], use: Use, t: Texts) -> str:
    cells = "".join(f'<td class="gb-num" data-label="{t(c)}">{_value(model, c)}</td>' for c in columns)
    mine = " gb-mine" if _used(model, use) else ""
    return (
        f'<tr class="gb-model-row{mine}"><th scope="row">{said(model.name)} {_flags(model, loaded, use, t)}'
        f'{_remark(model, t)}</th>{cells}<td class="gb-act">{_acts(model, loaded, use, t)}</td></tr>'
    )


def _used(model: InstalledModel, use: Use) -> bool:
    return same(model.name, use.chat) or same(model.name, use.embedder)


def _value(model: InstalledModel, column: str) -> str:
    value = getattr(model, column)
    if not value:
        return f'<span class="gb-none">{numbers.NONE}</span>'
    if column == "size":
        return numbers.size(value)
    return numbers.count(value) if isinstance(value, int) else esc(value)


def _flags(model: InstalledModel, loaded: Sequence[LoadedModel], use: Use, t: Texts) -> str:
    flags = []
    if same(model.name, use.chat):
        flags.append(_flag(t("used_for_answers"), "gb-flag"))
    if same(model.name, use.embedder):
        flags.append(_flag(t("used_for_base"), "gb-flag"))
    if _loading(model, use):
        flags.append(_flag(t("loading_now"), "gb-state"))
    elif (present := _loaded(model, loaded)) is not None:
        until = t("loaded_until", time=clock(present.until)) if present.until else t("loaded_forever")
        flags.append(_flag(t("in_memory"), "gb-state gb-s-indexed", until))
    if model.english_only:
        flags.append(_flag(t("english_only"), "gb-state gb-s-failed"))
    if model.thinking_only:
        flags.append(_flag(t("thinking_only"), "gb-state gb-s-partly"))
    tags = [t.name("ability", a) for a in _TAGS if a in model.abilities]
    shown = f'<small class="gb-facts">{" · ".join(tags)}</small>' if tags else ""
    return "".join(flags) + shown


def _flag(words: str, css: str, title: str = "") -> str:
    return f'<span class="{css}" title="{esc(title)}">{words}</span>'


def _remark(model: InstalledModel, t: Texts) -> str:
    """Why this model is not to be used, "" when it may be."""
    if model.english_only:
        words = t("english_only_why")
    elif model.thinking_only:
        words = t("thinking_only_why")
    elif not {"chat", "embedding"} & set(model.abilities):
        words = t("cannot_chat")
    else:
        return ""
    return f'<small class="gb-facts">{words}</small>'


def _loaded(model: InstalledModel, loaded: Sequence[LoadedModel]) -> LoadedModel | None:
    return next((entry for entry in loaded if same(entry.name, model.name)), None)


def _loading(model: InstalledModel, use: Use) -> bool:
    return any(same(name, model.name) for name in use.loading)


def _acts(model: InstalledModel, loaded: Sequence[LoadedModel], use: Use, t: Texts) -> str:
    acts = []
    name = model.name
    if "chat" in model.abilities:
        if same(name, use.chat):
            acts.append(button("quote", "", t("use_quotes")))
        else:
            acts.append(button("use", name, t("use_for_answers"), about=name))
    elif "embedding" in model.abilities and not model.english_only and not same(name, use.embedder):
        acts.append(button("estimate", f"ollama:{name}", t("use_for_base"), about=name))
    usable = {"chat", "embedding"} & set(model.abilities)
    if usable and _loaded(model, loaded) is None and not _loading(model, use):
        acts.append(button("preload", name, t("preload"), about=name))
    return f'<div class="gb-acts">{"".join(acts)}{_delete(model, use, t)}</div>'


def _delete(model: InstalledModel, use: Use, t: Texts) -> str:
    name = esc(model.name)
    warned = f"<p>{t('delete_model_base')}</p>" if same(model.name, use.embedder) else ""
    question = t("delete_model_confirm", name=said(model.name), size=numbers.size(model.size))
    return (
        f'<details class="gb-confirm" data-open="{name}"><summary aria-label="{t("delete_model")}: {name}">'
        f"{t('delete_model')}</summary><div><p>{question}</p>{warned}"
        f"{button('delete', model.name, t('delete_model_yes'), 'gb-danger')}"
        f'<button type="button" class="gb-link" data-keep="1">{t("delete_model_no")}</button></div></details>'
    )


def _advised(advised: Advised, pulling: Sequence[str], reachable: bool, t: Texts) -> str:
    if advised.installed:
        act = f'<span class="gb-state gb-s-indexed">{t("is_installed")}</span>'
    elif any(same(name, advised.name) for name in pulling) or not reachable:
        act = f'<span class="gb-why">{numbers.size(advised.size)}</span>'
    else:
        act = button("pull", advised.name, t("pull_size", size=numbers.size(advised.size)), "gb-button", advised.name)
    needs = t("advised_needs", needs=numbers.size(advised.needs), n=numbers.count(advised.window))
    return (
        f"<li><div><b>{said(advised.name)}</b><p>{told(advised.why, t)}</p>"
        f'<p class="gb-why">{needs}</p></div>{act}</li>'
    )
