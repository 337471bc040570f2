"""Writes what the documentation takes from the program: `python -m docs.generate`, from the project's folder.

docs/settings.md is written from the settings' own fields; the numbers of docs/how-it-works.md come from really asking
the two questions over docs/example. With --check nothing is written, and the exit code is 1 when something is stale.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from assistant.settings import Settings
from assistant.trace import Candidate, Confidence, Passage, Reading, Retrieved, Trace

if TYPE_CHECKING:
    from assistant.providers import Embedder

HERE = Path(__file__).resolve().parent

QUESTION = "What is the hotel limit in Shanghai?"
RETRIED = "When is a doctor's note needed, and who approves first class?"
UNKNOWN = "上海的酒店每晚最多报销多少？"

READ_AGAIN = {"reading.legacy_encoding", "reading.ocr", "chunking.chunker", "chunking.size", "chunking.overlap"}
NEW_BASE = {"embedding.provider", "embedding.model", "embedding.query_prefix", "embedding.passage_prefix"}

# ---------------------------------------------------------------- settings.md

_HEAD = """# Settings

<!-- Written by `python -m docs.generate` from assistant/settings.py; change it there. -->

Settings stand in `settings.toml` in the folder of a knowledge base. Without the file everything has its default:

```toml
[retrieval]
depth = 80
vector_weight = 0.6
text_weight = 0.4

[authority_rules]
"policies/**" = 0.9
```

For one run of the command line: `--set retrieval.depth=80` (repeat it for more). For one question in Python:
`kb.ask("…", changes={"retrieval.depth": 80})`. A value that cannot be used is refused with its name and its bounds.

*Needs a new index* says whether what was indexed before has to be made again: **yes** means that a change counts at the
next adding, which then reads every file again; **new base** means that a base keeps the model it was built with until
it is embedded again beside the old index and switched (`launch.py reembed --to ollama:bge-m3 --switch`).
"""


def settings_page() -> str:
    """docs/settings.md, from the fields of Settings."""
    parts = [_HEAD]
    for name, field in Settings.model_fields.items():
        parts.extend(_group(name, field) if _is_group(field) else _single(name, field))
    return "\n".join(parts) + "\n"


def _is_group(field: FieldInfo) -> bool:
    return isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel)


def _group(name: str, field: FieldInfo) -> Iterator[str]:
    model: Any = field.annotation
    yield f"## {name}\n"
    yield str(model.__doc__).partition(". ")[0].rstrip(".") + ".\n"
    yield from _table((f"{name}.{key}", f) for key, f in model.model_fields.items())


def _single(name: str, field: FieldInfo) -> Iterator[str]:
    yield f"## {name}\n"
    yield from _table([(name, field)])


def _table(fields: Any) -> Iterator[str]:
    yield "| Setting | Default | Bounds | Needs a new index | Meaning |"
    yield "| --- | --- | --- | --- | --- |"
    for path, field in fields:
        meaning = (field.description or "").replace("|", "\\|")
        yield f"| `{path}` | `{_toml(field.default)}` | {_bounds(field)} | {_new_index(path)} | {meaning} |"
    yield ""


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    if value is None:
        return "unset"
    if isinstance(value, tuple):
        return "[" + ", ".join(_toml(v) for v in value) + "]"
    return "{}" if value == {} else str(value)


def _bounds(field: FieldInfo) -> str:
    if get_origin(field.annotation) is Literal:
        return " or ".join(f"`{choice}`" for choice in get_args(field.annotation))
    known = ("ge", "gt", "le", "min_length")
    found = {name: getattr(m, name) for m in field.metadata for name in known if hasattr(m, name)}
    if "min_length" in found:
        return f"at least {found['min_length']}"
    if "le" in found:
        return f"{found['ge']} to {found['le']}" if "ge" in found else f"above {found['gt']}, to {found['le']}"
    if field.annotation is bool:
        return "`true` or `false`"
    return "text" if field.annotation in (str, str | None) else ""


def _new_index(path: str) -> str:
    return "yes" if path in READ_AGAIN else "new base" if path in NEW_BASE else "no"


# ---------------------------------------------------------------- how-it-works.md


def run_examples(embedder: Embedder | None = None) -> dict[str, Trace]:
    """The traces of the three questions, asked over docs/example in a base of its own."""
    from assistant.assistant import Assistant
    from assistant.providers import EMBEDDERS
    from assistant.store.base import Base

    settings = Settings().changed({"retrieval.seconds_per_route": 60.0})  # a busy machine must not change the page
    model = embedder or EMBEDDERS.build("embedded", settings)
    with tempfile.TemporaryDirectory() as folder:
        base = Base.open(Path(folder), model.identity, settings)
        with Assistant(base, model, settings, Path("example")) as kb:
            kb.ingest([HERE / "example"])
            return {name: kb.ask(q) for name, q in (("one", QUESTION), ("two", RETRIED), ("none", UNKNOWN))}


def blocks(traces: dict[str, Trace]) -> dict[str, str]:
    """Name → text of each block of how-it-works.md that the program writes."""
    one, two, none = traces["one"], traces["two"], traces["none"]
    files = sorted((HERE / "example").iterdir())
    return {
        "files": "\n\n".join(f"── {f.name}\n{f.read_text(encoding='utf-8').strip()}" for f in files),
        "condensed": _lines([f"{c.method}: {c.standalone}   ({c.why})" for c in one.of_kind("condensed")]),
        "routes": _lines(line for r in one.of_kind("retrieved") for line in _route(r, one)),
        "fusion": _lines(_fusion(one)),
        "gates": _lines(_gates(one)),
        "confidence": _lines(_confidence(one.last("confidence"))),
        "decision": _lines(_decisions(one)),
        "answer": _lines(_answer(one)),
        "retry": _lines(_retry(two)),
        "none": _lines([*_decisions(none), "", none.answer, *(f"  holds: {s}" for s in none.answered.suggestions)]),  # type: ignore[union-attr]
    }


def _lines(lines: Any) -> str:
    return "\n".join(line.rstrip() for line in lines)


def _name(trace: Trace, chunk_id: str) -> str:
    passage = trace.passage(chunk_id)
    return passage.document if passage else chunk_id


def _route(found: Retrieved, trace: Trace) -> Iterator[str]:
    yield f"{found.route} route, unit {found.unit}, up to {found.depth} hits"
    for hit in found.hits:
        matches = "  ".join(f"{m.term} ×{m.frequency} {m.share:.3f}" for m in hit.matches)
        yield f"  #{hit.rank}  {_name(trace, hit.chunk_id):<10} {hit.score:7.4f}   {matches}"
    if found.background:
        b = found.background
        yield f"  background: mean cosine {b.mean:.4f} over all {b.chunks} chunks, deviation {b.deviation:.4f}"
    if found.terms:
        yield "  terms: " + "  ".join(f"{t.text} df {t.document_frequency} idf {t.idf:.4f}" for t in found.terms)


def _fusion(trace: Trace) -> Iterator[str]:
    fused = trace.last("fused", 1)
    weights = ", ".join(f"{route} {weight}" for route, weight in fused.weights.items())
    yield f"method {fused.method}; weights {weights} ({fused.weights_why})"
    by_route = {r.route: r for r in trace.of_kind("retrieved", 1)}
    for candidate in fused.candidates:
        yield f"#{candidate.fused_rank}  {_name(trace, candidate.chunk_id)}"
        for line in candidate.routes:
            if line.raw.value is None or line.normalised.value is None:
                yield f"    {line.route:<7}{line.raw.why}: adds 0"
                continue
            how = _scale(by_route[line.route], line.raw.value)
            yield f"    {line.route:<7}{how} = {line.normalised.value:.4f}   × {line.weight} = {line.share:.4f}"
        yield f"    fused  {_number(candidate.fused)}"


def _scale(found: Retrieved, raw: float) -> str:
    if found.background:
        mean = found.background.mean
        return f"({raw:.4f} − {mean:.4f}) / (1 − {mean:.4f})"
    return f"{raw:.4f} / (2.2 × {sum(t.idf for t in found.terms):.4f})"


def _number(reading: Reading) -> str:
    return f"{reading.value:.4f}" if reading.value is not None else f"– ({reading.why})"


def _gates(trace: Trace) -> Iterator[str]:
    step = trace.last("reranked", 1)
    yield f"reranker {step.reranker}: {step.why}"
    for c in step.candidates:
        fate = f"final #{c.final_rank}" if c.final_rank else f"dropped by {c.dropped.gate}: {c.dropped.why}"
        yield f"  {_name(trace, c.chunk_id):<10} fused #{c.fused_rank}  {fate}{_presence(c)}"


def _presence(candidate: Candidate) -> str:
    held = ", ".join(candidate.present) or "none"
    return f"   holds: {held}; lacks: {', '.join(candidate.absent) or 'none'}"


def _confidence(confidence: Confidence) -> Iterator[str]:
    yield f"{'start':<12}{f'sum begins at {confidence.intercept:+.2f}':<26} → {confidence.start:+.4f}"
    for s in confidence.signals:
        value = f"{s.value.value:.3f}" if s.value.value is not None else "usual"
        yield f"{s.name:<12}{f'{value} × {s.weight:.2f} = {s.contribution:+.3f}':<26} → {s.points:+.4f}   {s.why}"
    for a in confidence.adjustments:
        yield f"{a.name:<12}{'':<26} → {a.points:+.4f}   {a.why}"
    points = [confidence.start, *(s.points for s in confidence.signals), *(a.points for a in confidence.adjustments)]
    yield f"{'confidence':<12}{f'sum {confidence.total:+.4f}':<26} = {sum(points):.4f}"


def _decisions(trace: Trace) -> Iterator[str]:
    for d in trace.of_kind("decided"):
        yield f"attempt {d.attempt}: {d.decision}   {d.why}"


def _answer(trace: Trace) -> Iterator[str]:
    answered = trace.answered
    assert answered is not None
    yield answered.text
    for c in answered.citations:
        yield f"  [{c.number}] {c.document}[{c.start}:{c.end}] = {c.text!r}"
    yield f"  ({answered.label})"


def _retry(trace: Trace) -> Iterator[str]:
    for attempt in range(1, trace.attempts + 1):
        if rewritten := trace.last("rewritten", attempt):
            yield f"attempt {attempt}, rewritten by {rewritten.rewriter}: {' | '.join(rewritten.queries)}"
        else:
            yield f"attempt {attempt}: {trace.question}"
        yield from _attempt(trace, attempt)


def _attempt(trace: Trace, attempt: int) -> Iterator[str]:
    best = [c for c in trace.candidates(attempt) if c.final_rank][:2]
    for c in best:
        shares = "  ".join(f"{line.route}/{line.part} {line.share:.4f}" for line in c.routes)
        yield f"  #{c.final_rank} {_name(trace, c.chunk_id):<10} fused {_number(c.fused)} = {shares}"
    judged, decided = trace.last("confidence", attempt), trace.last("decided", attempt)
    signals = "  ".join(f"{s.name} {_number(s.value)}" for s in judged.signals)
    yield f"  part {judged.part} judged: {signals}   → confidence {judged.value:.4f}"
    yield f"  {decided.decision}: {decided.why}"


_BLOCK = re.compile(r"<!-- (?P<name>\w+) -->\n```text\n.*?```", re.DOTALL)


def refreshed(page: str, texts: dict[str, str]) -> str:
    """The page with each block `<!-- name -->` + fence holding what the program says."""
    return _BLOCK.sub(lambda m: f"<!-- {m['name']} -->\n```text\n{texts[m['name']]}\n```", page)


def passages_are_exact(traces: dict[str, Trace]) -> bool:
    """Whether every citation of the examples is word for word what stands at its place in the passage."""

    def there(trace: Trace, chunk_id: str, start: int, end: int) -> str:
        passage: Passage | None = trace.passage(chunk_id)
        return passage.text[start - passage.start : end - passage.start] if passage else ""

    cited = [(t, c) for t in traces.values() if t.answered for c in t.answered.citations]
    return all(there(t, c.chunk_id, c.start, c.end) == c.text for t, c in cited)


def main(check: bool = False) -> int:
    """Writes both pages, or with `check` says which are stale."""
    how = HERE / "how-it-works.md"
    wanted = {
        HERE / "settings.md": settings_page(),
        how: refreshed(how.read_text(encoding="utf-8"), blocks(run_examples())),
    }
    stale = [p for p, text in wanted.items() if not p.exists() or p.read_text(encoding="utf-8") != text]
    for path in stale:
        print(f"{path.name} {'is stale' if check else 'is written'}")
        if not check:
            path.write_text(wanted[path], encoding="utf-8")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
