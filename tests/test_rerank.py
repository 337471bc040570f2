"""Gates: what is dropped says why, and no earlier score is lost."""

from __future__ import annotations

import pytest
from records import passage, text, vector

from assistant.fusion.fuse import fuse
from assistant.rerank import RERANKERS, Scored
from assistant.rerank.rerank import rerank
from assistant.settings import Retrieval


def fused_of(settings, passages):
    scores = {p.chunk_id: 0.9 - n / 10 for n, p in enumerate(passages)}
    return fuse([vector(scores), text({})], passages, settings)


def test_without_a_reranker_the_fused_order_is_final_and_the_score_is_not_run():
    settings = Retrieval()
    final = rerank(fused_of(settings, [passage(i) for i in "abc"]), settings)
    assert [(c.chunk_id, c.final_rank) for c in final.candidates] == [("a", 1), ("b", 2), ("c", 3)]
    assert final.candidates[0].rerank.state == "not_run"
    assert final.state == "not_run"


def test_keep_drops_the_rest_with_the_gate_that_dropped_it():
    settings = Retrieval(keep=2)
    final = rerank(fused_of(settings, [passage(i) for i in "abc"]), settings)
    assert [c.final_rank for c in final.candidates] == [1, 2, None]
    assert final.candidates[2].dropped.gate == "keep"


@pytest.mark.accept("A3")
def test_min_fused_names_the_score_and_the_bound():
    settings = Retrieval(min_fused=0.3, fusion="min_max")
    final = rerank(fused_of(settings, [passage(i) for i in "abc"]), settings)
    # min-max of .9 .8 .7 = 1 .5 0, weight .5 → .5 .25 0
    assert [c.chunk_id for c in final.kept] == ["a"]
    assert final.candidates[1].dropped.why == "fused score 0.250 is below 0.300"


@pytest.mark.accept("B11")
def test_equal_texts_collapse_into_one_with_the_other_places():
    twins = [passage("a", "Same  text"), passage("b", "same text", document="copy.md", pages=(3, 3)), passage("c")]
    final = rerank(fused_of(Retrieval(), twins), Retrieval())
    assert [c.chunk_id for c in final.kept] == ["a", "c"]
    assert [(p.document, p.pages) for p in final.kept[0].also_in] == [("copy.md", (3, 3))]
    assert final.candidates[-1].dropped.gate == "duplicate"


@pytest.mark.accept("A9")
def test_a_reranker_reorders_and_keeps_every_earlier_score():
    RERANKERS.add("test", lambda asked, passages, settings: Scored.of({"a": 0.1, "b": 0.9}, "points"))
    settings = Retrieval(reranker="test")
    fused = fused_of(settings, [passage(i) for i in "ab"])
    final = rerank(fused, settings)
    assert [(c.chunk_id, c.fused_rank, c.rerank_rank) for c in final.kept] == [("b", 2, 1), ("a", 1, 2)]
    assert {c.chunk_id: c.routes for c in final.kept} == {c.chunk_id: c.routes for c in fused.candidates}


def test_a_failing_reranker_leaves_the_fused_order_and_says_so():
    def broken(asked, passages, settings):
        raise ValueError("no model")

    RERANKERS.add("broken", broken)
    settings = Retrieval(reranker="broken")
    final = rerank(fused_of(settings, [passage(i) for i in "ab"]), settings)
    assert [c.chunk_id for c in final.kept] == ["a", "b"]
    assert final.state == "failed"
    assert final.candidates[0].rerank.state == "failed"


def test_neighbours_are_added_after_the_kept_chunks_with_their_reason():
    settings = Retrieval(keep=1)
    beside = {"a": [passage("x", "next door")]}
    final = rerank(fused_of(settings, [passage("a"), passage("b")]), settings, beside)
    assert [(c.chunk_id, c.final_rank) for c in final.kept] == [("a", 1), ("x", 2)]
    assert final.kept[1].fused.state == "not_run"
    assert final.passages[0].chunk_id == "x"
