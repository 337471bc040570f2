"""Confidence: every number of the calculation, by hand."""

from __future__ import annotations

import math
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from records import ASKED, passage, term, text, vector

from assistant.confidence.judge import judge
from assistant.errors import SettingsError
from assistant.fusion.fuse import fuse
from assistant.settings import Judging, Retrieval

OWN = "multilingual-e5-small (embedded, onnx-int8, 384)"
TERMS = (term("leave", idf=2.0), term("days", idf=1.0), term("x9", df=0, idf=5.0, identifier=True))


def judged(found, present=None, passages=None, **settings):
    chunks = passages or [passage("a"), passage("b")]
    return judge(fuse(found, chunks, Retrieval(), (), present), found, (), Judging(**settings), ASKED)


def signals(confidence):
    return {s.name: s for s in confidence.signals}


def test_the_four_signals_are_what_their_formulas_say():
    found = [vector({"a": 0.85, "b": 0.8}, mean=0.7), text({"a": 4.0, "b": 2.0}, TERMS)]
    measured = signals(judged(found, {"a": frozenset({"leave"})}))
    # idf among 50 chunks more: held by one ln(1 + 49.5/1.5) = ln 34, by none ln(1 + 50.5/0.5) = ln 102
    assert measured["coverage"].value.value == pytest.approx(math.log(34) / (2 * math.log(34) + math.log(102)))
    assert measured["nearness"].value.value == pytest.approx(0.15 / 0.3)
    # fused: a .5·.5 + .5·4/17.6, b .5·1/3 + .5·2/17.6
    a, b = 0.25 + 2 / 17.6, 0.5 / 3 + 1 / 17.6
    assert measured["lead"].value.value == pytest.approx((a - b) / a)
    assert measured["identifiers"].value.value == -1.0
    assert "x9 occurs nowhere" in measured["identifiers"].why


def test_question_words_do_not_count_as_asked_about():
    found = [vector({"a": 0.9}), text({"a": 4.0}, (term("leave", idf=2.0), term("什么", df=0, idf=5.0)))]
    assert signals(judged(found, {"a": frozenset({"leave"})}))["coverage"].value.value == 1.0


def test_a_lead_counts_less_the_fewer_chunks_there_are():
    # √(2 / 200) = 0.1
    found = [vector({"a": 0.9, "b": 0.8}), text({"a": 4.0}, TERMS[:1], chunks=2)]
    lead = signals(judged(found, {"a": frozenset({"leave"})}))["lead"]
    assert lead.value.value == pytest.approx(0.1 * lead.raw.value)
    assert "counts 0.10 times" in lead.why


def test_a_copy_of_the_best_chunk_does_not_lessen_its_lead():
    twins = [passage("a", "same"), passage("b", "same")]
    found = [vector({"a": 0.9, "b": 0.9}), text({})]
    assert signals(judged(found, passages=twins))["lead"].value.value == 1.0


def test_the_sum_is_intercept_plus_weight_times_value_through_the_logistic():
    found = [vector({"a": 0.9, "b": 0.8}), text({"a": 4.0, "b": 2.0}, TERMS)]
    c = judged(found, {"a": frozenset({"leave", "days"})})
    total = c.intercept + sum(s.weight * s.value.value for s in c.signals)
    assert c.total == pytest.approx(total)
    assert c.linked == pytest.approx(1 / (1 + math.exp(-total)))


def test_classic_is_four_tenths_three_tenths_three_tenths():
    terms = (term("leave", idf=2.0), term("days", idf=1.0))
    found = [vector({"a": 0.9, "b": 0.8}), text({"a": 4.0, "b": 2.0}, terms)]
    c = judged(found, {"a": frozenset({"leave"})}, method="classic")
    # headroom a 2/3, b 1/3; BM25 bound 6.6; overlap 1/2, authority 0.5
    a, b = 0.5 * 2 / 3 + 2 / 6.6, 0.5 / 3 + 1 / 6.6
    assert c.value == pytest.approx(0.4 * (a - b) + 0.3 * 0.5 + 0.3 * 0.5)
    assert c.link == "identity"


def test_an_empty_result_has_no_confidence_to_speak_of():
    assert judged([vector({}), text({}, TERMS)], passages=[passage("a")]).value < 0.01


def test_a_signal_that_could_not_be_measured_takes_its_usual_value_and_says_so():
    late = vector({"a": 0.9}).model_copy(update={"state": "late", "why": "slow", "hits": (), "background": None})
    c = judged([late, text({"a": 4.0}, TERMS)], {"a": frozenset({"leave"})})
    z = signals(c)["nearness"]
    assert (z.raw.state, z.value.value) == ("not_run", None)
    assert "usual value" in z.why


def test_a_split_question_is_as_sure_as_its_weakest_part():
    good = [vector({"a": 0.95, "b": 0.7}, part=0, query="one"), text({"a": 9.0}, (term("one"),), part=0, query="one")]
    poor = [
        vector({"b": 0.71, "a": 0.70}, part=1, query="two"),
        text({}, (term("two", df=0, idf=3.0),), part=1, query="two"),
    ]
    c = judged([*good, *poor], {"a": frozenset({"one"})})
    assert c.part == 1
    assert c.value < judged(good, {"a": frozenset({"one"})}).value


def test_a_rewritten_query_is_judged_by_the_question_that_was_asked():
    first = [vector({"b": 0.9}), text({"b": 4.0}, TERMS)]
    again = [vector({"a": 0.99}, attempt=2, query="x9"), text({"a": 9.0}, (TERMS[2],), attempt=2, query="x9")]
    fused = fuse(again, [passage("a")], Retrieval(), ("x9",), {"a": frozenset({"x9"})})
    measured = signals(judge(fused, again, first, Judging(), ASKED))
    assert measured["coverage"].value.value == pytest.approx(math.log(102) / (2 * math.log(34) + math.log(102)))
    assert measured["nearness"].raw.value == 0.9
    assert measured["identifiers"].value.value == 1.0


@pytest.mark.parametrize(("months", "points"), [(3, 0.0), (8, -0.1), (14, -0.2)])
def test_freshness_takes_points_off_old_sources_when_it_is_on(months, points):
    old = passage("a", modified=ASKED - timedelta(days=months * 30.44 + 1))
    found = [vector({"a": 0.9}), text({"a": 4.0}, TERMS[:2])]
    on = judged(found, {"a": frozenset({"leave", "days"})}, [old], freshness=True)
    off = judged(found, {"a": frozenset({"leave", "days"})}, [old])
    assert next(a.points for a in on.adjustments if a.name == "freshness") == points
    assert off.value - on.value == pytest.approx(-points)


def test_authority_moves_the_confidence_by_at_most_a_tenth_when_it_is_on():
    found = [vector({"a": 0.9}), text({"a": 4.0}, TERMS[:2])]
    c = judged(found, {}, [passage("a", authority=1.0)], authority=True)
    assert next(a.points for a in c.adjustments if a.name == "authority") == pytest.approx(0.1)


def test_unknown_coefficients_name_the_known_ones():
    with pytest.raises(SettingsError, match="signals"):
        judged([vector({"a": 0.9}), text({})], coefficients="nope")


@given(
    st.dictionaries(st.sampled_from("ab"), st.floats(-1, 1), max_size=2),
    st.dictionaries(st.sampled_from("ab"), st.floats(0, 50), max_size=2),
    st.sets(st.sampled_from(["leave", "days", "x9"])),
    st.sampled_from(["signals", "classic"]),
    st.booleans(),
)
def test_points_add_up_to_the_shown_confidence(cosines, bm25, present, method, adjust):
    found = [vector(cosines), text(bm25, TERMS)]
    old = [passage(i, authority=0.9, modified=ASKED - timedelta(days=500)) for i in "ab"]
    c = judged(found, {"a": frozenset(present)}, old, method=method, authority=adjust, freshness=adjust)
    points = c.start + sum(s.points for s in c.signals) + sum(a.points for a in c.adjustments)
    assert points == pytest.approx(c.value, abs=1e-12)
    assert 0 <= c.value <= 1


@pytest.mark.parametrize(
    ("embedder", "says"),
    [
        ("bge-m3 (ollama, ollama, 1024)", "with bge-m3 the order"),
        (OWN, ""),
        (OWN.replace("onnx", "nano"), ""),
        ("", ""),
    ],
)
def test_coefficients_of_another_embedder_are_said_to_be_so(embedder, says):
    found = [vector({"a": 0.9}), text({"a": 4.0}, TERMS)]
    fused = fuse(found, [passage("a")], Retrieval(), (), None)
    caution = judge(fused, found, (), Judging(), ASKED, embedder=embedder).caution
    assert says in caution
    assert bool(says) == bool(caution)
    assert judge(fused, found, (), Judging(method="classic"), ASKED, embedder=embedder).caution == ""
