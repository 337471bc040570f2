"""next_attempt: the first rewriter that proposes a search not made yet."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from assistant.rewrite import REWRITERS
from assistant.rewrite.situation import Situation
from assistant.trace import Rewritten


def search_key(queries: Sequence[str], changes: Mapping[str, Any]) -> str:
    """Equal for attempts with the same queries and the same changed settings."""
    return json.dumps([[" ".join(q.split()).casefold() for q in queries], dict(changes)], sort_keys=True)


def next_attempt(
    situation: Situation, changes: Mapping[str, Any], tried: frozenset[str], attempt: int
) -> Rewritten | None:
    """The next attempt, None when every rewriter was tried or does not apply.

    `changes`: settings changed so far; a proposal adds to them. `tried`: `search_key` of every attempt made.
    """
    for name in situation.settings.loop.rewriters:
        proposal = REWRITERS.build(name, situation)
        if proposal is None:
            continue
        merged = {**changes, **proposal.changes}
        if search_key(proposal.queries, merged) in tried:
            continue
        return Rewritten(
            attempt=attempt,
            rewriter=name,
            before=" | ".join(situation.queries),
            queries=proposal.queries,
            changes=merged,
            targeted=proposal.targeted,
            why=proposal.why,
        )
    return None
