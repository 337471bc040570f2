"""Effort: which requests a chat model gets besides writing the answer, and what they cost at most."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.settings import Answering, Loop, Retrieval, Settings

SURE = 0.85  # from this confidence on every question takes the quick path: there is nothing to mend


@dataclass(frozen=True)
class Effort:
    """`rewrites`: searches that a model may word anew per question."""

    name: str
    condenses: bool
    rewrites: int
    grades: bool
    verifies: bool

    def calls(self, attempts: int = Loop().max_attempts) -> int:
        """Requests at most for a question searched that many times, the answer included.

        Grading is one request per search (more with a window below 2,048 tokens); verifying is two checks and a second
        draft. A request counts once; a reply that cannot be used is asked for a second time, drafts are not.
        """
        rewrites = min(self.rewrites, attempts - 1)
        return self.condenses + rewrites + self.grades * attempts + 1 + 3 * self.verifies


EFFORTS = {
    "quick": Effort("quick", condenses=False, rewrites=0, grades=False, verifies=False),
    "balanced": Effort("balanced", condenses=True, rewrites=2, grades=False, verifies=False),
    "careful": Effort("careful", condenses=True, rewrites=2, grades=True, verifies=True),
}

_RUNS = {
    "quick": ("The model writes the answer and nothing else.", "模型只撰写答案。"),
    "balanced": (
        "The model also completes follow-up questions and words a failing search anew.",
        "模型还会补全追问，并在检索不理想时改写问题。",
    ),
    "careful": (
        "The model also completes follow-up questions, words a failing search anew, grades the passages, checks the "
        f"answer and writes it once more if need be. From a confidence of {SURE} on, nothing is graded, and the answer "
        "is checked only if one of its sentences lacks support.",
        f"模型还会补全追问，在检索不理想时改写问题，给片段评分，核对答案，必要时重写一次。置信度达到 {SURE} 时不评分，"
        "仅当有句子缺少依据时才核对答案。",
    ),
}


def effort(answering: Answering) -> Effort:
    """The effort of these settings; quick when no model writes, since then none is asked for anything."""
    return EFFORTS[answering.effort if answering.writer == "ollama" else "quick"]


def graded_retrieval(settings: Settings) -> Retrieval | None:
    """The settings under which a chat model grades what was found; None when neither effort nor reranker ask for it."""
    retrieval = settings.retrieval
    if retrieval.reranker == "none" and effort(settings.answering).grades:
        return retrieval.model_copy(update={"reranker": "graded"})
    return retrieval if retrieval.reranker == "graded" else None


def describe(name: str, chinese: bool = False, attempts: int = Loop().max_attempts) -> str:
    """What runs at this effort and what it costs in requests, for the screen. Raises KeyError for an unknown name."""
    most = EFFORTS[name].calls(attempts)
    cost = str(most) if most == 1 else f"1 至 {most}" if chinese else f"1 to {most}"
    if chinese:
        return f"{_RUNS[name][1]}每个问题请求模型 {cost} 次。"
    return f"{_RUNS[name][0]} {cost} request{'' if most == 1 else 's'} per question."
