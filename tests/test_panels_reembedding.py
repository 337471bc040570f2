"""The indexes of a knowledge base as pure HTML: the cost, the building, the switch and the way back."""

from __future__ import annotations

import re

import pytest

from ui.panels import reembedding
from ui.panels.reembedding import Building, Cost, Index, Indexes

STOP = re.compile(r"\b(?:the|is|of|and|was|with|needs|this|in|for|by)\b", re.IGNORECASE)
OWN = Index("a1", "multilingual-e5-small (embedded)", 384, 5412, 5412, "active")
NEW = Index("b2", "bge-m3 (ollama)", 1024, 1200, 5412, "partial")


def words(html: str) -> str:
    hints = " ".join(re.findall(r'(?:title|aria-label)="([^"]*)"', html))
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html) + hints)


def panel(**now: object) -> str:
    return reembedding.panel(Indexes(indexes=(OWN,), **now))  # type: ignore[arg-type]


@pytest.mark.accept("F6")
def test_the_cost_names_the_model_the_chunks_the_minutes_and_what_works_meanwhile():
    shown = words(panel(cost=Cost("bge-m3", chunks=5412, seconds=312.0)))
    assert "Build an index with bge-m3 ?" in shown
    assert "5,412 chunks are embedded anew, which takes about 5 min 12 s. No file is read again." in shown
    assert "Meanwhile questions are answered from the present index." in shown


def test_what_is_done_already_is_said_and_an_unknown_time_is_not_made_up():
    shown = words(panel(cost=Cost("bge-m3", chunks=4212, done=1200)))
    assert "takes a time that is not known yet" in shown
    assert "1,200 chunks are done already." in shown


def test_a_model_that_cannot_be_used_says_why_and_offers_no_start():
    html = panel(cost=Cost("bge-m3", why="Ollama has no model 'bge-m3'."))
    assert "Ollama has no model" in html
    assert 'data-act="build"' not in html


@pytest.mark.accept("F2")
def test_a_complete_index_can_be_used_and_an_incomplete_one_be_gone_on_with():
    html = reembedding.panel(Indexes((OWN, NEW)))
    assert 'data-act="go_on" data-name="b2"' in html
    assert 'data-act="switch"' not in html
    complete = reembedding.panel(Indexes((OWN, Index("b2", "bge-m3", 1024, 5412, 5412, "complete"))))
    assert 'data-act="switch" data-name="b2"' in complete
    assert "Remove the index of <bdi>bge-m3</bdi>?" in complete


def test_the_index_in_use_cannot_be_removed():
    assert "data-act" not in panel()
    assert "answers the questions" in panel()


def test_building_shows_chunks_rate_and_time_left():
    html = panel(building=Building("bge-m3", True, done=1353, chunks=5412, rate=12.5, seconds_left=324.7))
    assert "Building the index of bge-m3 1,353 of 5,412 chunks · 12.5 chunks/s · about 5 min 25 s left" in words(html)
    assert "width:25.0%" in html


def test_while_one_is_built_no_other_is_begun():
    assert 'data-act="go_on"' not in reembedding.panel(Indexes((OWN, NEW), building=Building("bge-m3", True)))


@pytest.mark.parametrize(
    ("building", "says", "act"),
    [
        (Building("m", ended="done"), "The index of m is complete", "dismiss_build"),
        (Building("m", ended="stopped"), "Stopped: the index of m", "build"),
        (Building("m", message="Ollama does not answer."), "could not be completed Ollama does not answer.", "build"),
    ],
)
def test_how_a_building_ended_is_said_with_the_next_step(building, says, act):
    html = panel(building=building)
    assert says in words(html)
    assert f'data-act="{act}"' in html


@pytest.mark.accept("F1")
@pytest.mark.accept("F5")
def test_another_model_in_the_settings_is_a_choice_and_no_error():
    html = reembedding.wished("e5 (embedded)", "bge-m3")
    assert "built with e5 (embedded) ; the settings ask for bge-m3" in words(html)
    assert re.findall(r'data-act="(\w+)"', html) == ["estimate_wished", "keep_model", "later"]
    assert reembedding.wished("e5", "") == ""


@pytest.mark.parametrize(
    "html",
    [
        reembedding.panel(Indexes((OWN, NEW), Cost("m", 5, 2, 3.0), built_in=True), "zh"),
        reembedding.panel(Indexes((OWN,), Cost("m", why="x")), "zh"),
        reembedding.panel(Indexes((OWN,), building=Building("m", True, done=1, chunks=2, rate=1.0)), "zh"),
        reembedding.panel(Indexes((OWN,), building=Building("m", True, stopping=True)), "zh"),
        reembedding.panel(Indexes((OWN,), building=Building("m", ended="stopped")), "zh"),
        reembedding.wished("e5", "bge-m3", "zh"),
    ],
)  # fmt: skip
def test_a_chinese_screen_holds_no_english_sentence(html):
    assert STOP.findall(words(html)) == []


def test_names_are_shown_and_never_run():
    evil = '<img src=x onerror="harm()">'
    index = Index(evil, evil, 8, 1, 2, "partial")
    for html in (
        reembedding.panel(Indexes((index,), Cost(evil, 1), Building(evil, message=evil))),
        reembedding.wished(evil, evil),
    ):
        assert "<img" not in html
        assert 'onerror="' not in html
