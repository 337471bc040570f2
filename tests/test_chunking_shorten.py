"""Shortening: whole sentences, those about the question first, never more than there is room for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.chunking.shorten import fitted, shorten
from assistant.providers.counting import TokenCounter


def test_a_text_that_fits_stays_as_it_is():
    assert shorten("One.  Two.\n", 11, len) == "One.  Two.\n"


@pytest.mark.parametrize(
    ("text", "most", "about", "short"),
    [
        ("One one. Two two. Three.", 20, (), "One one. …"),
        ("One one. Two two. Three.", 20, ("two",), "… Two two. …"),
        ("One one. Two two. Three.", 23, ("three",), "One one. … Three."),
        ("第一句话。年假为12天。第三句话。", 14, ("年", "假"), "… 年假为12天。 …"),
        ("Unbreakable", 5, (), "Unbre"),
        ("One.", 0, (), ""),
        ("", 0, (), ""),
    ],
)
def test_sentences_about_the_terms_stay_and_gaps_are_shown(text, most, about, short):
    assert shorten(text, most, len, about) == short


def test_long_texts_share_what_short_ones_leave():
    texts = ["a b. " * 20, "short", "c d. " * 20]
    shown = fitted(texts, 65, len)
    assert shown[1] == "short"
    assert [len(t) <= 30 for t in shown] == [True] * 3
    assert min(len(shown[0]), len(shown[2])) > 15
    assert fitted([], 10, len) == []


@given(st.lists(st.text("ab。. \n年假1", max_size=80), max_size=5), st.integers(0, 60))
def test_no_more_than_there_is_room_for(texts, room):
    count = TokenCounter().count
    assert sum(map(count, fitted(texts, room, count, ("年假",)))) <= room
