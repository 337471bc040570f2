"""Marking and escaping: shown to the letter, inert, in its own direction."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.panels.marking import Lit, mark, term_spans
from ui.panels.markup import esc, place, said
from ui.texts import T

TAG = re.compile(r"<[^>]*>")


def marked(text: str, *terms: str) -> list[str]:
    return [text[a:b] for a, b in term_spans(text, terms)]


def test_terms_are_found_whatever_their_case_width_or_accent():
    assert marked("Leave, ＬＥＡＶＥ and cafés at the Café", "leave", "cafe") == ["Leave", "ＬＥＡＶＥ", "Café"]


def test_a_term_is_a_whole_word_and_its_plural_only_where_it_stands_nowhere_else():
    assert marked("The cat concatenates cats", "cat") == ["cat"]
    assert marked("All policies and years", "policy", "year") == ["policies", "years"]


def test_chinese_terms_are_found_inside_a_run_and_touching_ones_are_one_mark():
    assert marked("员工年休假规定", "年休", "休假") == ["年休假"]
    assert marked("报销policy表", "policy") == ["policy"]


def test_identifiers_and_grouped_numbers_are_found():
    assert marked("form PPR-9087, total 12,500 of 112,500", "ppr-9087", "12500") == ["PPR-9087", "12,500"]


def test_a_cited_sentence_is_lit_around_its_marked_terms():
    html = mark("Ten days. More.", ["days"], [Lit(0, 9, 2)])
    assert html == (
        '<mark class="gb-lit" data-cite="2">Ten <mark class="gb-term">days</mark>.<sup>2</sup></mark> More.'
    )


@given(st.text(max_size=60), st.lists(st.text(max_size=4), max_size=4))
def test_marking_changes_no_letter(text: str, terms: list[str]):
    shown = "".join(TAG.sub("", mark(text, terms)).split())
    assert shown == "".join(esc(text).split())


@pytest.mark.parametrize(
    "text",
    ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "'onmouseover='x", "${alert(1)}", "{{#each}}"],
)
def test_hostile_text_is_inert(text: str):
    html = said(text)
    assert "<" not in TAG.sub("", html)
    assert re.findall(r"<[^>]*>", html) == ["<bdi>", "</bdi>"]
    assert "${" not in html
    assert "{{" not in html
    assert '"' not in esc(text)
    assert "'" not in esc(text)


def test_reordering_and_control_characters_are_shown_not_obeyed():
    assert esc("gpj.\u202eexe\u0007\ud800") == "gpj.[U+202E]exe[U+0007][U+D800]"
    assert esc("a\u200bb\ufeff") == "ab"
    assert esc("a\r\nb\u2028c") == "a\nb\nc"


def test_place_names_document_heading_and_pages():
    html = place("a.pdf", ("1", "1.2"), (3, 4), T("en"))
    assert TAG.sub("", html) == "a.pdf·1 › 1.2·pp. 3–4"
    assert "第 3 页" in place("a.pdf", (), (3, 3), T("zh"))


def test_blank_lines_become_one_gap():
    assert mark("a\n \n\n\nb\nc") == 'a<i class="gb-gap"></i>b\nc'
