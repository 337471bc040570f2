"""The written answer: which numbers stay, what of the reply is an answer, and how it ended."""

from __future__ import annotations

import pytest

from assistant.answer.citations import cited
from assistant.answer.not_there import says_not_there, without_answer, without_marker


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
