"""The command line's commands: the same assistant as in the app, printed as lines."""

from __future__ import annotations

import argparse
import importlib.metadata
import platform
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistant.errors import SettingsError
from assistant.settings import Settings

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from assistant import Assistant, Trace
    from assistant.documents import IngestReport, Progress
    from assistant.reembed import EmbedMoment, Estimate, Index, Reembedding, ReembedReport

OK, FAILED, DECLINED = 0, 1, 3


def overrides(options: argparse.Namespace) -> dict[str, Any]:
    """The settings given with --set; values are TOML, and what is not TOML is taken as text."""
    changes: dict[str, Any] = {}
    for text in getattr(options, "set", []):
        key, equals, value = text.partition("=")
        if not equals:
            raise SettingsError(f"--set {text!r} has no '='; write for example --set retrieval.depth=80.")
        try:
            changes[key.strip()] = tomllib.loads(f"value = {value}")["value"]
        except tomllib.TOMLDecodeError:
            changes[key.strip()] = value.strip()
    return changes


def open_assistant(options: argparse.Namespace, keep_model: bool = False) -> Assistant:
    """The knowledge base named by --kb (default: the user's own), open, with --set laid over its settings.

    `keep_model`: with the embedding model that it was built with, whatever the settings ask for.
    """
    changes = overrides(options)
    Settings().changed(changes)  # a mistake is said before anything is loaded
    from assistant.assistant import Assistant, default_folder

    folder = Path(options.kb).expanduser() if "kb" in options else default_folder()
    kb = Assistant.open(folder, Settings.load(folder / "settings.toml").changed(changes), keep_model)
    if kb.models.elsewhere and _uses_server(kb, options):
        print(f"Text leaves this machine: it is sent to {kb.models.url}.", file=sys.stderr, flush=True)
    return kb


def _uses_server(kb: Assistant, options: argparse.Namespace) -> bool:
    """Whether a model of the server reads questions or files in this run."""
    to = getattr(options, "to", None) or ""
    return "ollama" in (kb.settings.answering.writer, kb.embedder.identity.provider, to.partition(":")[0])


def ingest(options: argparse.Namespace) -> int:
    """Reads the paths into the base with a progress bar; 1 when a file could not be read."""
    if options.dump is not None:
        return dump(options)
    with open_assistant(options) as kb:
        with _bar() as bar:
            task = bar.add_task("looking for files", total=None)
            report = kb.ingest(options.paths, on_progress=lambda p: bar.update(task, **_moment(p)))
        for line in report_lines(report):
            print(line)
        info = kb.info()
        print(f"The knowledge base holds {info.documents} documents with {info.chunks} chunks.")
    return FAILED if report.failed else OK


def dump(options: argparse.Namespace) -> int:
    """Writes what the files at the paths hold as JSON, one line for each; 1 when a file could not be read."""
    from assistant.assistant import dump_chunks

    failed = False
    for done in dump_chunks(options.paths, Path(options.dump).expanduser(), _settings_without_base(options)):
        skipped = "skipped: " if done.skipped else ""
        print(f"{done.name}: {skipped}{done.error or f'{done.chunks} chunks'}", flush=True)
        failed = failed or bool(done.error and not done.skipped)
    return FAILED if failed else OK


def _settings_without_base(options: argparse.Namespace) -> Settings:
    settings = Settings.load(Path(options.kb).expanduser() / "settings.toml") if "kb" in options else Settings()
    return settings.changed(overrides(options))


def _bar() -> Bar:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (TextColumn("{task.percentage:>3.0f} %"), BarColumn(), TextColumn("{task.description}", markup=False))
    return Progress(*columns, transient=True, console=Console(stderr=True))


def _moment(progress: Progress) -> dict[str, Any]:
    rate = f", {progress.chunks_per_second:.1f} chunks/s" if progress.chunks_per_second else ""
    left = f", about {_duration(progress.seconds_left)} left" if progress.seconds_left is not None else ""
    text = f"{progress.files_done} of {progress.files} files{rate}{left} · {progress.state} {progress.file}"
    return {"completed": progress.files_done, "total": progress.files or None, "description": text}


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def report_lines(report: IngestReport) -> Iterator[str]:
    """What an ingest did, in lines: the counts, then everything that a person may have to act on."""
    counts = ("added", "changed", "moved", "deleted", "unchanged", "failed", "skipped")
    done = ", ".join(f"{len(getattr(report, name))} {name}" for name in counts if getattr(report, name))
    chunks = f"{report.embedded} chunks embedded, {report.reused} reused"
    yield f"{done or 'Nothing to do'} ({chunks}, {report.seconds:.1f} s)"
    yield from report.notices
    yield from (f"skipped: {name}: {why}" for name, why in report.skipped)
    yield from (f"failed: {why if name in why else f'{name}: {why}'}" for name, why in report.failed)


def ask(options: argparse.Namespace) -> int:
    """Prints the answer with its sources, or the trace; 3 when the documents do not answer."""
    with open_assistant(options) as kb:
        trace = kb.ask(options.question)
    if options.json:
        print(trace.model_dump_json(indent=2))
    else:
        for line in answer_lines(trace):
            print(line)
    if failed := trace.last("failed"):
        print(failed.message, file=sys.stderr)
        return FAILED
    return DECLINED if trace.decision == "decline" else OK


def answer_lines(trace: Trace) -> Iterator[str]:
    """The answer, its caveat, what it stands on and how sure it is; nothing while there is no answer."""
    answered, confidence = trace.answered, trace.confidence
    if answered is None:
        return
    yield from (line for line in (answered.text, answered.caveat, answered.why) if line)
    for source in answered.citations:
        heading = f" › {' › '.join(source.heading)}" if source.heading else ""
        pages = f", p. {source.pages[0]}" if source.pages else ""
        yield f"[{source.number}] {source.document}{heading}{pages}"
    yield from answered.suggestions
    if confidence:
        limit = f"; {confidence.limited_by}" if confidence.limited_by else ""
        yield f"({answered.label}; confidence {confidence.value:.2f}{limit})"


def evaluate(options: argparse.Namespace) -> int:
    """Asks every question over the documents in a base of its own; one JSON line each."""
    settings = _settings_without_base(options)
    from assistant.evaluation.run import evaluate as run

    documents, questions, out = (Path(p).expanduser() for p in (options.documents, options.questions, options.out))
    with _bar() as bar:
        task = bar.add_task("reading", total=None)

        def tell(stage: str, done: int, total: int) -> None:
            text = f"{stage}: {done} of {total}"
            bar.update(task, completed=done, total=total or None, description=text)

        counts = run(
            documents,
            questions,
            out,
            settings,
            retrieval_only=options.retrieval_only,
            on_progress=tell,
            on_notice=lambda notice: bar.console.print(notice, markup=False, highlight=False),
        )
    decided = ", ".join(f"{count} {decision}" for decision, count in sorted(counts.items()))
    print(f"{sum(counts.values())} questions ({decided or 'none'}); results are in {out}.")
    return OK


def reembed(options: argparse.Namespace) -> int:
    """Builds an index with another embedding model, lists or removes them; 1 when it could not be completed."""
    with open_assistant(options, keep_model=True) as kb:
        if options.to is not None:
            code = _build_index(kb.reembedding, options.to, options.switch)
            for line in wished_lines(kb):
                print(line)
            return code
        if options.forget is not None:
            return _forget_index(kb.reembedding, options.forget)
        for index in kb.reembedding.indexes():
            print(index_line(index))
    return OK


def _build_index(work: Reembedding, to: str, switch: bool) -> int:
    provider, _, model = to.partition(":")
    for line in estimate_lines(work.estimate(provider, model)):
        print(line, flush=True)
    try:
        with _bar() as shown:
            task = shown.add_task("embedding", total=None)
            act = work.switch if switch else work.run
            report = act(provider, model, lambda moment: shown.update(task, **_embed_moment(moment)))
    except KeyboardInterrupt:
        print("What was embedded is kept; the same command goes on from there.", file=sys.stderr)
        raise
    for line in reembed_lines(report):
        print(line)
    return OK if report.complete else FAILED


def _forget_index(work: Reembedding, name: str) -> int:
    indexes = work.indexes()
    meant = [i for i in indexes if name in (_index_name(i), i.fingerprint)]
    if len(meant) != 1:
        known = ", ".join(f"{_index_name(i)} = {i.fingerprint}" for i in indexes)
        raise SettingsError(f"--forget {name!r} names {len(meant)} indexes; choose one of: {known}.")
    work.forget(meant[0].fingerprint)
    print(f"The index of {meant[0].text} was removed.")
    return OK


def estimate_lines(cost: Estimate) -> Iterator[str]:
    """What an index costs, before it is built."""
    if cost.there == cost.chunks:
        yield f"{cost.model}: all {cost.chunks:,} chunks have a vector already"
        return
    time = "in a time that is not known yet" if cost.seconds is None else f"in about {_duration(cost.seconds)}"
    there = f", {cost.there:,} have a vector already" if cost.there else ""
    yield f"{cost.model}: {cost.chunks:,} chunks{there}; the rest {time}, {cost.bytes / 1e6:.1f} MB"
    if cost.too_long:
        limit = f"the {cost.max_tokens:,} tokens that it reads"
        yield f"Chunks longer than {limit}: {cost.too_long:,}; they are embedded in parts and averaged."


def reembed_lines(report: ReembedReport) -> Iterator[str]:
    """What was done, and what to do next."""
    parts = f", {report.in_parts:,} in parts" if report.in_parts else ""
    yield f"{report.there:,} of {report.chunks:,} chunks have a vector ({report.embedded:,} made now{parts})"
    yield from (f"failed: {why}" for why in report.failed)
    if report.switched:
        yield f"The knowledge base answers with {report.model} now; the index before is kept until it is removed."
    elif report.complete:
        yield "The index is complete; the same command with --switch answers from it."
    else:
        yield "The index is not complete; the same command goes on with it."


def wished_lines(kb: Assistant) -> Iterator[str]:
    """What to do when the settings ask for another embedding model than the base's own."""
    if kb.wished:
        yield (
            f"The settings ask for {kb.wished.text()}, but this knowledge base keeps its own model; leave "
            f"embedding.provider empty, or run: launch.py reembed --to {kb.wished.provider}:{kb.wished.model} --switch"
        )


def index_line(index: Index) -> str:
    """One index, the one in use marked with a star."""
    mark = "*" if index.current else " "
    return (
        f"{mark} {_index_name(index)}  {index.there:,} of {index.chunks:,} chunks, {index.dimension} dimensions, "
        f"{index.bytes / 1e6:.1f} MB, {index.fingerprint}"
    )


def _index_name(index: Index) -> str:
    return f"{index.provider}:{index.model}"


def _embed_moment(now: EmbedMoment) -> dict[str, Any]:
    rate = f", {now.chunks_per_second:.1f} chunks/s" if now.chunks_per_second else ""
    left = f", about {_duration(now.seconds_left)} left" if now.seconds_left is not None else ""
    return {"completed": now.done, "total": now.total or None, "description": f"{now.done} of {now.total}{rate}{left}"}


def doctor(options: argparse.Namespace, missing: list[str]) -> int:
    """Says versions, base, model and what is wrong. `missing`: requirements that this Python does not meet."""
    print(f"Python    {platform.python_version()} on {platform.system()} {platform.machine()}")
    for package in ("glassbox-assistant", "gradio", "llama-index-core", "duckdb", "onnxruntime", "pymupdf"):
        print(f"          {package} {_version(package)}")
    print(f"Packages  {'as pinned' if not missing else 'not as pinned: ' + ', '.join(missing)}")
    with open_assistant(options, keep_model=True) as kb:
        info = kb.info()
        print(f"Base      {kb.folder}: {info.documents} documents, {info.chunks} chunks")
        for fault in (faults := kb.faults()):
            print(f"          fault: {fault}")
        print(f"Embedder  {info.embedder}")
        for line in wished_lines(kb):
            print(f"          {line}")
        for row in kb.documents():
            if row.state not in ("indexed", "partly"):
                print(f"          {row.state}: {row.name}: {row.reason}")
        models = kb.chat_models()
        print(f"Ollama    {', '.join(models) if models else 'no chat model reachable; answers are quoted sentences'}")
    return FAILED if missing or faults else OK


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"
