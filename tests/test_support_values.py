"""Numbers, dates, identifiers, names and negations of an answer against its sources."""

from __future__ import annotations

import pytest
from support_parts import HOTELS, check

# ---------------------------------------------------------------- values


SAME = [
    ("The fee is 1200 euros.", "The fee is 1,200 euros."),
    ("The fee is 1,200 euros.", "The fee is 1 200 euros."),
    ("The fee is € 1,200.", "The fee is 1200 euros."),
    ("The fee is 1200 euros.", "The fee is １２００ euros."),
    ("The fee is twelve hundred euros.", "The fee is 1200 euros."),
    ("It holds 1.2 million records.", "It holds 1,200,000 records."),
    ("It holds 1,200,000 records.", "It holds 1.2 million records."),
    ("It cost 1.2m pounds.", "It cost 1.2 million pounds."),
    ("It cost £1.2m.", "It cost 1,200,000 pounds."),
    ("The rope is 5m long.", "The rope is 5 metres long."),
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
