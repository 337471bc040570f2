"""Chunks per second, milliseconds per query and agreement of the two embedded engines, side by side in one run.

    python benchmarks/embedding.py [--chunks 48] [--threads 2] [--folder texts]

Without a folder the chunks are made of the sentences below. Figures depend on the machine and on what else runs on it:
compare the two lines, not runs.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from assistant.providers.e5_engines import PASSAGE_PREFIX, QUERY_PREFIX, Engine, NanoEngine
from assistant.providers.embedded import EmbeddedEmbedder

CHARACTERS = {"zh": 400, "en": 1200}
QUERIES = ("报销单最晚什么时候提交？", "What is the boundary layer?", "错误码 8027 是什么意思", "error C2065")
SENTENCES = {
    "zh": (
        "员工应当在每月五日之前提交上个月的报销单，并附上发票的原件。",
        "数据库在启动时会检查日志文件的完整性，发现损坏时自动从备份恢复。",
        "这座城市位于长江下游，气候温和湿润，四季分明，年平均气温约为十六度。",
        "变量 tidb_mem_quota_query 用来限制单条查询可以使用的内存，默认值为 1 GB。",
        "研究人员比较了三种不同的算法，结果表明第二种算法在噪声较大时更加稳定。",
        "如果设备在保修期内出现故障，客户可以免费更换一台同样型号的新设备。",
        "根据合同第七条的规定，任何一方提前解除合同都需要提前三十天书面通知对方。",
    ),
    "en": (
        "Expense reports for the previous month are due on the fifth, together with the original receipts. ",
        "On start-up the database verifies its log files and restores damaged ones from the latest backup. ",
        "The boundary layer separates from the plate at higher angles of attack, and drag rises sharply. ",
        "The option max_connections limits how many clients may be connected at once; its default is 151. ",
        "Researchers compared three algorithms and found that the second was the most stable under noise. ",
        "A device that fails within the warranty period is replaced free of charge by the same model. ",
        "Either party may terminate the agreement with thirty days' written notice, as set out in section 7. ",
    ),
}


def chunks(language: str, count: int, folder: Path | None) -> list[str]:
    """`count` different chunks of this language, of about 300 tokens each."""
    size = CHARACTERS[language]
    text = "".join(_texts(language, count * size, folder))
    return [text[start : start + size] for start in range(0, count * size, size)]


def _texts(language: str, wanted: int, folder: Path | None) -> Iterator[str]:
    """The files of this language, then made sentences, until there are `wanted` characters."""
    total = 0
    files = sorted(path for path in folder.rglob("*") if path.is_file()) if folder else []
    read = (text for text in (file.read_text("utf-8") for file in files) if is_chinese(text) == (language == "zh"))
    made = (f"{number}. {sentence}" for number, sentence in enumerate(itertools.cycle(SENTENCES[language])))
    for text in itertools.chain(read, made):
        yield text
        total += len(text)
        if total >= wanted:
            return


def is_chinese(text: str) -> bool:
    """Whether at least a third of the characters are Chinese."""
    return sum("\u4e00" <= character <= "\u9fff" for character in text) * 3 >= len(text)


def seconds(work: Callable[[], object]) -> float:
    """How long this takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def loaded(threads: int) -> tuple[EmbeddedEmbedder, float, float]:
    """The embedder, seconds of the very first load (which builds the graph) and of a later one."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["GLASSBOX_CACHE"] = folder
        first = seconds(lambda: EmbeddedEmbedder(threads).identity)
        embedder = EmbeddedEmbedder(threads)
        return embedder, first, seconds(lambda: embedder.identity)


def measure(engine: Engine, texts: dict[str, list[str]]) -> tuple[dict[str, float], NDArray[np.float32]]:
    """(chunks per second by language and milliseconds per query, the vectors of all chunks)."""
    figures, vectors = {}, []
    engine.embed([QUERY_PREFIX + QUERIES[0]], lambda: None)
    for language, some in texts.items():
        passages = [PASSAGE_PREFIX + text for text in some]
        taken = seconds(lambda passages=passages: vectors.append(engine.embed(passages, lambda: None)))
        figures[language] = len(some) / taken
    repeated = [QUERY_PREFIX + query for query in QUERIES * 10]
    taken = seconds(lambda: [engine.embed([query], lambda: None) for query in repeated])
    figures["query"] = taken / len(repeated) * 1000
    return figures, np.concatenate(vectors)


def main() -> None:
    """Prints the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--chunks", type=int, default=48)
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--folder", type=Path, default=None)
    given = options.parse_args()
    texts = {language: chunks(language, given.chunks, given.folder) for language in CHARACTERS}
    embedder, first, later = loaded(given.threads)
    print(f"load {later:.2f} s, the very first time {first:.2f} s; {given.threads} threads, {given.chunks} chunks each")
    print(f"{'engine':<12}{'zh chunks/s':>12}{'en chunks/s':>12}{'query ms':>10}")
    results = []
    for engine in (embedder.engine, NanoEngine(given.threads)):
        figures, vectors = measure(engine, texts)
        results.append(vectors)
        print(f"{engine.name:<12}{figures['zh']:>12.1f}{figures['en']:>12.1f}{figures['query']:>10.1f}")
    cosines = (results[0] * results[1]).sum(axis=1)
    print(f"cosine between the two: mean {cosines.mean():.4f}, least {cosines.min():.4f}")


if __name__ == "__main__":
    main()
