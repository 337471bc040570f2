"""Rewriters: other ways to search when an attempt was not convincing. Adding one is a file and a line in `REWRITERS`.

A rewriter is a function Situation → Proposal or None (does not apply).
"""

from assistant.registry import Registry
from assistant.rewrite.situation import Proposal

REWRITERS: Registry[Proposal | None] = Registry(
    "rewriter",
    {
        "split": "assistant.rewrite.split:propose",
        "identifiers": "assistant.rewrite.identifiers:propose",
        "widen": "assistant.rewrite.widen:propose",
    },
)
