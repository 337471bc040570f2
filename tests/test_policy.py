"""The policy table: each reason from the records, and the order in which rewriters follow from it."""

from __future__ import annotations

import pytest
import records as rec
from rewrite_parts import near, situation, terms_of

from assistant.rewrite import REWRITERS
from assistant.rewrite.policy import ALWAYS, POLICY, plan, reasons
from assistant.settings import Settings

PLAIN = "What is the hotel limit in Zurich for staff?"


def order(now) -> list[str]:
    return [name for name, _ in plan(now)]


ROWS = [
    ("two parts", situation("Who wrote the report and when was it published?"), ["split", "decompose"]),
    ("absent identifier", situation("why does ERR_42 happen here", buried=("err_42",)), ["identifiers", "reword"]),
    (
        "absent identifier",
        situation("why does ERR_42 happen here", terms=terms_of("why does ERR_42 happen here", err_42=0),
                  missing=("err_42",)),
        ["identifiers", "reword"],
    ),
    ("other language", situation(PLAIN, languages={"zh": 40, "en": 1}), ["translate", "reword"]),
    ("other language", situation("住宿标准是多少？", languages={"en": 9}), ["translate", "reword"]),
    (
        "other language",
        situation(PLAIN, languages={"zh": 20, "en": 20}, nearest=near("一", "二", "三", language="zh")),
        ["translate", "reword"],
    ),
    ("nothing found", situation(PLAIN, nearest=()), ["reword", "translate", "step_back"]),
    ("vague", situation("The rules?", terms=terms_of("The rules?", df=60, idf=0.5)), ["reword", "hyde"]),
    ("vague", situation("有什么规定？", terms=terms_of("有什么规定？", df=300, idf=1.1)), ["reword", "hyde"]),
    ("vague", situation("Tell me about it"), ["reword", "hyde"]),
    ("low coverage", situation(PLAIN, missing=("zurich", "staff")), ["reword", "translate", "hyde", "step_back"]),
    (ALWAYS, situation(PLAIN), ["hyde", "reword", "widen"]),
]  # fmt: skip


@pytest.mark.parametrize(("reason", "now", "rewriters"), ROWS)
def test_each_reason_is_told_from_the_records_and_leads_to_its_rewriters(reason, now, rewriters):
    assert reasons(now)[0] == reason
    assert list(POLICY[reason]) == rewriters
    assert order(now)[: len(rewriters)] == rewriters


def test_every_row_of_the_table_has_a_test_and_names_rewriters_that_exist():
    assert {reason for reason, *_ in ROWS} == set(POLICY)
    assert all(name in REWRITERS for names in POLICY.values() for name in names)
    assert set(Settings().loop.rewriters) == {name for names in POLICY.values() for name in names}


@pytest.mark.parametrize(
    "now",
    [
        situation(PLAIN, languages={"zh": 40, "en": 30}),
        situation(PLAIN, languages={"en": 40}),
        situation(PLAIN, languages={"zh": 2, "en": 1}),
        situation(PLAIN, languages={"zh": 9, "mixed": 9}),
        situation("ありがとうございます", languages={"en": 40}),
    ],
)
def test_a_base_that_holds_the_language_of_the_question_is_not_in_another(now):
    assert "other language" not in reasons(now)


def test_a_word_that_no_chunk_holds_is_not_vague():
    asked = "zorblatt rules"
    assert "vague" not in reasons(situation(asked, terms=terms_of(asked, df=300, idf=0.3, zorblatt=0)))


def test_a_rare_word_in_a_small_base_is_not_vague():
    """One of three chunks: idf .98, but ln(1 + 52.5/1.5) = 3.6 among fifty more."""
    assert "vague" not in reasons(situation("What is the canteen?", terms=(rec.term("canteen", 1, 0.98),)))


def test_coverage_is_low_when_more_than_a_quarter_of_the_rarity_is_lacking():
    words = ("hotel", "limit", "zurich", "staff")
    asked = situation(PLAIN, terms=tuple(rec.term(w, 5, 4.0) for w in words), missing=("staff",))
    assert reasons(asked) == (ALWAYS,)
    asked = situation(PLAIN, terms=tuple(rec.term(w, 5, 4.0) for w in words), missing=("staff", "zurich"))
    assert reasons(asked) == ("low coverage", ALWAYS)


def test_reasons_add_up_and_rewriters_that_cost_nothing_come_first():
    asked = "Who wrote ERR_42 and when was it published?"
    now = situation(asked, buried=("err_42",), languages={"zh": 9}, missing=("err_42", "wrote", "published"))
    assert reasons(now) == ("two parts", "absent identifier", "other language", "low coverage", ALWAYS)
    assert list(plan(now)) == [
        ("split", "two parts"),
        ("identifiers", "absent identifier"),
        ("decompose", "two parts"),
        ("reword", "absent identifier"),
        ("translate", "other language"),
        ("hyde", "low coverage"),
        ("step_back", "low coverage"),
        ("widen", ALWAYS),
    ]


def test_only_rewriters_that_the_settings_allow_are_tried():
    settings = Settings().changed({"loop.rewriters": ("widen", "reword")})
    assert order(situation(PLAIN, missing=("zurich", "staff"), settings=settings)) == ["reword", "widen"]


def test_a_rewriter_of_ones_own_is_tried_before_widening():
    settings = Settings().changed({"loop.rewriters": ("mine", "widen")})
    assert order(situation(PLAIN, settings=settings)) == ["mine", "widen"]
