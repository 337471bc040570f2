"""How well the sentences of an answer are told right from wrong: the planted sentences of the tests, by kind.

    python benchmarks/support.py [--half held]

Precision: of the sentences marked as unsupported, the share that is wrong. Recall: of the wrong ones, the share that is
marked. Each miss is printed. The half "held" was not looked at while the comparison was built.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import planted

from assistant.trace import Sentence

RECALL, PRECISION = 0.85, 0.92
Marked = Sequence[tuple[planted.Planted, Sentence]]


def main() -> int:
    """Print the figures; 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--half", choices=("tuning", "held"), help="only this half (default: both)")
    halves = [parser.parse_args().half or "tuning", "held"]
    started = time.perf_counter()
    met = [report(half, language) for half in dict.fromkeys(halves) for language in ("en", "zh")]
    print(f"\n{time.perf_counter() - started:.1f} s for {len(met) * 58} sentences")
    return 0 if all(met) else 1


def report(half: str, language: str) -> bool:
    """Print one half in one language; whether it meets the bars."""
    marked = planted.marked(half, language)
    wrong = [s.supported is False for p, s in marked if p.wrong]
    alarms = sum(s.supported is False for p, s in marked if not p.wrong)
    found = sum(wrong)
    recall, precision = found / len(wrong), found / (found + alarms or 1)
    met = recall >= RECALL and precision >= PRECISION
    bars = f"bars {RECALL}, {PRECISION}: {'met' if met else 'missed'}"
    print(f"\n{half} {language}: recall {recall:.3f} ({found}/{len(wrong)}), precision {precision:.3f} ", end="")
    print(f"({found}/{found + alarms}); {bars}")
    for kind in (*planted.WRONG, *planted.RIGHT):
        print(f"  {kind:12} {count(marked, kind)}")
    for p, s in marked:
        if not told(p, s):
            print(f"  {'missed' if p.wrong else 'false alarm'} ({p.kind}): {p.text} {s.why}")
    return met


def count(marked: Marked, kind: str) -> str:
    """How many of a kind were told right."""
    results = [told(p, s) for p, s in marked if p.kind == kind]
    return f"{sum(results)}/{len(results)}"


def told(p: planted.Planted, s: Sentence) -> bool:
    """Whether a wrong sentence is marked, a right one supported."""
    return s.supported is not p.wrong and s.supported is not None


if __name__ == "__main__":
    raise SystemExit(main())
