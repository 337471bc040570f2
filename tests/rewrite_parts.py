"""What the tests of rewriting share: a situation made by hand, and a chat model whose replies are written down."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import ollama_server
import records as rec

from assistant.providers import CHATS
from assistant.providers.chat import Chat
from assistant.rewrite.situation import Situation
from assistant.settings import Settings
from assistant.tokens import query_terms
from assistant.trace import Passage, Term

MODEL = "qwen3:8b"


def near(*texts: str, language: str = "en", heading: tuple[str, ...] = ()) -> tuple[Passage, ...]:
    return tuple(rec.passage(f"c{n}", text, language=language, heading=heading) for n, text in enumerate(texts, 1))


def terms_of(question: str, df: int = 5, idf: float = 4.0, **frequencies: int) -> tuple[Term, ...]:
    """The question's terms, each in `df` chunks unless named."""
    return tuple(rec.term(t.text, frequencies.get(t.text, df), idf, t.identifier) for t in query_terms(question))


def situation(question: str, chat: Chat | None = None, **known: Any) -> Situation:
    known.setdefault("queries", (question,))
    known.setdefault("terms", terms_of(question))
    known.setdefault("nearest", near("Some passage."))
    settings = known.pop("settings", Settings())
    return Situation(question, known.pop("queries"), known.pop("buried", ()), settings, chat=chat, **known)


@contextmanager
def model(*replies: tuple[str, Any], faults: set[str] | None = None) -> Iterator[tuple[Chat, ollama_server.FakeOllama]]:
    """A chat with the stand-in server. `replies`: pattern → text, or what is sent as JSON."""
    said = [(pattern, [r if isinstance(r, str) else json.dumps(r, ensure_ascii=False)]) for pattern, r in replies]
    with ollama_server.running(models={MODEL: ollama_server.Model()}, replies=said, faults=set(faults or ())) as fake:
        settings = Settings().changed({"answering.model": MODEL, "ollama.url": fake.url})
        yield CHATS.build("ollama", settings), fake
