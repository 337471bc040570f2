"""Confidence, attempts and ledger: what they contain, in which order, and that the numbers on screen add up."""

from __future__ import annotations

import re

import pytest
import sample_traces as sample
from hypothesis import given
from hypothesis import strategies as st

from assistant.trace import Candidate, Reading, Reranked
from ui.panels import attempts as attempts_panel
from ui.panels import confidence, evidence, ledger

TAG = re.compile(r"<[^>]*>")


def text(html: str) -> str:
    return re.sub(r"\s+", " ", TAG.sub(" ", html)).strip()


def points(html: str) -> list[float]:
    cells = re.findall(r'gb-points gb-(?:plus|minus|zero)"[^>]*>([^<]*)<', html)
    return [float(c.replace("−", "-").replace("+", "")) for c in cells]


def test_confidence_shows_number_decision_limit_and_the_whole_calculation():
    trace = sample.answered_trace()
    html = confidence.panel(trace.confidence, trace.last("decided"))
    shown = text(html)
    assert "0.61 Confidence Answer" in shown
    assert "Limited by 1 of 4 words of the question is not in any passage" in shown
    assert "0.61 is at least 0.60." in shown
    assert "−2.000 + 1.600 + 1.300 + 0.000 = 0.900" in shown
    assert "1 / (1 + e^−(0.900)) = 0.711" in shown
    assert "0.711 − 0.100 = 0.611" in shown
    assert "The best source is 14 months old." in shown
    assert 'aria-valuenow="0.611"' in html


def test_points_on_screen_add_up_to_the_confidence_on_screen():
    html = confidence.panel(sample.confidence())
    assert points(html) == [0.119, 0.282, 0.31, 0.0, -0.1]
    assert round(sum(points(html)), 3) == 0.611
    assert "= 0.611" in text(html)


@pytest.mark.accept("A7")
def test_a_signal_that_was_not_computed_is_a_dash_with_its_reason():
    html = confidence.panel(sample.confidence())
    row = html[html.index("rerank margin") :][:900]
    assert "no reranker chosen" in row
    assert "gb-not_run" in row
    assert ">–<" in row


def test_confidence_before_judging_is_no_number():
    html = confidence.panel(None, lang="zh")
    assert "尚未评估" in html
    assert not re.search(r"\d", text(html))


def test_attempts_show_query_reason_change_and_gain():
    trace = sample.answered_trace()
    shown = text(attempts_panel.panel(trace, 2))
    assert "First search" in shown
    assert "annual leave days entitlement" in shown
    assert "Searches deeper because the best passages lack one word." in shown
    assert "retrieval.depth = 100" in shown
    assert "0.31 → 0.61" in shown
    assert "Answer +0.30" in shown
    assert shown.index("0.31 is between") < shown.index("Searches deeper")
    assert 'data-attempt="1"' in attempts_panel.panel(trace, 2)
    assert 'data-attempt="1"' not in attempts_panel.panel(trace, 1)


def test_a_late_route_is_named_with_its_reason():
    html = evidence.panel(sample.late_trace())
    assert "late: took longer than 0.3 s" in text(html)
    assert "– late" in text(html)


@pytest.mark.accept("A8")
@pytest.mark.accept("A11")
def test_ledger_shows_every_score_and_what_each_stage_moved():
    html = ledger.panel(sample.answered_trace())
    shown = text(html)
    assert "HR policy 2024.pdf · 2 Leave › 2.1 Annual leave · p. 3" in shown
    assert "vector #5 4 · text #1 = → Fused #1 → Rerank – → Final #1" in shown
    assert "vector #5 0.830 cosine 0.830 0.415" in shown
    assert "text #1 9.10 BM25 1.000 0.500" in shown
    assert "Rerank – no reranker chosen" in shown
    assert shown.index("HR policy 2024.pdf") < shown.index("员工手册.docx")
    assert 'title="#1 → #2" aria-label="down 1"' in html


@pytest.mark.accept("D5")
def test_ledger_marks_terms_and_lights_the_cited_sentence():
    html = ledger.panel(sample.answered_trace())
    assert '<mark class="gb-lit" data-cite="1">Employees with more than ten <mark class="gb-term">years</mark>' in html
    assert '<mark class="gb-lit" data-cite="2">年休假10天<sup>2</sup></mark>' in html
    shown = text(html)
    assert "in this passage annual leave year not in it entitle" in shown
    assert "Also in HR policy 2023.pdf · p. 4" in shown


@pytest.mark.accept("A3")
def test_dropped_candidates_stand_below_with_the_sentence_of_their_gate():
    shown = text(ledger.panel(sample.answered_trace()))
    assert "1 candidate was dropped" in shown
    assert shown.index("员工手册.docx · 第三章") < shown.index("dropped: fused 0.10 &lt; 0.30")


@pytest.mark.accept("A10")
def test_how_the_score_came_about_has_this_passages_own_numbers():
    shown = text(ledger.panel(sample.answered_trace()))
    assert "leave 2 41 4.87 5.20" in shown
    assert "annual 1 63 4.45 3.10" in shown
    assert "year 1 977 1.71 0.80" in shown
    assert "BM25 = 9.10" in shown
    assert "cosine = 0.830 All 5,412 chunks against this question: mean 0.310, standard deviation 0.070." in shown
    assert "vector: 0.50 × 0.830 = 0.415 text: 0.50 × 1.000 = 0.500 0.415 + 0.500 = 0.915" in shown


def test_reciprocal_rank_scores_are_no_percentages_and_show_their_formula():
    html = ledger.panel(sample.reciprocal_trace())
    shown = text(html)
    assert "Fused 0.0318" in shown
    assert "vector: 1.00 / (60 + 5) = 0.0154 text: 1.00 / (60 + 1) = 0.0164 0.0154 + 0.0164 = 0.0318" in shown
    assert "%" not in shown


@pytest.mark.accept("A7")
def test_scores_of_a_route_that_was_late_or_failed_are_dashes():
    html = ledger.panel(sample.late_trace())
    row = text(html[html.index("gb-scores") :])
    assert "vector – – vector route was late: took longer than 0.3 s – –" in row
    assert "the reranker stopped: out of memory" in row
    assert "0.000" not in row[: row.index("How this score came about")]


@pytest.mark.accept("A2")
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_displayed_order_and_displayed_number_agree(scores: list[float]):
    ordered = sorted(scores, reverse=True)
    made = tuple(
        Candidate(chunk_id=f"c{i}", routes=(), fused=Reading.of(s), fused_rank=i + 1, final_rank=i + 1)
        for i, s in enumerate(ordered)
    )
    step = sample.fused().model_copy(update={"candidates": made, "passages": ()})
    html = ledger.panel(sample.new_trace(steps=(step, Reranked(reranker="none", candidates=made))))
    shown = re.findall(r"<small>Fused</small> <span[^>]*>([^<]*)<", html)
    numbers = [0.0005 if n.startswith("&lt;") else float(n) for n in shown]
    assert len(numbers) == len(ordered)
    assert numbers == sorted(numbers, reverse=True)


def test_evidence_before_a_question_invites_and_after_an_empty_search_helps():
    assert "The evidence appears here" in evidence.panel(None)
    nothing = sample.fused().model_copy(update={"candidates": (), "passages": ()})
    assert "No passage was found" in evidence.panel(sample.new_trace(steps=(nothing, Reranked(reranker="none"))))


def test_evidence_in_chinese_speaks_chinese():
    shown = text(evidence.panel(sample.answered_trace(), lang="zh"))
    for words in ("置信度", "各次尝试", "向量", "得分的由来", "查看计算过程", "第 3 页"):
        assert words in shown


@pytest.mark.accept("C6")
def test_what_the_model_saw_is_there_to_the_letter():
    shown = text(evidence.panel(sample.caveat_trace()))
    assert "What the model saw window 8,192 tokens" in shown
    assert "our estimate of what was sent: 1,212 tokens; counted by the model server: 1,240" in shown
    assert "Left out for lack of room travel.md › Refunds" in shown


def test_hostile_documents_stay_text_in_every_panel():
    bad = '"><img src=x onerror=alert(1)><script>alert(1)</script>\u202e${x}' + "W" * 10_000
    passage = sample.passages()[0].model_copy(
        update={"text": bad, "document": bad, "heading": (bad,), "end": 100 + len(bad)}
    )
    step = sample.fused().model_copy(update={"passages": (passage, *sample.passages()[1:])})
    html = evidence.panel(sample.new_trace(bad, steps=(*sample.retrieved(), step, sample.reranked())))
    assert "<img" not in html
    assert "<script" not in html
    assert "\u202e" not in html
    assert "${" not in html
    assert html.count("W" * 10_000) >= 3
