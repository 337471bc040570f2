"""Sentences of an answer against their sources: what supports them, what is missing, which numbers are shown."""

from __future__ import annotations

import pytest
import records as rec

from assistant.answer.support import supported
from assistant.trace import Passage, Sentence

HOTELS = "Hotels in Berlin are paid up to 450 euros per night. Taxis are paid after 22:00."
LEAVE_ZH = "年假为二十五天，须在次年3月31日前用完。病假须在当天上午九点前报告。"


def passage(text: str, start: int = 0, **fields) -> Passage:
    made = rec.passage(fields.pop("chunk_id", "c"), text, **fields)
    return made.model_copy(update={"start": start, "end": start + len(text)})


def check(text: str, *sources: str | Passage, named: tuple[int, ...] = ()) -> Sentence:
    given = [s if isinstance(s, Passage) else passage(s, chunk_id=f"c{n}") for n, s in enumerate(sources, 1)]
    return supported([Sentence(text=text, named=named, citations=named)], given)[0]


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


def test_a_source_in_the_same_language_is_preferred_to_one_that_cannot_be_compared():
    found = check("年假为25天。", HOTELS, LEAVE_ZH)
    assert (found.supported, found.citations) == (True, (2,))


def test_a_named_source_that_can_be_compared_and_does_not_say_it_is_no_support():
    found = check("员工可以使用公司的游泳池。", HOTELS, LEAVE_ZH, named=(2,))
    assert found.supported is False


# ---------------------------------------------------------------- values


SAME = [
    ("The fee is 1200 euros.", "The fee is 1,200 euros."),
    ("The fee is 1,200 euros.", "The fee is 1 200 euros."),
    ("The fee is € 1,200.", "The fee is 1200 euros."),
    ("The fee is 1200 euros.", "The fee is １２００ euros."),
    ("The fee is twelve hundred euros.", "The fee is 1200 euros."),
    ("It holds 1.2 million records.", "It holds 1,200,000 records."),
    ("It holds 1,200,000 records.", "It holds 1.2 million records."),
    ("The limit is six items.", "The limit is 6 items."),
    ("The limit is 6 items.", "The limit is six items."),
    ("The share is 5%.", "The share is five percent."),
    ("The share is 5 per cent.", "The share is 5 %."),
    ("It was signed on May 3, 2023.", "It was signed on 2023-05-03."),
    ("It was signed on 3 May 2023.", "It was signed on May 3rd, 2023."),
    ("It was signed on 2023/05/03.", "It was signed on 3 May 2023."),
    ("It was signed in May 2023.", "It was signed on 3 May 2023."),
    ("It was signed in 2023.", "It was signed on 3 May 2023."),
    ("The doors close at 12:00.", "The doors close at noon."),
    ("大门12:00关闭。", "大门中午十二点关闭。"),
    ("Fires are allowed in October.", "Fires are allowed in October and November."),
    ("The doors open at 6 pm.", "The doors open at 18:00."),
    ("Replace sensor TS 12.", "Replace sensor TS-12."),
    ("费用为1200元。", "费用为一千二百元。"),
    ("费用为一千二百元。", "费用为1,200元。"),
    ("费用为35000元。", "费用为3.5万元。"),
    ("费用为3.5万元。", "费用为35,000元。"),
    ("费用为三万五千元。", "费用为3.5万元。"),
    ("费用为１２００元。", "费用为1200元。"),
    ("限额为3件。", "限额为三件。"),
    ("限额为两件。", "限额为2件。"),
    ("比例为百分之五。", "比例为5%。"),
    ("比例为5%。", "比例为百分之五。"),
    ("协议于2023年5月3日签订。", "协议于2023-05-03签订。"),
    ("协议于二〇二三年五月三日签订。", "协议于2023年5月3日签订。"),
    ("协议于2023年5月签订。", "协议于2023年5月3日签订。"),
    ("大门下午6点开放。", "大门18:00开放。"),
]


@pytest.mark.parametrize(("text", "source"), SAME)
def test_the_same_value_in_another_form_is_held(text, source):
    found = check(text, source, named=(1,))
    assert (found.supported, found.missing) == (True, ())


OTHER = [
    ("The fee is 1,300 euros.", "The fee is 1,200 euros.", "1,300 euros"),
    ("The fee is 450 dollars.", "The fee is 450 euros.", "450 dollars"),
    ("The fee is $450.", "The fee is 450 euros.", "$450"),
    ("It holds 1.2 billion records.", "It holds 1.2 million records.", "1.2 billion"),
    ("The share is 5%.", "The share is 15%.", "5%"),
    ("The share is 0.5%.", "The share is 5%.", "0.5%"),
    ("It was signed on May 3, 2024.", "It was signed on 2023-05-03.", "May 3, 2024"),
    ("It was signed on 2023-05-04.", "It was signed on May 3, 2023.", "2023-05-04"),
    ("The fee is 96 euros.", "The fee is 96 pounds.", "96 euros"),
    ("Fires are allowed in December.", "Fires are allowed in October and November.", "December"),
    ("The doors open at 6 am.", "The doors open at 18:00.", "6 am"),
    ("Replace sensor TS-21.", "Replace sensor TS-12.", "TS-21"),
    ("Install version 4.1.2.", "Install version 4.2.1.", "4.1.2"),
    ("费用为1300元。", "费用为一千二百元。", "1300元"),
    ("费用为450美元。", "费用为450欧元。", "450美元"),
    ("费用为3.5万元。", "费用为3500元。", "3.5万元"),
    ("比例为百分之六。", "比例为5%。", "百分之六"),
    ("协议于2023年5月4日签订。", "协议于2023-05-03签订。", "2023年5月4日"),
    ("大门上午6点开放。", "大门18:00开放。", "上午6点"),
    ("请更换传感器 TS-21。", "请更换传感器 TS-12。", "TS-21"),
]


@pytest.mark.accept("C5")
@pytest.mark.parametrize(("text", "source", "value"), OTHER)
def test_another_value_is_named_as_it_was_written(text, source, value):
    found = check(text, source, named=(1,))
    assert (found.supported, found.missing, found.why) == (False, (value,), f"not in the sources: {value}")


def test_the_nearest_sentence_is_given_for_a_wrong_value():
    found = check("Hotels in Berlin are paid up to 540 euros per night.", HOTELS, named=(1,))
    assert (found.supported, found.citations, found.missing) == (False, (1,), ("540 euros",))
    assert (found.support[0].start, found.support[0].end) == (0, 52)


@pytest.mark.parametrize(
    "text", ["1. Hotels in Berlin are paid up to 450 euros.", "(2) Taxis are paid after 22:00.", "3、Taxis are paid."]
)
def test_the_number_of_a_list_item_is_no_value(text):
    assert check(text, HOTELS).supported is True


def test_a_word_that_counts_what_the_source_lists_is_no_wrong_number():
    source = "The kit holds a hammer, a saw and a file."
    assert check("The kit holds three things: a hammer, a saw and a file.", source).supported is True


@pytest.mark.parametrize(
    ("text", "source", "value"),
    [
        ("Tokyo: the fee is 450 euros.", "In Berlin the fee is 450 euros. In Tokyo the fee is 600 euros.", "450"),
        ("东京的标准为450元。", "柏林的标准为450元。东京的标准为600元。", "450元"),
        ("The limit is 180 euros in Switzerland.", "The limit is 180 euros in Germany and 240 in Switzerland.", ""),
        ("The Ghent plant was sold.", "The Porto plant was sold, and the Ghent plant was enlarged.", "Ghent"),
        ("Construction is led by Anna Keller.", "Anna Keller spoke. Construction is led by Omar Haddad.", "Anna"),
    ],
)  # fmt: skip
def test_a_value_that_the_source_gives_to_something_else_is_marked(text, source, value):
    found = check(text, source, named=(1,))
    assert found.supported is False
    assert found.why.startswith("the sources say this of something else: ")
    assert value in found.why


def test_values_of_several_places_in_one_sentence_each_count_for_theirs():
    source = "The fee for Berlin is 450 euros. The fee for Tokyo is 600 euros."
    assert check("The fee is 450 euros for Berlin and 600 euros for Tokyo.", source).supported is True
    assert check("The fee is 600 euros for Berlin and 450 euros for Tokyo.", source).supported is False


def test_a_name_that_no_source_holds_is_missing():
    found = check("Construction is led by Peter Novak.", "Construction is led by Omar Haddad.", named=(1,))
    assert found.missing == ("Peter", "Novak")


def test_numbers_alone_support_nothing():
    found = check("Of 12 boats 7 were painted green in 1999.", "Invoice 12, page 7, printed 1999.", named=(1,))
    assert found.supported is False


# ---------------------------------------------------------------- the contrary


@pytest.mark.parametrize(
    ("text", "source", "why"),
    [
        ("Breakfast is included.", "Breakfast is not included.", "the source says “not”, and it does not"),
        ("Late claims are not paid.", "Late claims are paid.", "it says “not”, and the source does not"),
        ("Fires are allowed in May.", "Fires are forbidden in May.", "the source says “forbidden”, and it does not"),
        ("Untrained staff open it.", "Trained staff open it.", "it says “Untrained” where the source says “Trained”"),
        ("Pay after the meeting.", "Pay before the meeting.", "it says “after” where the source says “before”"),
        ("Revenue fell by 8%.", "Revenue rose by 8%.", "it says “fell” where the source says “rose”"),
        ("It has at least 8 rows.", "It has at most 8 rows.", "it says “at least” where the source says “at most”"),
        ("逾期予以报销。", "逾期不予报销。", "the source says “不”, and it does not"),
        ("试用期员工有年假。", "试用期员工没有年假。", "the source says “没有”, and it does not"),
        ("五月允许焚烧枯枝。", "五月禁止焚烧枯枝。", "the source says “禁止”, and it does not"),
        ("会议之后付款。", "会议之前付款。", "it says “之后” where the source says “之前”"),
        ("收入下降8%。", "收入增长8%。", "it says “下降” where the source says “增长”"),
        ("每人至少领取3件。", "每人最多领取3件。", "it says “至少” where the source says “最多”"),
    ],
)  # fmt: skip
def test_the_contrary_of_the_source_is_marked(text, source, why):
    found = check(text, source, named=(1,))
    assert (found.supported, found.why) == (False, why)


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("Up to five days may be carried over.", "No more than five days may be carried over."),
        ("The hedge is at most 1.5 metres high.", "The hedge must not be higher than 1.5 metres."),
        ("Smoking is forbidden in the hall.", "Smoking is not allowed in the hall."),
        ("A deposit is not needed.", "No deposit is needed."),
        ("Not only staff but also guests may park here.", "Staff and guests may park here."),
        ("最多可以结转五天。", "结转不得超过五天。"),
        ("大厅内不得吸烟。", "大厅内禁止吸烟。"),
        ("参加者不必交押金。", "参加者无需交押金。"),
        ("无锡的仓库将会关闭。", "仓库在无锡，将会关闭。"),
    ],
)
def test_the_same_in_other_negative_words_is_no_contradiction(text, source):
    assert check(text, source, named=(1,)).supported is True


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
