"""Generated texts, vectors and questions: the data of the benchmarks.

Texts: half Chinese, half English, about 600 characters, 15 % with identifiers, word frequencies by Zipf's law. Vectors:
384 dimensions, in 500 clusters. Equal numbers of chunks give equal data.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

DIMENSION = 384
QUESTIONS = 40
COMMON = ("the", "of", "to", "and", "in", "is", "for", "on", "with", "by", "that", "be", "are", "as", "at", "from")


class Words:
    """Made-up words, the frequent ones real, drawn by Zipf's law."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        syllables = [c + v + e for c in "bcdfglmnprst" for v in "aeiou" for e in ("", "n", "r", "s")]
        made = {"".join(self.random.choice(syllables, self.random.integers(2, 5))) for _ in range(16_000)}
        self.english = np.array([*COMMON, *sorted(made)])
        characters = [chr(c) for c in self.random.choice(np.arange(0x4E00, 0x6E00), 2_500, replace=False)]
        pairs = {"".join(self.random.choice(characters, 2)) for _ in range(16_000)}
        self.chinese = np.array(list("的一是在不了有和人这") + sorted(pairs))

    def draw(self, words: np.ndarray, n: int) -> np.ndarray:
        weights = 1 / np.arange(1, len(words) + 1)
        return self.random.choice(words, n, p=weights / weights.sum())

    def texts(self, n: int) -> list[str]:
        chinese, english = self.draw(self.chinese, n * 160), self.draw(self.english, n * 50)
        texts = []
        for at in range(n):
            words = chinese[at * 160 : at * 160 + 320] if at % 2 else english[at * 50 : at * 50 + 100]
            text = ("" if at % 2 else " ").join(words)[:600]
            texts.append(f"{text} {self.identifier(at)}" if at % 20 < 3 else text)
        return texts

    def identifier(self, at: int) -> str:
        return (f"ERR_CONN_{at % 5000}", f"X{at % 900}", f"text-embedding-{at % 70}-small", "C++")[at % 4]


def make(folder: Path, n: int) -> None:
    """Texts, vectors and questions of one run."""
    random = np.random.default_rng(7)
    texts = Words(7).texts(n)
    centres = random.standard_normal((500, DIMENSION)).astype(np.float32)
    vectors = centres[random.integers(0, 500, n)] + random.standard_normal((n, DIMENSION)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    asked = random.integers(0, n, QUESTIONS)
    questions = [_question(texts[at], int(at)) for at in asked]
    near = vectors[asked] + 0.05 * random.standard_normal((QUESTIONS, DIMENSION)).astype(np.float32)
    np.save(folder / "vectors.npy", vectors)
    np.save(folder / "asked.npy", near.astype(np.float32))
    (folder / "questions.json").write_text(json.dumps(questions), encoding="utf-8")
    (folder / "texts.json").write_text(json.dumps(texts), encoding="utf-8")


def _question(text: str, at: int) -> str:
    return text[40:60] + (" " + text.split()[-1] if at % 20 < 3 else "") if at % 2 else " ".join(text.split()[5:15])


def chunks(folder: Path) -> tuple[list[str], np.ndarray]:
    """Texts and their vectors, which stay on disk."""
    texts = json.loads((folder / "texts.json").read_text(encoding="utf-8"))
    return texts, np.load(folder / "vectors.npy", mmap_mode="r")


def questions(folder: Path) -> list[tuple[str, np.ndarray]]:
    """The questions, each with its vector."""
    asked = json.loads((folder / "questions.json").read_text(encoding="utf-8"))
    return list(zip(asked, np.load(folder / "asked.npy"), strict=True))
