"""Fusion: shares add up, weights count, order is reproducible from the ledger alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from records import passage, retrieved, term, text, vector

from assistant.fusion.fuse import fuse
from assistant.settings import Retrieval

MIN_MAX = Retrieval(fusion="min_max")
PASSAGES = [passage(i) for i in "abcd"]


def test_min_max_shares_are_weight_times_normalised_score():
    fused = fuse([vector({"a": 0.9, "b": 0.8, "c": 0.7}), text({"b": 6.0, "d": 2.0})], PASSAGES, MIN_MAX)
    # vector: a 1, b .5, c 0; text: b 1, d 0; weights .5/.5 → b .25+.5, a .5, c 0, d 0
    assert [(c.chunk_id, round(c.fused.value, 6)) for c in fused.candidates] == [
        ("b", 0.75),
        ("a", 0.5),
        ("c", 0),
        ("d", 0),
    ]
    b = fused.candidates[0]
    assert [(r.route, r.rank, r.raw.value, r.normalised.value, r.share) for r in b.routes] == [
        ("vector", 2, 0.8, pytest.approx(0.5), pytest.approx(0.25)),
        ("text", 1, 6.0, 1.0, 0.5),
    ]


def test_scores_are_headroom_for_cosines_and_share_of_the_bound_for_bm25():
    # headroom (0.9 − 0.7) / (1 − 0.7) = 2/3; bound of BM25 = (3 + 1) × 2.2 = 8.8, 4.4 of it is a half
    terms = (term("leave", idf=3.0), term("days", idf=1.0))
    fused = fuse([vector({"a": 0.9}, mean=0.7), text({"b": 4.4}, terms)], PASSAGES, Retrieval())
    assert [(c.chunk_id, c.fused.value) for c in fused.candidates] == [
        ("a", pytest.approx(0.5 * 2 / 3)),
        ("b", pytest.approx(0.25)),
    ]
    assert [c.routes[n].normalised.unit for n, c in enumerate(fused.candidates)] == ["headroom", "share of the bound"]


def test_a_chunk_that_a_route_did_not_find_has_no_score_there_rather_than_zero():
    fused = fuse([vector({"a": 0.9}), text({"b": 6.0})], PASSAGES, Retrieval())
    line = next(c for c in fused.candidates if c.chunk_id == "a").routes[1]
    assert (line.raw.state, line.raw.value, line.rank, line.share) == ("not_run", None, None, 0.0)
    assert "not among the first 50" in line.raw.why


def test_a_failed_route_is_drawn_as_failed_in_every_ledger():
    failed = retrieved("text", {}, state="failed", why="the index is gone")
    fused = fuse([vector({"a": 0.9}), failed], PASSAGES, Retrieval())
    assert fused.candidates[0].routes[1].raw.state == "failed"


@pytest.mark.accept("A6")
@pytest.mark.parametrize("fusion", ["scores", "min_max", "reciprocal_rank"])
def test_weight_one_and_zero_gives_the_vector_order(fusion):
    settings = Retrieval(fusion=fusion, vector_weight=1.0, text_weight=0.0)
    fused = fuse([vector({"a": 0.9, "b": 0.8, "c": 0.7}), text({"c": 9.0, "b": 3.0, "a": 1.0})], PASSAGES, settings)
    assert [c.chunk_id for c in fused.candidates] == ["a", "b", "c"]


def test_reciprocal_rank_is_one_over_k_plus_rank():
    settings = Retrieval(fusion="reciprocal_rank", rrf_k=60)
    fused = fuse([vector({"a": 0.9, "b": 0.8}), text({"b": 5.0})], PASSAGES, settings)
    assert fused.candidates[0].chunk_id == "b"
    assert fused.candidates[0].fused.value == pytest.approx(0.5 / 62 + 0.5 / 61)
    assert fused.rrf_k == 60


def test_identifiers_in_the_query_shift_weight_to_the_text_route():
    fused = fuse([vector({"a": 0.9}), text({"b": 5.0})], PASSAGES, Retrieval(), ["ERR_42"])
    assert fused.weights == {"vector": 0.2, "text": 0.8}
    assert [c.chunk_id for c in fused.candidates] == ["b", "a"]
    assert "ERR_42" in fused.weights_why


def test_nothing_found_gives_an_empty_ledger():
    assert fuse([vector({}), text({})], [], Retrieval()).candidates == ()


scores = st.dictionaries(st.sampled_from("abcd"), st.floats(-1, 1, allow_nan=False), max_size=4)


@given(scores, scores, st.sampled_from(["scores", "min_max", "reciprocal_rank"]))
def test_shares_add_up_and_displayed_order_agrees_with_displayed_score(one, two, fusion):
    best_first = [dict(sorted(s.items(), key=lambda p: -p[1])) for s in (one, two)]
    fused = fuse([vector(best_first[0]), text(best_first[1])], PASSAGES, Retrieval(fusion=fusion))
    values = [c.fused.value for c in fused.candidates]
    assert values == sorted(values, reverse=True)
    assert all(c.fused.value == sum(r.share for r in c.routes) for c in fused.candidates)
    again = sorted(fused.candidates, key=lambda c: (-sum(r.share for r in c.routes), c.chunk_id))
    assert tuple(again) == fused.candidates
