"""The indexes of a knowledge base as pure HTML: the cost, the building, the switch and the way back."""

from __future__ import annotations

import re

import pytest

from assistant.reembed import EmbedMoment, Estimate, Index, ReembedReport
from ui.panels import reembedding
from ui.panels.reembedding import Embedding

STOP = re.compile(r"\b(?:the|is|of|and|was|with|needs|this|in|for|by)\b", re.IGNORECASE)
BGE = "ollama:bge-m3"
OWN = Index(
    fingerprint="a1", provider="embedded", model="multilingual-e5-small", text="multilingual-e5-small (embedded)",
    dimension=384, chunks=5412, there=5412, complete=True, current=True, bytes=8_500_000,
)  # fmt: skip
NEW = OWN.model_copy(
    update={"fingerprint": "b2", "provider": "ollama", "model": "bge-m3", "text": "bge-m3 (ollama)", "there": 1200,
            "complete": False, "current": False}
)  # fmt: skip
COST = Estimate(
    model="bge-m3 (ollama)", fingerprint="b2", chunks=5412, there=0, seconds=312.0, max_tokens=8192, bytes=22_000_000
)
REPORT = ReembedReport(model="bge-m3 (ollama)", fingerprint="b2", chunks=5412, there=5412, complete=True)


def words(html: str) -> str:
    hints = " ".join(re.findall(r'(?:title|aria-label)="([^"]*)"', html))
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html) + hints)


def panel(doing: str = "build", lang: str = "en", **now: object) -> str:
    return reembedding.panel((OWN,), Embedding(doing, BGE, **now), lang)  # type: ignore[arg-type]


def acts(html: str) -> list[str]:
    return re.findall(r'data-act="(\w+)"', html)


@pytest.mark.accept("F6")
def test_the_cost_names_the_model_the_chunks_the_minutes_and_what_works_meanwhile():
    html = panel("estimate", estimate=COST)
    shown = words(html)
    assert "Build an index with bge-m3 ?" in shown
    assert "5,412 chunks are embedded anew, which takes about 5 min 12 s. No file is read again." in shown
    assert "The index takes 22 MB on the disk, beside the present one." in shown
    assert "Meanwhile questions are answered from the present index" in shown
    assert f'data-act="build" data-name="{BGE}"' in html


def test_what_is_done_already_is_said_and_an_unknown_time_is_not_made_up():
    shown = words(panel("estimate", estimate=COST.model_copy(update={"there": 1200, "seconds": None, "too_long": 1})))
    assert "4,212 chunks are embedded anew, which takes a time that could not be measured." in shown
    assert "1,200 chunks are done already." in shown
    assert "1 chunk is longer than the 8,192 tokens that it reads at once" in shown


def test_an_index_that_lacks_nothing_can_be_switched_to_at_once():
    html = panel("estimate", estimate=COST.model_copy(update={"there": 5412, "seconds": 0.0}))
    assert "Nothing is left to embed" in html
    assert acts(html) == ["switch", "dismiss_index"]


def test_a_model_that_cannot_be_used_says_why_and_offers_no_start():
    html = panel("estimate", message="Ollama has no model 'bge-m3'.")
    assert "bge-m3 cannot be used Ollama has no model" in words(html)
    assert acts(html) == ["dismiss_index"]


@pytest.mark.accept("F2")
def test_a_complete_index_can_be_used_and_an_incomplete_one_be_gone_on_with():
    partial = reembedding.panel((OWN, NEW), Embedding())
    assert acts(partial) == ["build", "remove_index"]
    assert "1,200 of 5,412 chunks" in words(partial)
    complete = NEW.model_copy(update={"there": 5412, "complete": True})
    html = reembedding.panel((OWN, complete), Embedding())
    assert acts(html) == ["switch", "remove_index"]
    assert "Remove the index of <bdi>bge-m3 (ollama)</bdi> (8 MB)?" in html


def test_the_index_in_use_cannot_be_removed_and_nothing_is_begun_while_something_goes_on():
    assert acts(reembedding.panel((OWN,), Embedding())) == []
    assert acts(reembedding.panel((OWN, NEW), Embedding("build", BGE, running=True))) == []


def test_the_built_in_model_is_offered_to_a_base_that_uses_a_server():
    assert 'data-act="estimate" data-name="embedded:"' in reembedding.panel((OWN,), Embedding(built_in=True))
    assert "Build an index with the built-in model" in words(
        reembedding.panel((OWN,), Embedding("estimate", "embedded:", estimate=COST))
    )


def test_building_shows_chunks_rate_and_time_left():
    now = EmbedMoment(model="bge-m3", done=1353, total=5412, chunks_per_second=12.5, seconds_left=324.7)
    html = panel(running=True, now=now)
    assert "Building the index of bge-m3 1,353 of 5,412 chunks · 12.5 chunks/s · about 5 min 25 s left" in words(html)
    assert "width:25.0%" in html
    assert "Stopping after the present passages" in panel(running=True, stopping=True, now=now)


@pytest.mark.parametrize(
    ("doing", "changes", "says", "offers"),
    [
        ("build", {}, "The index of bge-m3 is complete", ["switch", "dismiss_index"]),
        ("build", {"cancelled": True, "complete": False, "there": 9}, "9 of 5,412 chunks", ["build", "dismiss_index"]),
        ("switch", {"switched": True}, "Passages are found with bge-m3 now", ["dismiss_index"]),
        ("switch", {"complete": False, "failed": ("a.md: chunk 3 got no vector.",)}, "1 passage without a vector",
         ["switch", "dismiss_index"]),
    ],
)  # fmt: skip
def test_how_it_ended_is_said_with_the_next_step(doing, changes, says, offers):
    html = panel(doing, report=REPORT.model_copy(update=changes))
    assert says in words(html)
    assert acts(html) == offers


def test_a_failure_keeps_the_base_as_it_is_and_can_be_tried_again():
    html = panel("switch", message="Ollama does not answer.")
    assert "The base stays with its model; bge-m3 is not ready Ollama does not answer." in words(html)
    assert acts(html) == ["switch", "dismiss_index"]


@pytest.mark.accept("F1")
@pytest.mark.accept("F5")
def test_another_model_in_the_settings_is_a_choice_and_no_error():
    html = reembedding.wished("e5 (embedded)", BGE)
    assert "built with e5 (embedded) ; the settings ask for bge-m3" in words(html)
    assert acts(html) == ["estimate_wished", "keep_model", "later"]
    assert reembedding.wished("e5", "") == ""


@pytest.mark.parametrize(
    "html",
    [
        reembedding.panel((OWN, NEW), Embedding(built_in=True), "zh"),
        panel("estimate", "zh", estimate=COST.model_copy(update={"there": 2, "too_long": 3})),
        panel("estimate", "zh", message="x"),
        panel("estimate", "zh", running=True),
        panel("build", "zh", running=True, now=EmbedMoment(model="m", done=1, total=2, chunks_per_second=1.0)),
        panel("switch", "zh", running=True, stopping=True),
        panel("build", "zh", report=REPORT.model_copy(update={"cancelled": True})),
        panel("build", "zh", report=REPORT.model_copy(update={"complete": False, "failed": ("x",)})),
        panel("switch", "zh", report=REPORT.model_copy(update={"switched": True})),
        reembedding.wished("e5", "ollama:bge-m3", "zh"),
    ],
)
def test_a_chinese_screen_holds_no_english_sentence(html):
    assert STOP.findall(words(html)) == []


def test_names_are_shown_and_never_run():
    evil = '<img src=x onerror="harm()">'
    index = NEW.model_copy(update={"text": evil, "model": evil, "provider": evil})
    for html in (
        reembedding.panel((index,), Embedding("build", f"ollama:{evil}", message=evil)),
        reembedding.panel((index,), Embedding("estimate", f"ollama:{evil}", estimate=COST)),
        reembedding.wished(evil, f"ollama:{evil}"),
    ):
        assert "<img" not in html
        assert 'onerror="' not in html
