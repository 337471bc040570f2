"""Fit the confidence's coefficients on judged questions, and say how good they are on questions left out of the fit.

    python benchmarks/confidence.py SET [SET …] [--write assistant/confidence/fitted/signals.json]

A SET is a folder with queries.jsonl; each line has id, query, answerable and docs_dir (relative to the SET's parent) or
the folder has docs/. Needs scikit-learn. Five folds, stratified by set and answerability; every figure is of the folds
left out. AUROC: chance that an answerable question gets the higher confidence. TNR95: share of unanswerable questions
below the threshold that keeps 95 % of the answerable ones. ECE: ten equal bins.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

import numpy as np

from assistant.assistant import Assistant
from assistant.evaluation.run import open_temporary
from assistant.settings import Settings

NAMES = ("coverage", "nearness", "lead", "identifiers")
ANSWER_AT, DECLINE_BELOW = 0.6, 0.25


def measure(folder: Path, settings: Settings) -> tuple[np.ndarray, np.ndarray]:
    """(signals (n, 4), answerable (n,)) of the first attempt at every question."""
    questions = [json.loads(line) for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
    named = folder.parent / questions[0].get("docs_dir", "")
    documents = named if questions[0].get("docs_dir") else folder / "docs"
    with tempfile.TemporaryDirectory() as place, open_temporary(Path(place), settings) as kb:
        kb.ingest([documents])
        rows = [_signals(kb, q["query"]) for q in questions]
    return np.array(rows), np.array([q["answerable"] for q in questions], int)


def _signals(kb: Assistant, query: str) -> list[float]:
    confidence = kb.ask(query, changes={"loop.max_attempts": 1}, write=False).confidence
    assert confidence is not None
    values = {s.name: s.value.value for s in confidence.signals}
    return [values[name] or 0.0 for name in NAMES]


def expected_error(p: np.ndarray, y: np.ndarray) -> float:
    """Expected calibration error over ten equal bins of confidence."""
    bins = np.minimum((p * 10).astype(int), 9)
    parts = [(bins == k) for k in range(10) if (bins == k).any()]
    return float(sum(abs(p[b].mean() - y[b].mean()) * b.mean() for b in parts))


def main() -> None:
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import StratifiedKFold

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", type=Path, metavar="SET")
    parser.add_argument("--write", type=Path, metavar="FILE")
    args = parser.parse_args()
    measured = [measure(folder, Settings()) for folder in args.sets]
    x, y = np.concatenate([m[0] for m in measured]), np.concatenate([m[1] for m in measured])
    of_set = np.concatenate([[i] * len(m[1]) for i, m in enumerate(measured)])
    held, folds = np.zeros(len(y)), []
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(x, of_set * 2 + y):
        model = LogisticRegression(C=100, max_iter=5000).fit(x[train], y[train])
        held[test] = model.predict_proba(x[test])[:, 1]
        folds.append(roc_auc_score(y[test], held[test]))
    rows = []
    print(f"{'set':20}{'AUROC':>8}{'TNR95':>8}{'ECE':>8}")
    for i, folder in enumerate(args.sets):
        p, t = held[of_set == i], y[of_set == i]
        threshold = np.quantile(p[t == 1], 0.05)
        rows.append((roc_auc_score(t, p), (p[t == 0] < threshold).mean()))
        print(f"{folder.name:20}{rows[-1][0]:8.3f}{rows[-1][1]:8.3f}{expected_error(p, t):8.3f}")
    auroc, tnr = np.mean(rows, axis=0)
    answered, declined = held >= ANSWER_AT, held < DECLINE_BELOW
    ece = expected_error(held, y)
    spread = f"AUROC of the folds {min(folds):.3f}-{max(folds):.3f}"
    print(f"{'mean':20}{auroc:8.3f}{tnr:8.3f}   pooled ECE {ece:.3f}; {spread}")
    print(
        f"first attempt only: precision of answer {y[answered].mean():.3f}; "
        f"refusal precision {1 - y[declined].mean():.3f}, recall {declined[y == 0].mean():.3f}; "
        f"answerable answered {answered[y == 1].mean():.3f}"
    )
    model = LogisticRegression(C=100, max_iter=5000).fit(x, y)
    fitted = {
        "name": "signals",
        "link": "logistic",
        "intercept": round(float(model.intercept_[0]), 3),
        "weights": {n: round(float(w), 3) for n, w in zip(NAMES, model.coef_[0], strict=True)},
        "usual": {n: round(float(v), 3) for n, v in zip(NAMES, x[y == 1].mean(axis=0), strict=True)},
        "embedder": "multilingual-e5-small (onnx-int8)",
        "fitted_on": f"{len(y)} judged questions ({int(y.sum())} answerable), Chinese and English",
        "quality": f"five-fold: mean AUROC {auroc:.3f}, TNR95 {tnr:.3f}, ECE {ece:.3f}",
    }
    print(json.dumps(fitted, indent=2))
    if args.write:
        args.write.write_text(json.dumps(fitted, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
