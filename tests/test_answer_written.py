"""The written answer: what the model sees, and that only numbers of given sources stay."""

from __future__ import annotations

import pytest
from records import passage

from assistant.answer.budget import estimate_tokens, fit
from assistant.answer.written import check

USED = (passage("a", "Hotels cost 150 euros."), passage("b", "住宿标准为 450 元。"))


def test_valid_numbers_stay_and_others_are_removed_and_counted():
    said, citations, removed = check("It is 150 euros [1]. Breakfast is free [7].", USED)
    assert [(s.text, s.citations) for s in said] == [("It is 150 euros.", (1,)), ("Breakfast is free.", ())]
    assert [(c.number, c.chunk_id, c.text) for c in citations] == [(1, "a", "Hotels cost 150 euros.")]
    assert removed == (7,)


def test_marks_behind_the_full_stop_belong_to_the_sentence_before():
    said, _, _ = check("It is 150 euros. [1] 住宿标准为 450 元。[2]", USED)
    assert [(s.text, s.citations) for s in said] == [("It is 150 euros.", (1,)), ("住宿标准为 450 元。", (2,))]


@pytest.mark.parametrize("mark", ["【2】", "［2］", "[来源 2]", "[Source 2]"])
def test_other_forms_of_brackets_are_understood(mark):
    assert check(f"住宿标准为 450 元{mark}。", USED)[0][0].citations == (2,)


def test_a_sentence_without_a_number_says_that_it_names_no_source():
    assert check("It is free.", USED)[0][0].why == "names no source"


def test_an_empty_reply_has_no_sentences():
    assert check("  ", USED) == ((), (), ())


def test_chinese_counts_far_more_tokens_a_character_than_english():
    # 10 Han × 0.85 × 1.1 = 9.35; 10 letters × 0.22 × 1.1 = 2.42; rounded up
    assert (estimate_tokens("住" * 10), estimate_tokens("a" * 10), estimate_tokens("")) == (10, 3, 0)


def test_sources_are_dropped_lowest_first_and_one_always_stays():
    long = tuple(passage(i, "住" * 100) for i in "abc")  # 94 + 20 tokens each
    kept, left_out = fit(long, 230)
    assert ([p.chunk_id for p in kept], [p.chunk_id for p in left_out]) == (["a", "b"], ["c"])
    assert len(fit(long, 10)[0]) == 1
