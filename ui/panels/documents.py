"""The documents: one row a file with what became of it, and the progress of adding some."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from assistant.documents import FileRow, IngestReport, Progress
from ui.panels import numbers, states
from ui.panels.markup import bar, esc, opening, said
from ui.panels.reasons import told
from ui.texts import T, Texts

MOST_ROWS = 200
_ORDER = {"failed": 0, "partly": 1, "cancelled": 2, "indexed": 9}
_BUSY = {"reading", "chunking", "embedding", "writing"}


def panel(rows: Sequence[FileRow], wanted: str = "", lang: str = "en") -> str:
    """HTML of the table, those that need attention first; `wanted` keeps names and states that contain it."""
    t = T(lang)
    if not rows:
        return states.empty("no_files", lang)
    found = [r for r in rows if _matches(r, wanted, t)]
    found.sort(key=lambda r: (_ORDER.get(r.state, 3), r.name.casefold()))
    more = ""
    if len(found) > MOST_ROWS:
        shown, n = numbers.count(MOST_ROWS), numbers.count(len(found))
        more = f'<p class="gb-why">{t("files_shown", shown=shown, n=n)}</p>'
    if not found:
        return f'<section class="gb-files">{_summary(rows, t)}<p class="gb-why">{t("no_match")}</p></section>'
    heads = "".join(f'<th scope="col" class="{css}">{t(word)}</th>' for word, css in _HEADS)
    body = "".join(_row(r, t) for r in found[:MOST_ROWS])
    return (
        f'<section class="gb-files">{_summary(rows, t)}<table><thead><tr>{heads}<th></th></tr></thead>'
        f"<tbody>{body}</tbody></table>{more}</section>"
    )


_HEADS = (("file", ""), ("state", ""), ("chunks", "gb-num"), ("pages", "gb-num"), ("time", "gb-num"))


def _matches(r: FileRow, wanted: str, t: Texts) -> bool:
    text = f"{r.name} {r.title} {r.state} {t.name('state', r.state)}".casefold()
    return all(word in text for word in wanted.casefold().split())


def _summary(rows: Sequence[FileRow], t: Texts) -> str:
    found = Counter(r.state for r in rows)
    counts = "".join(
        f'<span class="gb-state gb-s-{state}">{numbers.count(n)} {t.name("state", state)}</span>'
        for state, n in sorted(found.items(), key=lambda item: _ORDER.get(item[0], 3), reverse=True)
    )
    return f'<p class="gb-summary"><b>{t.count("files_summary", len(rows))}</b>{counts}</p>'


def _row(r: FileRow, t: Texts) -> str:
    title = f'<small class="gb-title">{said(r.title)}</small>' if r.title and r.title != r.name else ""
    pages = numbers.NONE if r.pages is None else numbers.count(r.pages)
    return (
        f'<tr class="gb-f-{r.state}"><th scope="row" title="{esc(r.path)}">{said(r.name)}{title}{_facts(r, t)}</th>'
        f'<td><span class="gb-state gb-s-{r.state}">{t.name("state", r.state)}</span>{_reason(r, t)}</td>'
        f'<td class="gb-num" data-label="{t("chunks")}">{_count(r, r.chunks)}</td>'
        f'<td class="gb-num" data-label="{t("pages")}">{pages}</td>'
        f'<td class="gb-num" data-label="{t("time")}">{_time(r)}</td><td class="gb-act">{_remove(r, t)}</td></tr>'
    )


def _count(r: FileRow, n: int) -> str:
    return numbers.count(n) if r.state in {"indexed", "partly"} else f'<span class="gb-none">{numbers.NONE}</span>'


def _time(r: FileRow) -> str:
    return numbers.seconds(r.seconds) if r.seconds else f'<span class="gb-none">{numbers.NONE}</span>'


def _facts(r: FileRow, t: Texts) -> str:
    facts = []
    if r.same_content_as:
        facts.append(t("same_content", name=said(r.same_content_as)))
    if r.version > 1:
        facts.append(t("version_n", n=r.version))
    return f'<small class="gb-facts">{" · ".join(facts)}</small>' if facts else ""


def _reason(r: FileRow, t: Texts) -> str:
    kind = f"<b>{t.name('trouble', r.error_kind)}</b> " if r.error_kind else ""
    why = f'<p class="gb-why">{kind}{told(r.reason, t)}</p>' if r.reason or kind else ""
    if not r.warnings:
        return why
    items = "".join(f"<li>{told(w, t)}</li>" for w in r.warnings)
    return why + opening(t.count("warnings_n", len(r.warnings)), f"<ul>{items}</ul>", "gb-quiet")


def _remove(r: FileRow, t: Texts) -> str:
    name = esc(r.name)
    return (
        f'<details class="gb-confirm"><summary aria-label="{t("remove")}{t("colon")}{name}">{t("remove")}</summary>'
        f'<div><p>{t("remove_confirm")}</p><button type="button" class="gb-danger" data-delete="{esc(r.document_id)}">'
        f'{t("remove_yes")}</button><button type="button" class="gb-link" data-keep="1">{t("remove_no")}</button></div>'
        "</details>"
    )


def progress(now: Progress | None, files: Sequence[Progress] = (), stopping: bool = False, lang: str = "en") -> str:
    """HTML of an ingest under way: how far, how fast, how long, and each file's stage (latest first)."""
    t = T(lang)
    title = t("job_stopping") if stopping else t("job_running")
    if now is None:
        spin = '<span class="gb-spin" aria-hidden="true"></span>'
        return f'<section class="gb-job" role="status">{spin}<strong>{title}</strong></section>'
    items = "".join(
        f'<li><span class="gb-state gb-s-{p.state}">{t.name("state", p.state)}</span>{said(p.file)}'
        f"{f'<small>{told(p.reason, t)}</small>' if p.reason else ''}</li>"
        for p in files
    )
    return (
        f'<section class="gb-job" role="status"><strong>{title}</strong>'
        f'<span class="gb-job-facts">{" · ".join(_facts_of(now, t))}</span>{bar(*_share_done(now))}'
        f'<ol class="gb-job-files">{items}</ol></section>'
    )


def _share_done(p: Progress) -> tuple[float, float]:
    return (p.chunks_done, p.chunks) if p.chunks and p.files <= 1 else (p.files_done, max(1, p.files))


def _facts_of(p: Progress, t: Texts) -> list[str]:
    facts = [t.name("state", p.state), t("job_files", done=numbers.count(p.files_done), n=numbers.count(p.files))]
    if p.chunks:
        facts.append(t("job_chunks", done=numbers.count(p.chunks_done), n=numbers.count(p.chunks)))
    if p.chunks_per_second is not None:
        facts.append(t("job_rate", n=numbers.fixed(p.chunks_per_second, 1)))
    if p.seconds_left is not None:
        facts.append(t("job_left", time=numbers.left(p.seconds_left)))
    return facts


def report(done: IngestReport, lang: str = "en") -> str:
    """HTML of what an ingest did, its notices and the files that failed with their reasons."""
    t = T(lang)
    listed = {
        "added": done.added,
        "changed": done.changed,
        "unchanged": done.unchanged,
        "moved": done.moved,
        "deleted": done.deleted,
        "skipped": done.skipped,
        "failed": done.failed,
    }
    facts = [t(f"report.{key}", n=numbers.count(len(items))) for key, items in listed.items() if items]
    if done.embedded:
        facts.append(t("report.embedded", n=numbers.count(done.embedded)))
    if done.reused:
        facts.append(t("report.reused", n=numbers.count(done.reused)))
    facts.append(numbers.seconds(done.seconds))
    title = t("job_cancelled") if done.cancelled else t("job_partly") if done.failed else t("job_done")
    notices = "".join(f"<li>{told(n, t)}</li>" for n in done.notices)
    rows = _untaken(done.failed, t) + notices
    skipped = ""
    if done.skipped:
        skipped = opening(t.count("skipped_n", len(done.skipped)), f"<ul>{_untaken(done.skipped, t)}</ul>", "gb-quiet")
    return (
        f'<section class="gb-job gb-job-done" role="status"><strong>{title}</strong>'
        f'<span class="gb-job-facts">{" · ".join(facts)}</span>{f"<ul>{rows}</ul>" if rows else ""}{skipped}</section>'
    )


def _untaken(files: Sequence[tuple[str, str]], t: Texts) -> str:
    """Files that were not taken in; most reasons name theirs themselves."""
    return "".join(f"<li>{'' if name in why else f'<b>{said(name)}</b> '}{told(why, t)}</li>" for name, why in files)
