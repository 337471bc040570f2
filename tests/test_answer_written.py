"""The written answer: which numbers stay, what of the reply is an answer, and how it ended."""

from __future__ import annotations

import pytest

from assistant.answer.citations import cited
from assistant.answer.not_there import lacks_something, may_be_marker, says_not_there, without_answer, without_marker


def named(text: str, sources: int = 3) -> list[tuple[str, tuple[int, ...]]]:
    return [(s.text, s.named) for s in cited(text, sources).sentences]


@pytest.mark.accept("C3")
def test_valid_numbers_stay_and_others_are_removed_and_counted():
    found = cited("It is 150 euros [1]. Breakfast is free [7].", 2)
    assert [(s.text, s.named) for s in found.sentences] == [("It is 150 euros.", (1,)), ("Breakfast is free.", ())]
    assert found.removed == (7,)


def test_marks_behind_the_full_stop_belong_to_the_sentence_before():
    found = named("It is 150 euros. [1] 住宿标准为 450 元。[2]")
    assert found == [("It is 150 euros.", (1,)), ("住宿标准为 450 元。", (2,))]


@pytest.mark.parametrize(
    ("mark", "numbers"),
    [
        ("【2】", (2,)),
        ("［2］", (2,)),
        ("[来源 2]", (2,)),
        ("[Source 2]", (2,)),
        ("（来源2）", (2,)),
        ("(see source 2)", (2,)),
        ("[^2]", (2,)),
        ("^2", (2,)),
        ("[1, 2]", (1, 2)),
        ("[1、2]", (1, 2)),
        ("[1][2]", (1, 2)),
        ("[1-3]", (1, 2, 3)),
        ("[sources 1 and 3]", (1, 3)),
        ("[[2]]", (2,)),
        ("[citation:2]", (2,)),
        ("<sup>[2]</sup>", (2,)),
        (r"\[2\]", (2,)),
    ],
)
def test_every_common_form_of_a_citation_is_understood(mark, numbers):
    assert named(f"住宿标准为 450 元{mark}。") == [("住宿标准为 450 元。", numbers)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is 150.[1] It is free.[2]", [("It is 150.", (1,)), ("It is free.", (2,))]),
        ("[1] It is 150.\n[2] It is free.", [("It is 150.", (1,)), ("It is free.", (2,))]),
        ("- [1] Hotels\n- Taxis [2]", [("- Hotels", (1,)), ("- Taxis", (2,))]),
        ("每晚150元。[1]早餐免费。【2】", [("每晚150元。", (1,)), ("早餐免费。", (2,))]),
        ("It is 150 ([1] and [2]).", [("It is 150.", (1, 2))]),
        ("It is 150.¹ It is free.²", [("It is 150.", (1,)), ("It is free.", (2,))]),
        ("It is 150【1†source】.", [("It is 150.", (1,))]),
        ("It is 150 [1](https://h/x).", [("It is 150.", (1,))]),
        ("It is 150 <source 1>.", [("It is 150.", (1,))]),
        ("According to [1], it is 150.", [("According to the source, it is 150.", (1,))]),
        ("It is 150. [2] says 220.", [("It is 150.", ()), ("The source says 220.", (2,))]),
        ("It is 150. [2] Notes are kept.", [("It is 150.", (2,)), ("Notes are kept.", ())]),
        ("[1] and [2] state that it is 150.", [("The sources state that it is 150.", (1, 2))]),
        ("As [2] says, it is 150.", [("As the source says, it is 150.", (2,))]),
        ("In [1], it is 150.", [("In the source, it is 150.", (1,))]),
        ("The hotel to stay in [1].", [("The hotel to stay in.", (1,))]),
        ("价格是 150。[2] 指出早餐另付。", [("价格是 150。", ()), ("来源 指出早餐另付。", (2,))]),
        ("如[1]所述，价格是 150。", [("如来源所述，价格是 150。", (1,))]),
        ("在[1]中，价格是 150。", [("在来源中，价格是 150。", (1,))]),
        ("见数据[1]。", [("见数据。", (1,))]),
        ("根据[1]，每晚150元。", [("根据来源，每晚150元。", (1,))]),
        ("见来源[1]和[2]。", [("见来源。", (1, 2))]),
        ("Use `a[1]` here [2].", [("Use `a[1]` here.", (2,))]),
        ("| Berlin | 150 [1] |\n| Paris | 180 [2] |", [("| Berlin | 150 |", (1,)), ("| Paris | 180 |", (2,))]),
        ("It is 150 [1].\n\nSources:\n[1] a.md\n[2] b.md", [("It is 150.", (1,))]),
        ("每晚150元[1]。\n\n参考来源：[1]、[2]", [("每晚150元。", (1,))]),
    ],
)
def test_a_number_belongs_to_the_sentence_it_stands_at_however_it_is_written(text, expected):
    assert named(text) == expected


@pytest.mark.parametrize("text", ["Source 3 says so.\nSource 2 does not.", "See it (document 15).", "Users log in."])
def test_words_that_only_look_like_citations_stay(text):
    assert " ".join(s for s, _ in named(text)) == " ".join(text.split())


def test_a_table_keeps_its_rows_without_the_rule_between_them():
    found = cited("| City | Limit |\n|---|---|\n| Berlin | 150 [1] |", 1)
    assert found.text(found.sentences) == "| City | Limit |\n| Berlin | 150 | [1]"


@pytest.mark.parametrize("text", ["In [2023] it rose.", "a (2) b holds.", "x = 10^12 bytes."])
def test_years_parentheses_and_powers_are_no_citations(text):
    assert named(text) == [(text, ())]


def test_the_layout_of_a_list_survives_with_the_citations_of_its_sentences():
    found = cited("Two rules:\n- Hotels up to 450 euros [1].\n- Taxis after ten [2].", 2)
    assert found.text(found.sentences) == "Two rules:\n- Hotels up to 450 euros. [1]\n- Taxis after ten. [2]"


@pytest.mark.parametrize("text", ["  ", "[1]", "[1] [2].", "—"])
def test_a_reply_without_words_has_no_sentences(text):
    assert cited(text, 2).sentences == ()


@pytest.mark.parametrize(
    "text",
    [
        "NOT_IN_DOCUMENTS",
        " not in documents. ",
        "The sources do not mention the hotel limit for Tokyo.",
        "The provided documents don't contain this information.",
        "There is no information about parking in the sources.",
        "This cannot be answered from the documents.",
        "来源中没有提到东京的住宿标准。",
        "文档未说明停车费用。",
        "根据提供的资料，无法确定答案。",
        "未找到相关信息。",
    ],
)
def test_a_reply_that_only_says_that_it_is_not_there_is_no_answer(text):
    assert without_answer(text, cited(text, 2).sentences)


@pytest.mark.parametrize(
    "text",
    [
        "Hotels are paid up to 450 euros [1].",
        "The policy does not mention Tokyo, but first-class cities get 600 yuan [1].",
        "来源没有提到东京。一线城市的标准是 600 元 [1]。",
        "住宿标准是 450 元 [1]。",
        "Employees do not need a receipt below 10 euros [2].",
    ],
)
def test_an_answer_and_half_an_answer_are_kept(text):
    assert not without_answer(text, cited(text, 2).sentences)


def test_the_marker_beside_an_answer_is_taken_out():
    assert without_marker("NOT_IN_DOCUMENTS. Hotels cost 450 euros [1].") == "Hotels cost 450 euros [1]."
    assert without_marker("NOT_IN_DOCUMENTS") == "NOT_IN_DOCUMENTS"


def test_a_sentence_about_what_people_do_not_do_is_no_denial():
    assert not says_not_there("Employees must not share their password.")
    assert not says_not_there("员工没有年假。")


@pytest.mark.parametrize(
    "text",
    [
        "NOT_IN_DOCUMENTS.",
        "**NOT_IN_DOCUMENTS**",
        "Answer: NOT_IN_DOCUMENTS",
        "NOT_IN_DOCUMENTS [1]",
        "NOT_IN_DOCUMENTS\n\nThe sources only describe hotels.",
        "The sources do not contain information about the price.",
        "I'm sorry, but the provided documents do not mention the CEO's salary.",
        "The answer is not found in the given sources.",
        "There is no information about parental leave in Brazil.",
        "I don't know.",
        "I cannot answer this question based on the provided sources.",
        "The price is not stated.",
        "Based on the sources, it is not possible to determine the price from the documents.",
        "The provided context does not specify the date. Please consult the manual.",
        "None of the sources mention this.",
        "The sources do not say [1].",
        "The sources do not mention the price [1][2].",
        "Unfortunately, the documents do not provide this. You may ask the HR department.",
        "文档中没有答案",
        "文档中没有答案。",
        "很抱歉，来源中没有提到巴西的育儿假。",
        "根据提供的资料，无法确定价格。",
        "未找到相关信息。",
        "资料中未提及该产品的价格。请补充文档。",
        "抱歉，我无法回答这个问题。",
        "所给来源没有关于年假的内容。",
        "该问题在文档中没有答案，建议咨询人事部门。",
        "目前的资料不足以回答这个问题。",
        "我不知道。",
        "来源未说明[1]。",
        "NOT_IN_DOCUMENTS。来源中没有相关内容。",
    ],
)
def test_a_denial_is_known_in_any_wording(text):
    assert without_answer(text, cited(without_marker(text), 3).sentences)


@pytest.mark.parametrize(
    "text",
    [
        "The price is not stated, but the deposit is 50 euros [1].",
        "The price is not stated in the sources, but the deposit is 50 euros.",
        "The sources do not mention the price; however, the deposit is 50 euros [1].",
        "The warranty does not cover water damage [1].",
        "The warranty does not cover water damage.",
        "Refunds are not given after 30 days [1].",
        "The contract does not include a penalty [1].",
        "The limit is 150 euros [1].",
        "资料没有说明价格，但押金为50元[1]。",
        "资料没有说明价格，但押金为50元。",
        "客服无法回答技术问题[1]。",
        "客服无法回答技术问题。",
        "保修不包括进水。",
        "员工没有年假。",
        "The sources do not mention the price. The deposit is 50 euros [1].",
        "The sources do not mention the price. The deposit is 50 euros.",
        "退款无法在30天后提供。",
        "文件未加密。",
        "系统未找到配置文件时会报错E-42[1]。",
        "The document is not found in the archive before May [2].",
        "Files cannot be found when the index is stale [1].",
        "If no answer arrives within 3 days, the request is closed [1].",
        "No information may be shared with third parties [1].",
        "文件没有加密时无法找到密钥[1]。",
        "员工没有提交资料的，不予报销[1]。",
        "未提供发票的内容不予报销[1]。",
        "The form does not contain a field for the address [1].",
        "The invoice is not in the archive: it is kept by finance [1].",
    ],
)
def test_what_only_sounds_like_a_denial_or_says_something_besides_is_an_answer(text):
    assert not without_answer(text, cited(without_marker(text), 3).sentences)


def test_a_half_answer_is_known_to_lack_something():
    half = "资料没有说明价格，但押金为50元。"
    assert lacks_something(half)
    assert not says_not_there(half)


def test_taking_out_the_marker_leaves_the_citation_before_it():
    assert without_marker("It is 150 [1]. NOT_IN_DOCUMENTS") == "It is 150 [1]."


def test_the_marker_is_held_back_while_it_is_being_written():
    assert all(may_be_marker(text) for text in ("", " NOT", "NOT_IN_DOC", "NOT_IN_DOCUMENTS", "NOT_IN_DOCUMENTS. The"))
    assert not any(map(may_be_marker, ("No", "Not in the documents", "NOT 5", "It is NOT_IN_DOCUMENTS")))
