"""Rewriters: other ways to search when an attempt was not convincing. Adding one is a file and a line in `REWRITERS`.

A rewriter is a function Situation → Proposal or None (does not apply). Which is tried when: `policy`.
"""

from assistant.registry import Registry
from assistant.rewrite.situation import Proposal

REWRITERS: Registry[Proposal | None] = Registry(
    "rewriter",
    {
        "split": "assistant.rewrite.split:propose",
        "identifiers": "assistant.rewrite.identifiers:propose",
        "translate": "assistant.rewrite.translate:propose",
        "decompose": "assistant.rewrite.decompose:propose",
        "reword": "assistant.rewrite.reword:propose",
        "hyde": "assistant.rewrite.hyde:propose",
        "step_back": "assistant.rewrite.step_back:propose",
        "widen": "assistant.rewrite.widen:propose",
    },
)
