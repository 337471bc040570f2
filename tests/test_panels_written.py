"""Answers that a chat model wrote: sentences with their support, states, calls, check, prompt, and work under way."""

from __future__ import annotations

import re

import pytest
import sample_traces as sample
import sample_written as written

from assistant.effort import EFFORTS
from assistant.trace import Sentence, Verdict, Working
from ui.panels import answer, attempts, check, confidence, conversation, effort, evidence, ledger, progress, prompt
from ui.texts import T

TAG = re.compile(r"<[^>]*>")


def text(html: str) -> str:
    return re.sub(r"\s+", " ", TAG.sub(" ", html)).strip()


def now(purpose: str, state: str, seconds: float = 12.7) -> progress.Now:
    return progress.Now(Working(purpose=purpose, model=written.MODEL, state=state), 1000.0, seconds)


def working(purpose: str, state: str, trace=None) -> str:
    return progress.panel(trace or written.trace(*written.until_answer()), now(purpose, state))


def sentence(html: str, n: int) -> str:
    """The n-th sentence of the answer with all that belongs to it."""
    return html.split('<span class="gb-said')[n + 1].split('<ul class="gb-sources"')[0]


# ---------------------------------------------------------------- sentences


@pytest.mark.accept("C1")
def test_each_sentence_names_its_nearest_source_sentence_with_its_score():
    html = answer.panel(written.careful(), turn=2)
    first = sentence(html, 0)
    assert 'data-chunk="leave-1" data-cite="1" data-turn="2" data-says="0"' in first
    assert "Nearest sentence of source 1 0.97 HR policy 2024.pdf" in text(first)
    assert "Leave that is not taken by the end of March lapses.</q>" in first
    assert "gb-unsupported" not in first


@pytest.mark.accept("C1")
def test_a_number_that_no_source_holds_is_marked_in_its_sentence_with_the_reason():
    html = sentence(answer.panel(written.careful()), 1)
    assert 'Employees have <mark class="gb-missing">25</mark> days of annual leave.' in html
    assert "no source supports this 25 is in none of its sources" in text(html)
    assert "Nearest sentence of source 1 0.62" in text(html)
    assert "the model named 1, 2; shown is what matches" in text(html)


def test_what_is_missing_is_named_when_the_sentence_writes_it_otherwise():
    lost = Sentence(text="Ten days.", supported=False, why="not in its sources", missing=("2031-05-01",))
    html = answer.panel(written.trace(written.written(sentences=(lost,), text="Ten days.")))
    assert "in no source named 2031-05-01" in text(html)


def test_a_sentence_without_anything_near_leads_nowhere_and_its_reason_is_reached_by_key():
    html = sentence(answer.panel(written.careful()), 2)
    assert "data-chunk" not in html
    assert re.search(r'<button type="button" class="gb-tag gb-unsupported-tag" aria-describedby="gb-tip-0-2">', html)
    assert '<span class="gb-tip" role="tooltip" id="gb-tip-0-2">' in html


def test_text_behind_the_last_sentence_is_shown_as_unchecked():
    step = written.written(text=f"{written.written().text} And so on")
    html = answer.panel(written.trace(step))
    assert '<span class="gb-unchecked" title="not checked against the sources">And so on</span>' in html


@pytest.mark.accept("C1")
def test_the_card_lights_what_supports_a_sentence_and_not_the_whole_passage():
    html = ledger.panel(written.careful())
    lit = re.findall(r'<mark class="gb-lit"[^>]*>.*?</sup></mark>', html)
    assert len(lit) == 1
    assert 'data-cite="1" data-says="0"' in lit[0]
    assert text(lit[0]) == "Leave that is not taken by the end of March lapses. 1"
    near = html[html.index('<mark class="gb-near" data-says="1">') :]
    assert text(near).startswith("Employees with more than ten years")


@pytest.mark.accept("C3")
def test_removed_citation_numbers_are_counted():
    assert "2 citation numbers that point to no source were removed: 7, 9" in text(answer.panel(written.careful()))


# ---------------------------------------------------------------- states of an answer


@pytest.mark.parametrize(
    ("stopped_by", "words"),
    [
        ("length", "The answer is incomplete cut off by the length limit"),
        ("incomplete", "The answer is incomplete the model stopped midway"),
        ("stopped", "Stopped"),
    ],
)
def test_an_incomplete_answer_says_why_and_can_be_continued_or_asked_again(stopped_by, words):
    html = answer.panel(written.cut(stopped_by), turn=4, last=True)
    assert words in text(html)
    assert 'data-continue="4">Continue writing<' in html
    assert 'data-retry="4">Ask again<' in html


def test_only_the_last_answer_is_continued_and_a_complete_one_never():
    html = conversation.panel([written.cut(), written.cut()], 1)
    assert 'data-continue="0"' not in html
    assert 'data-continue="1"' in html
    assert "data-continue" not in conversation.panel([written.careful()], 0)


def test_who_declined_is_said():
    by = [written.declined_by_model(), written.declined_by_check(), sample.declined_trace()]
    said = [text(answer.panel(t)) for t in by]
    assert "qwen3:8b read 3 sources and found no answer in them" in said[0]
    assert "the check found that the passages do not hold it" in said[1]
    assert "Declined: confidence is below 0.25. ; nothing was written" in said[2]
    for html in map(answer.panel, by):
        assert "gb-error" not in html


def test_an_answer_quoted_because_the_model_was_away_says_so_and_why():
    shown = text(answer.panel(written.quoted_instead()))
    assert "Quoted from the documents instead: qwen3:8b did not write an answer. Nothing answers at" in shown
    assert 'data-retry="0"' in answer.panel(written.quoted_instead())
    assert "Quoted from the documents instead" not in text(answer.panel(sample.answered_trace()))


def test_a_failed_answer_can_be_asked_again():
    html = answer.panel(written.failed(), turn=1)
    assert 'data-retry="1"' in html
    assert "data-continue" not in html


@pytest.mark.accept("E1")
def test_a_prompt_that_the_server_cut_is_a_warning_at_the_answer_and_at_the_prompt():
    trace = written.imagined()
    words = "The model server read only 2,050 of about 4,850 tokens"
    assert words in text(answer.panel(trace))
    assert words in text(prompt.panel(trace))
    assert "read only" not in text(answer.panel(written.careful()))


@pytest.mark.accept("B4")
def test_a_question_completed_by_the_model_shows_the_call_and_can_be_changed():
    html = answer.panel(written.careful(), turn=1)
    form = html[html.index("gb-asked-as") :]
    assert "qwen3:8b completed it from the conversation" in text(form)
    assert 'data-rerun="1"' in form
    assert "Complete the follow-up qwen3:8b · 1.42 s · 312 tokens read, 45 written done" in text(form)


@pytest.mark.accept("B4")
def test_a_completion_that_failed_says_so_even_when_the_question_stayed_as_it_was():
    made = written.condensed().model_copy(
        update={
            "standalone": "And when does it lapse?",
            "why": "the question before it has no terms to add",
            "call": written.call("condense", "", state="failed", why="the reply was empty", requests=2),
        }
    )
    shown = text(answer.panel(written.trace(made, written.written())))
    assert "the question before it has no terms to add" in shown
    assert "asked 2 times failed the reply was empty" in shown


# ---------------------------------------------------------------- the check


def test_the_check_is_one_line_at_the_answer_and_whole_beside_it():
    trace = written.careful()
    line = text(check.line(trace, T("en")))
    assert line == (
        "Checked, sentences without support are marked : 2 of 3 sentences have no support ; "
        "written anew after the first check"
    )
    shown = text(check.panel(trace))
    assert "Draft 1 Checked, found wanting and written anew" in shown
    assert "no support Employees have 25 days of annual leave. the sources say 20 days" in shown
    assert shown.count("Check the answer qwen3:8b") == 2


def test_our_own_mark_stays_where_the_model_finds_support():
    kind = Verdict(sentence=2, supported=True)
    trace = written.trace(written.written(), written.verified("marked", verdicts=(kind,)))
    assert "supported no source supports this Contractors have none." in text(check.panel(trace))


def test_a_check_that_did_not_run_or_failed_never_looks_like_one_that_passed():
    for outcome, words in (("not_run", "Not checked by the model"), ("failed", "The check did not work")):
        trace = written.trace(written.written(), written.verified(outcome, why="stopped"))
        assert words in text(check.panel(trace))
        assert "Checked" not in text(check.panel(trace))


# ---------------------------------------------------------------- attempts and passages


def test_attempts_show_reason_sub_questions_and_the_calls_that_were_used_or_not():
    html = attempts.panel(written.careful(), 2)
    shown = text(html)
    assert "Divided by the model the answer stands on this" in shown
    assert "two parts the question has several parts" in shown
    order = [shown.index(p, shown.index("Divided")) for p in written.PARTS]
    assert order == sorted(order)
    assert "Divide the question qwen3:8b · 1.42 s · 312 tokens read, 45 written done" in shown
    assert "Grade the passages qwen3:8b · 1.42 s · 312 tokens read, 45 written · asked 2 times repaired" in shown
    assert "Word the question anew qwen3:8b · 1.42 s · 312 tokens read, 45 written · asked 2 times failed" in shown
    assert "no JSON object in the reply" in shown
    assert "I cannot" in shown


def test_an_invented_passage_is_marked_as_no_evidence():
    shown = text(attempts.panel(written.imagined(), 3))
    assert "Invented text, no evidence A model made this up." in shown
    assert written.IMAGINED in shown
    assert "The confidence compares the passages with these words instead of the question" in shown
    assert "Ask more generally qwen3:8b not reached" in shown


def test_a_card_says_which_sub_questions_found_it():
    html = ledger.panel(written.careful())
    first, second = html.split("<article")[1:3]
    assert f"Found by sub-question 1 {written.PARTS[0]} 2 {written.PARTS[1]}" in text(first)
    assert f"Found by sub-question 2 {written.PARTS[1]}" in text(second)
    assert "vector sub-question 2 #2 0.710 cosine 0.600 0.150" in text(first)
    assert "Found by" not in ledger.panel(sample.answered_trace())


@pytest.mark.accept("A7")
def test_grades_are_shown_out_of_three_and_a_failed_one_is_a_dash():
    first, second, third = ledger.panel(written.careful()).split("<article")[1:4]
    assert "grade 3 of 3" in text(first)
    assert "Grade #1 3 grade 0–3" in text(first)
    assert "grade 0 of 3" in text(third)
    assert "Grade – not graded: the reply was empty" in text(second)
    assert "grade 0" not in text(second)


def test_the_grade_is_a_term_of_the_waterfall():
    shown = text(confidence.panel(written.confidence()))
    assert "Grades by the model adjustment the best passage has grade 3 of 3 +0.050" in shown
    assert "0.711 + 0.050 = 0.761" in shown


# ---------------------------------------------------------------- what the model saw


@pytest.mark.accept("C6")
def test_the_prompt_is_shown_to_the_letter_with_its_budget():
    html = prompt.panel(written.careful(), 3)
    shown = text(html)
    assert "What the model saw window 8,192 tokens" in shown
    assert "rules 700 earlier turns 210 sources 3,900 question 40" in shown
    assert "kept for the answer 1,024 safety margin 256 unused 2,062" in shown
    assert "our estimate of what was sent: 4,850 tokens; counted by the model server: 4,712" in shown
    assert "estimate multiplied by 1.12" in shown
    assert 'data-chunk="travel-1" data-cite="" data-turn="3"' in html
    assert "Shortened to their first sentences 员工手册.docx › 第三章 假期 › 年休假" in shown
    assert "2 earlier turns did not fit." in shown
    for _, said in written.prompt().messages:
        assert " ".join(said.split()) in shown
    replied = written.trace(written.written(reply="Leave lapses [1] [9]."))
    assert "reply Leave lapses [1] [9]." in text(prompt.panel(replied))
    assert 'class="gb-p-evidence" style="width:47.6%"' in html  # 3,900 / 8,192


# ---------------------------------------------------------------- work under way


@pytest.mark.accept("E4")
def test_what_the_model_is_doing_is_said_with_its_seconds():
    assert "Loading qwen3:8b into memory 12 s This happens once" in text(working("condense", "loading"))
    assert "Reading 3 sources · qwen3:8b 12 s" in text(working("answer", "reading"))
    assert "Writing · qwen3:8b 12 s" in text(working("answer", "writing"))
    assert "Checking the answer · qwen3:8b 12 s" in text(working("verify", "reading"))
    assert 'data-since="1000.0"' in working("verify", "reading")
    assert "2 min 05 s" in progress.panel(written.trace(), now("answer", "reading", 125.9))


def current(html: str) -> str:
    return re.findall(r'aria-current="step">([^<]*)<', html)[0]


def test_the_stages_are_those_of_the_effort():
    quick = {"answering": {"writer": "ollama", "model": "m", "effort": "quick"}}
    assert progress.stages(written.trace()) == ("searching", "judging", "grading", "answering", "checking")
    assert progress.stages(written.trace(settings=quick)) == ("searching", "judging", "answering")
    assert progress.stages(sample.answered_trace()) == ("searching", "judging", "answering")
    assert [current(working(p, "reading")) for p in ("condense", "grade", "answer", "verify")] == [
        "searching",
        "grading",
        "answering",
        "checking",
    ]


def test_grading_that_was_not_needed_is_not_called_done():
    ungraded = written.trace(*(s for s in sample.steps()[1:] if s.kind != "answered"))
    assert "grading (not needed)" in text(working("answer", "reading", ungraded))
    assert "grading (done)" in text(working("answer", "reading"))


def test_a_second_draft_takes_the_place_of_the_first():
    trace = written.trace(*written.until_answer(), written.written(draft=1))
    under = conversation.Under("Leave lapses", 2, now("answer", "writing"))
    shown = text(conversation.panel([trace], 0, under))
    assert "Written anew after the check Leave lapses" in shown
    assert "Contractors have none." not in shown


# ---------------------------------------------------------------- effort


def test_each_effort_says_what_it_costs_in_both_languages():
    assert effort.choices(3, T("en")) == [
        ("Quick · 1 request", "quick"),
        (f"Balanced · up to {EFFORTS['balanced'].calls(3)}", "balanced"),
        (f"Careful · up to {EFFORTS['careful'].calls(3)}", "careful"),
    ]
    assert "评分" in effort.hint("careful", 3, "zh")
    assert "grades the passages" in effort.hint("careful", 3, "en")


# ---------------------------------------------------------------- both languages

TRACES = [written.careful, written.imagined, written.cut, written.declined_by_model, written.declined_by_check,
          written.quoted_instead, written.failed]  # fmt: skip


@pytest.mark.parametrize("make", TRACES)
def test_a_chinese_screen_has_no_english_words_of_its_own(make):
    own = {*re.findall(r"[A-Za-z]+", " ".join([written.QUESTION, *written.PARTS, written.IMAGINED, sample.LEAVE]))}
    own |= {*re.findall(r"[A-Za-z]+", " ".join(s.text for s in written.sentences()))}
    html = conversation.panel([make()], 0, lang="zh") + evidence.panel(make(), lang="zh")
    plain = re.sub(r"<pre.*?</pre>|<code.*?</code>|<blockquote.*?</blockquote>|<bdi class=.*?</bdi>", " ", html)
    words = set(re.findall(r"[A-Za-z]{3,}", text(plain))) - own
    left = words & {"the", "tokens", "reply", "grade", "draft", "checked", "done", "failed", "asked", "call",
                    "sub", "support", "written"}  # fmt: skip
    assert left == set()
