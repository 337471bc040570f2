"""checks: what is wrong with what a model wrote, in one sentence; "" when it may be used.

The sentence goes back to the model, which gets one more try, and into the record of the call.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from assistant.rewrite.content import content, holds, is_in, names_in, same_search
from assistant.tokens import identifiers

MOST_CHARACTERS = 300
NAMES_OF = {"zh": "Chinese", "en": "English"}
_GOES_ON = re.compile(r"[?？].*\w", re.DOTALL)
_LEAKED = re.compile(
    r"</?data>|[{}]|\bjson\b|\bschema\b|\bsystem prompt\b|\bas an ai\b|\b(?:rewritten|reworded) (?:question|query)\b"
    r"|\b(?:ignore|disregard|follow)\b.{0,20}\binstructions?\b"
    r"|(?:忽略|无视|遵循).{0,8}(?:指令|指示|说明|要求)|改写后|以下是|作为(?:一个)?(?:AI|人工智能)",
    re.IGNORECASE,
)


def of_query(query: str, question: str, language: str, kept: Sequence[str], known: str) -> str:
    """What is wrong with one query. `kept`: names that it must hold; `known`: all the text that the model was shown."""
    return (
        of_text(query, language, MOST_CHARACTERS)
        or ("it is more than one question" if _GOES_ON.search(query) else "")
        or _leaks(query, question)
        or ("" if content(query) else "it names nothing to search for")
        or _listed("it lacks", [name for name in kept if not holds(query, name)])
        or _listed("nobody mentioned", [i for i in identifiers(query) if not holds(known, i)])
    )


def of_text(text: str, language: str, most: int) -> str:
    """What is wrong with a text: empty, too long, or in the wrong language."""
    if not text.strip():
        return "it is empty"
    if len(text) > most:
        return f"it has {len(text)} characters, more than {most}"
    return "" if is_in(text, language) else f"it is not in {NAMES_OF[language]}"


def of_rewording(query: str, question: str, language: str, earlier: Sequence[str], known: str) -> str:
    """What is wrong with a query that is to say the same as the question in other words."""
    wrong = of_query(query, question, language, names_in(question), f"{question} {known}")
    return wrong or ("the same was searched already" if same_search(query, earlier) else "")


def _leaks(query: str, question: str) -> str:
    """A query that repeats instructions, ours or those of a file; words that the person used are no leak."""
    found = _LEAKED.search(query)
    lines = "\n" in query.strip()
    return "it is no question but repeats instructions" if lines or (found and found[0] not in question) else ""


def _listed(what: str, names: Sequence[str]) -> str:
    return f"{what} {', '.join(names)}" if names else ""
