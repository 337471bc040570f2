"""Requests to a chat model beside the answer: what for, how long, how much, and both sides to the letter."""

from __future__ import annotations

from collections.abc import Iterable

from assistant.trace import ModelCall
from ui.panels import numbers
from ui.panels.markup import opening, said
from ui.panels.reasons import told
from ui.texts import Texts


def panel(calls: Iterable[ModelCall | None], t: Texts, discarded: bool = False) -> str:
    """HTML of the requests, one to open each; "" for none. `discarded`: they brought nothing that was used."""
    return "".join(call(c, t, discarded) for c in calls if c is not None)


def call(c: ModelCall, t: Texts, discarded: bool = False) -> str:
    """HTML of one request: the line that sums it up, and what was sent and came back behind it."""
    return opening(_line(c, discarded, t), _whole(c, t), f"gb-quiet gb-call gb-call-{c.state}")


def messages(pairs: Iterable[tuple[str, str]], t: Texts) -> str:
    """HTML of messages to a model, each under its role, to the letter."""
    return "".join(
        f'<h4>{said(t.name("prompt", role))}</h4><pre class="gb-pre" dir="auto" tabindex="0">{said(text)}</pre>'
        for role, text in pairs
    )


def _line(c: ModelCall, discarded: bool, t: Texts) -> str:
    facts = [said(c.model), numbers.seconds(c.seconds)] if c.requests else [said(c.model)]
    if c.requests and (c.prompt_tokens is not None or c.answer_tokens is not None):
        facts.append(t("call_tokens", read=_tokens(c.prompt_tokens), wrote=_tokens(c.answer_tokens)))
    if c.requests > 1:
        facts.append(t("call_asked", n=c.requests))
    state = t(f"call.{c.state}") if c.requests else t("call.unreached")
    tags = f'<span class="gb-tag gb-call-state">{state}</span>'
    if discarded and c.state != "failed":
        tags += f'<span class="gb-tag gb-call-state">{t("call_discarded")}</span>'
    return f'<span class="gb-call-what">{said(t.name("purpose", c.purpose))}</span> {" · ".join(facts)} {tags}'


def _tokens(n: int | None) -> str:
    return numbers.NONE if n is None else numbers.count(n)


def _whole(c: ModelCall, t: Texts) -> str:
    why = f'<p class="gb-why">{told(c.why, t)}</p>' if c.why else ""
    repaired = f'<p class="gb-why">{t("call_repaired")}</p>' if c.state == "repaired" else ""
    reply = messages((("reply", c.reply),), t) if c.reply else f'<p class="gb-why">{t("call_no_reply")}</p>'
    return f"{why}{repaired}{messages(c.messages, t)}{reply}"
