"""Sentences of an answer against their sources: what supports them, and which numbers are shown."""

from __future__ import annotations

import pytest
from support_parts import HOTELS, LEAVE_ZH, check, passage

from assistant.answer.support import supported

# ---------------------------------------------------------------- what supports a sentence


def test_support_is_the_range_of_the_nearest_sentence_in_its_document():
    found = check("Taxis are paid after 22:00.", passage(HOTELS, start=1000), named=(1,))
    assert (found.supported, found.why, found.citations, found.missing) == (True, "", (1,), ())
    # "Hotels … night." has 52 characters, then a blank
    assert [(s.number, s.start, s.end, s.score) for s in found.support] == [(1, 1053, 1080, 1.0)]


@pytest.mark.accept("C1")
@pytest.mark.parametrize("named", [(), (1,), (2,)])
def test_support_is_found_whatever_the_model_named(named):
    found = check("Taxis are paid after 22:00.", "Dogs must be kept on a lead in the garden.", HOTELS, named=named)
    assert found.supported is True
    assert found.citations == (2,)
    assert {s.number for s in found.support} == {2}
    assert found.named == named


@pytest.mark.accept("C3")
def test_a_wrong_number_of_the_model_is_replaced_and_both_are_said():
    found = check("Taxis are paid after 22:00.", "Dogs must be kept on a lead in the garden.", HOTELS, named=(1,))
    assert (found.citations, found.why) == ((2,), "the model named [1], but this stands in [2]")


def test_a_wrong_number_beside_a_right_one_is_left_out():
    found = check("Taxis are paid after 22:00.", "Dogs must be kept on a lead in the garden.", HOTELS, named=(1, 2))
    assert (found.citations, found.why) == ((2,), "the model named [1], but this stands in [2]")


def test_a_sentence_without_a_number_gets_the_one_found():
    found = check("Taxis are paid after 22:00.", "Dogs must be kept on a lead in the garden.", HOTELS)
    assert (found.citations, found.why) == ((2,), "the model named no source; found by comparing words")


def test_of_two_sources_that_say_the_same_the_named_one_is_shown():
    found = check("Taxis are paid after 22:00.", HOTELS, "Taxis are paid after 22:00 only.", named=(2,))
    assert found.citations == (2,)


def test_a_sentence_may_stand_on_two_neighbours():
    source = "The pump P-20 is made in Kiel. It weighs 31 kg and needs no oil. Order it by telephone."
    found = check("The pump P-20, made in Kiel, weighs 31 kg.", source, named=(1,))
    assert found.supported is True
    assert (found.support[0].start, found.support[0].end) == (0, source.index(" Order"))


def test_a_sentence_may_stand_on_places_far_from_each_other():
    source = f"{HOTELS} Dogs stay outside. Parking is free. Claims are sent to Mrs Weber within a month."
    found = check("Berlin hotels are paid up to 450 euros, and claims go to Mrs Weber within a month.", source)
    assert found.supported is True
    assert len(found.support) == 2


def test_what_no_source_says_is_marked_and_cites_nothing():
    found = check("Staff may use the swimming pool on Sundays.", HOTELS, named=(1,))
    assert (found.supported, found.citations, found.named) == (False, (), (1,))
    assert found.why.startswith("no source says this: the nearest sentences hold 0.")


def test_the_header_of_a_table_belongs_to_each_of_its_rows():
    source = "| City | Limit per night |\n|---|---|\n| Berlin | 450 euros |\n| Tokyo | 600 euros |"
    found = check("The limit per night for Tokyo is 600 euros.", source, named=(1,))
    assert found.supported is True
    assert source[found.support[0].start : found.support[0].end] == "| Tokyo | 600 euros |"


def test_a_header_repeated_as_context_belongs_to_the_rows_too():
    rows = passage("| 东京 | 600元 |\n| 柏林 | 450元 |", context="| 城市 | 每晚住宿标准 |")
    assert check("东京每晚的住宿标准是600元。", rows, named=(1,)).supported is True
    assert check("东京每晚的住宿标准是450元。", rows, named=(1,)).supported is False


def test_a_value_of_another_column_is_marked():
    source = "| Country | Full day | Half day |\n|---|---|---|\n| Japan | 66 € | 44 € |\n| Norway | 75 € | 50 € |"
    assert check("Norway: 50 € for half a day.", source).supported is True
    assert check("The full day allowance for Norway is 50 €.", source).missing == ("50 €",)


def test_the_first_line_of_a_list_belongs_to_each_item():
    source = "Bring to the spring meeting:\n\n- the key of your plot\n- the reading of the water meter"
    assert check("Bring the reading of the water meter to the spring meeting.", source).supported is True


def test_headings_and_the_name_of_the_document_count():
    source = passage("The limit is 450 euros.", document="Travel policy 2024.md", heading=("Hotels in Berlin",))
    assert check("In Berlin, the 2024 travel policy limits hotels to 450 euros.", source).supported is True


# ---------------------------------------------------------------- what is not checked


@pytest.mark.parametrize(
    "text",
    [
        "According to the sources:",
        "Here is what the documents say:",
        "Sure!",
        "以下是相关规定：",
        "根据文档，",
        "你好！",
    ],
)
def test_a_lead_in_states_nothing(text):
    found = check(text, HOTELS, LEAVE_ZH)
    assert (found.supported, found.why) == (None, "not checked: it states nothing")


@pytest.mark.parametrize(
    "text",
    [
        "The documents do not mention the limit for Tokyo.",
        "There is no information about parking in the sources.",
        "文档中没有提到东京的住宿标准。",
        "来源未说明停车费用。",
    ],
)
def test_what_the_sources_do_not_hold_is_not_looked_for_in_them(text):
    found = check(text, HOTELS, LEAVE_ZH, named=(1,))
    assert (found.supported, found.citations) == (None, (1,))
    assert found.why == "not checked: it says what the sources do not hold"


def test_a_lead_in_with_a_number_is_checked():
    assert check("There are 17 rules:", HOTELS).missing == ("17",)


def test_without_sources_nothing_is_checked():
    assert check("Taxis are paid after 22:00.").supported is None


@pytest.mark.parametrize("text", ["—", "…", "???"])
def test_a_sentence_without_words_is_not_checked(text):
    assert check(text, HOTELS).supported is None


def test_no_sentences_give_none():
    assert supported([], [passage(HOTELS)]) == ()


# ---------------------------------------------------------------- two languages


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("Annual leave is 25 days and must be used by March 31.", LEAVE_ZH),
        ("柏林的酒店每晚最多报销450欧元。", HOTELS),
        ("晚上10点以后的出租车费可以报销。", HOTELS),
    ],
)
def test_a_source_in_another_language_is_compared_by_its_values_alone(text, source):
    found = check(text, source, named=(1,))
    assert (found.supported, found.citations, found.missing) == (None, (1,), ())
    assert found.why == "not checked: the source is in another language"


@pytest.mark.parametrize(
    ("text", "source", "missing"),
    [
        ("Annual leave is 28 days and must be used by March 31.", LEAVE_ZH, ("28 days",)),
        ("柏林的酒店每晚最多报销540欧元。", HOTELS, ("540欧元",)),
    ],
)
def test_a_wrong_value_is_found_across_languages(text, source, missing):
    found = check(text, source, named=(1,))
    assert (found.supported, found.missing) == (False, missing)


def test_what_may_be_translated_is_linked_by_its_values():
    found = check("柏林的酒店每晚最多报销450欧元。", LEAVE_ZH, HOTELS)
    assert (found.supported, found.citations) == (None, (2,))
    assert (found.support[0].start, found.support[0].end) == (0, 52)


def test_a_value_that_a_named_source_in_the_other_language_holds_is_not_missing():
    found = check("年假为25天，柏林酒店每晚450欧元。", HOTELS, "年假为25天，酒店按标准报销。", named=(1, 2))
    assert (found.supported, found.missing) != (False, ("450欧元",))


def test_a_source_in_the_same_language_is_preferred_to_one_that_cannot_be_compared():
    found = check("年假为25天。", HOTELS, LEAVE_ZH)
    assert (found.supported, found.citations) == (True, (2,))


def test_a_named_source_that_can_be_compared_and_does_not_say_it_is_no_support():
    found = check("员工可以使用公司的游泳池。", HOTELS, LEAVE_ZH, named=(2,))
    assert found.supported is False


# ---------------------------------------------------------------- any text


@pytest.mark.parametrize(
    "text",
    [
        "0" * 5000,
        "1," * 3000,
        "一" * 4000,
        "a-" * 3000,
        "|" * 3000,
        "[1]" * 1000,
        "不" * 3000,
        "A B" * 2000,
        "\ud7ff\u0000 x",
    ],
)
def test_no_text_breaks_the_comparison(text):
    assert check(text, HOTELS, LEAVE_ZH, text).text == text


@pytest.mark.parametrize(
    "text", ["The limit is not 450 yuan per night.", "住宿标准不是450元。", "Employees have not 25 days of leave."]
)
def test_a_number_that_is_denied_although_the_source_states_it_is_marked(text):
    sources = (
        "In Beijing hotels are paid up to 500 yuan per night, elsewhere 450 yuan per night.",
        "住宿标准为每晚450元。",
        "Employees have 25 days of leave.",
    )
    assert check(text, *sources).supported is False
