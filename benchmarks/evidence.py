"""Wall time of one question with the embedded model: until the evidence is there, and until the answer is.

    python benchmarks/evidence.py [--chunks 1000] [--questions 50]

The base is made of generated Markdown files, half Chinese, half English, and read by the ordinary ingest, so the first
minutes go into embedding. Questions ask for what one of the files says, in turn in both languages; the answer is
quoted from the files. Times run from the call of `Assistant.stream` to the step "reranked" of the first attempt (what
the page can show), to the first "confidence", and to the finished trace.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from assistant.assistant import Assistant
from assistant.settings import Settings
from assistant.trace import Trace

BAR = 1.0
SECTIONS = 10
SUBJECTS = {
    "zh": ("报销单", "差旅申请", "年假", "培训费用", "设备借用", "合同审批", "加班补贴", "门禁卡", "备份任务", "登记"),
    "en": (
        "expense reports", "travel requests", "annual leave", "training budgets", "equipment loans",
        "contract reviews", "overtime pay", "access cards", "backup jobs", "visitor passes",
    ),
}  # fmt: skip
PLACES = {
    "zh": ("上海", "成都", "西安", "广州", "杭州", "武汉", "青岛", "厦门", "昆明", "南京"),
    "en": ("Lisbon", "Dublin", "Oslo", "Vienna", "Prague", "Turin", "Leeds", "Ghent", "Bern", "Malmo"),
}
RULE = {
    "zh": "{place}办公室的{subject}由第{n}组负责，应当在每月{day}日之前提交，表格编号为 FORM-{n}。",
    "en": "In the {place} office, team {n} handles {subject}; they are due on day {day} of each month, on FORM-{n}. ",
}
ASK = {
    "zh": "{place}办公室的{subject}最晚每月几日提交？",
    "en": "On which day of the month are {subject} due in the {place} office?",
}
FILLING = {
    "zh": (
        "如果遇到节假日，时间顺延到下一个工作日，并由部门主管在系统中确认。",
        "相关材料需要保留原件，扫描件请统一上传到共享文件夹，保存期限为五年。",
        "对结果有疑问的员工可以在两周之内提出书面复核申请，人事部门会给出答复。",
        "新员工在入职培训时会得到一份说明，其中列出了常见的错误和处理的办法。",
        "系统每天夜里自动汇总当天的记录，发现缺少附件时会发送邮件提醒申请人。",
        "金额较大的项目需要两位负责人共同签字，财务部门随后安排付款。",
        "各个办公室可以根据实际情况补充规定，但不能与总部的规定相冲突。",
    ),
    "en": (
        "When the day falls on a holiday, the next working day counts, once a manager has confirmed it. ",
        "Originals are kept for five years; scanned copies belong in the shared folder of the department. ",
        "Anyone who doubts the outcome may ask for a written review within two weeks of the notice. ",
        "New colleagues receive a short guide that lists the usual mistakes and how to mend them. ",
        "Every night the system collects the records and reminds those whose attachments are missing. ",
        "Larger amounts need two signatures before the finance department arranges the payment. ",
        "Each office may add rules of its own as long as they agree with those of the head office. ",
    ),
}
SENTENCES = {"zh": 20, "en": 7}


def facts(chunks: int) -> Iterator[tuple[str, dict[str, str | int]]]:
    """The language and the facts of each section, in turn in both languages."""
    for at in range(chunks):
        language = ("zh", "en")[at // SECTIONS % 2]
        subject = SUBJECTS[language][at % SECTIONS]
        office = f"{PLACES[language][at // 20 % 10]} {at // 200 + 1}"
        yield language, {"subject": subject, "place": office, "n": at, "day": at * 7 % 28 + 1}


def section(language: str, fact: dict[str, str | int]) -> str:
    """One section, of about one chunk."""
    chosen = random.Random(int(fact["n"])).choices(FILLING[language], k=SENTENCES[language])
    body = "".join([*chosen[:2], RULE[language].format(**fact), *chosen[2:]])
    return f"## {fact['place']}: {fact['subject']}\n\n{body}\n\n"


def write_files(folder: Path, chunks: int) -> None:
    """The Markdown files, ten sections each."""
    sections = [section(*fact) for fact in facts(chunks)]
    for start in range(0, chunks, SECTIONS):
        (folder / f"rules-{start:05}.md").write_text("".join(sections[start : start + SECTIONS]), encoding="utf-8")


def questions(chunks: int, wanted: int) -> list[str]:
    """Questions spread over the whole base; none is asked twice while there are sections enough."""
    told = list(facts(chunks))
    picked = (told[round(at * (chunks - 1) / max(1, wanted - 1))] for at in range(wanted))
    return [ASK[language].format(**fact) for language, fact in picked]


def ask(kb: Assistant, question: str) -> tuple[dict[str, float], Trace]:
    """Seconds until the first step of each kind and until the end, and the trace."""
    started, seconds, trace = time.perf_counter(), dict[str, float](), None
    for item in kb.stream(question):
        passed = time.perf_counter() - started
        if isinstance(item, Trace):
            trace = item
            seconds["end"] = passed
        else:
            seconds.setdefault(getattr(item, "kind", "other"), passed)
    assert trace is not None
    return seconds, trace


def report(label: str, values: Sequence[float]) -> float:
    """Prints one line; the 95th percentile in seconds."""
    half, most = np.percentile(values, [50, 95])
    print(f"  {label:<24} p50 {half:.3f} s  p95 {most:.3f} s  ({min(values):.3f}–{max(values):.3f})")
    return float(most)


def main() -> int:
    """Prints the figures; 1 when the bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=1000)
    parser.add_argument("--questions", type=int, default=50)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        files = Path(name) / "files"
        files.mkdir()
        write_files(files, given.chunks)
        with Assistant.open(Path(name) / "kb", Settings()) as kb:
            started = time.perf_counter()
            kb.ingest([files])
            print(f"{kb.info().chunks} chunks read in {time.perf_counter() - started:.0f} s")
            ask(kb, "warm-up 预热")
            asked = [ask(kb, question) for question in questions(given.chunks, given.questions)]
    load = f"; load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    late = sum(r.state == "late" for _, trace in asked for r in trace.of_kind("retrieved"))
    retried = sum(trace.attempts > 1 for _, trace in asked)
    print(f"{len(asked)} questions, {retried} with a second attempt, {late} late routes{load}")
    evidence = report("evidence (reranked)", [seconds["reranked"] for seconds, _ in asked])
    report("confidence", [seconds["confidence"] for seconds, _ in asked])
    report("finished trace", [seconds["end"] for seconds, _ in asked])
    met = evidence <= BAR
    print(f"  {'met   ' if met else 'MISSED'}  evidence in {evidence:.2f} s for 95 % of the questions (bar: {BAR:g} s)")
    return 0 if met else 1


if __name__ == "__main__":
    raise SystemExit(main())
