"""next_attempt: the first rewriter of the policy table that proposes a search not made yet.

`next_attempt(situation, changes, tried, attempt)` → `Next(rewritten: Rewritten | None, calls: tuple[ModelCall, ...])`
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assistant.rewrite import REWRITERS
from assistant.rewrite.policy import plan
from assistant.rewrite.situation import Proposal, Situation
from assistant.trace import ModelCall, Rewritten


@dataclass(frozen=True)
class Next:
    """The next attempt, None when there is no other way; then `calls` are the requests to a model that brought none.

    Those before an attempt that is made stand in its `discarded`.
    """

    rewritten: Rewritten | None
    calls: tuple[ModelCall, ...] = ()


def search_key(queries: Sequence[str], changes: Mapping[str, Any], imagined: str = "") -> str:
    """Equal for attempts with the same queries, the same changed settings and the same imagined passage."""
    words = [[" ".join(q.split()).casefold() for q in queries], dict(changes)]
    return json.dumps([*words, imagined] if imagined else words, sort_keys=True)


def next_attempt(situation: Situation, changes: Mapping[str, Any], tried: frozenset[str], attempt: int) -> Next:
    """The next attempt and what asking for it cost.

    `changes`: settings changed so far; a proposal adds to them, but a query that a model wrote starts from the settings
    of the question. `tried`: `search_key` of every attempt made. A reply that cannot be used leads to the next
    rewriter; after `situation.calls_left` of them, or one that never came, the model is asked no more.
    """
    failed: list[ModelCall] = []
    for name, reason in plan(situation):
        proposal = REWRITERS.build(name, situation)
        if proposal is None:
            continue
        merged = dict(proposal.changes) if proposal.call else {**changes, **proposal.changes}
        if proposal.queries and search_key(proposal.queries, merged, proposal.imagined) not in tried:
            return Next(_rewritten(name, reason, situation, proposal, merged, attempt, tuple(failed)))
        if proposal.call is not None:
            failed.append(proposal.call)
            situation = _without_model(situation, failed)
    return Next(None, tuple(failed))


def _without_model(situation: Situation, failed: Sequence[ModelCall]) -> Situation:
    stopped = situation.cancel is not None and situation.cancel.is_set()
    if stopped or not failed[-1].reply or len(failed) >= situation.calls_left:
        return replace(situation, chat=None)
    return situation


def _rewritten(
    name: str,
    reason: str,
    situation: Situation,
    proposal: Proposal,
    changes: Mapping[str, Any],
    attempt: int,
    failed: tuple[ModelCall, ...],
) -> Rewritten:
    return Rewritten(
        attempt=attempt,
        rewriter=name,
        before=" | ".join(situation.queries),
        queries=proposal.queries,
        changes=dict(changes),
        targeted=proposal.targeted,
        why=proposal.why,
        reason=reason,
        judged_by=proposal.judged_by,
        call=proposal.call,
        discarded=failed,
        imagined=proposal.imagined,
    )
