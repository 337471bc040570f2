"""The flow: search → judge → decide → rewrite → search … → answer → check, as a LlamaIndex workflow. Wiring only."""

from assistant.flow.ask import AskFlow, StepDone
from assistant.flow.progress import Parts

__all__ = ["AskFlow", "Parts", "StepDone"]
