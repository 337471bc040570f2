"""The tokenizer: the same terms for index, query and marking."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.tokens import Tokenizer, fold, identifiers, query_terms, spans, tokens


def test_tokens_keep_an_identifier_whole_and_split_it():
    assert tokens("text-embedding-3-small") == ["text-embedding-3-small", "text", "embedding", "3", "small"]
    assert tokens("ERR_CONN_1042") == ["err_conn_1042", "err", "conn", "1042"]
    assert tokens("X200") == ["x200", "x", "200"]
    assert tokens("tidb_mem_quota_query") == ["tidb_mem_quota_query", "tidb", "mem", "quota", "query"]


@pytest.mark.accept("B1")
def test_tokens_keep_hyphenated_identifiers_dates_and_numbers():
    assert "ppr-9087" in tokens("see PPR-9087.")
    assert tokens("2023-05-01") == ["2023-05-01", "2023", "05", "01"]
    assert tokens("1,000,000 元") == ["1000000", "元"]


def test_tokens_keep_the_signs_of_programming_languages():
    assert tokens("C++ and C#") == ["c++", "c", "and", "c#", "c"]
    assert tokens("issue#12") == ["issue", "12"]


@pytest.mark.accept("B8")
def test_tokens_cut_chinese_into_pairs_and_stop_at_punctuation():
    assert Tokenizer("bigrams").tokens("年假政策，报销") == ["年假", "假政", "政策", "报销"]
    assert Tokenizer("bigrams").tokens("第3章") == ["第", "3", "章"]


def test_tokens_cut_chinese_into_words_when_asked():
    pytest.importorskip("rjieba")
    assert Tokenizer("words").tokens("年假政策 X200") == ["年", "假", "政策", "x200", "x", "200"]


def test_tokens_drop_only_english_contractions_after_an_apostrophe():
    assert tokens("it's the employee’s, don't") == ["it", "the", "employee", "don"]
    assert tokens("O'Neil") == ["o", "neil"]


@pytest.mark.parametrize(
    ("written", "same"),
    [
        ("ＡＢＣ１２", "abc12"),
        ("Café", "cafe"),
        ("cafe\u0301", "cafe"),
        ("ﬁle", "file"),
        ("STRASSE", "straße"),
        ("⼤学", "大学"),
        ("⻢上", "马上"),
        ("がく", "か\u3099く"),
        ("각", "\u1100\u1161\u11a8"),
    ],
)
def test_tokens_are_equal_for_the_same_word_written_otherwise(written, same):
    assert tokens(written) == tokens(same) != []


def test_stemming_folds_the_plural_only_when_switched_on():
    assert Tokenizer(stem=True).tokens("policies days class status") == ["policy", "day", "class", "status"]
    assert tokens("policies") == ["policies"]


def test_identity_names_what_changes_the_terms():
    settings = [Tokenizer("bigrams"), Tokenizer("words"), Tokenizer("bigrams", True), Tokenizer("words", True)]
    assert len({t.identity for t in settings}) == 4
    assert Tokenizer("bigrams").identity == "1:bigrams"


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("What does ERR_CONN_1042 mean?", ("err_conn_1042",)),
        ("text-embedding-3-small 和 X200 哪个好", ("text-embedding-3-small", "x200")),
        ("2023年的营收", ("2023",)),
        ("C++ or C#?", ("c++", "c#")),
        ("v1.3.2 的 tidb_mem_quota_query", ("v1.3.2", "tidb_mem_quota_query")),
        ("the 2nd e-mail about HR in step 3", ()),
        ("年假有几天", ()),
        ("", ()),
    ],
)
def test_identifiers_are_what_a_person_types_exactly(query, found):
    assert identifiers(query) == found


def test_query_terms_are_distinct_in_order_and_parts_are_no_identifiers():
    found = query_terms("X200 and x200")
    assert [(term.text, term.identifier) for term in found] == [
        ("x200", True),
        ("x", False),
        ("200", False),
        ("and", False),
    ]


def test_spans_point_into_the_original_text():
    text = "ＡＢＣ１２ 与 ﬁle 在⼤学, Café"
    found = [(text[start:end], term) for start, end, term in spans(text, ["abc12", "file", "大学", "cafe"])]
    assert found == [("ＡＢＣ１２", "abc12"), ("ﬁle", "file"), ("⼤学", "大学"), ("Café", "cafe")]


def test_spans_mark_whole_terms_only():
    assert spans("policyholder policy", ["policy"]) == [(13, 19, "policy")]


@given(st.text(alphabet="aB9_-. ’',年假ﬁé⻢Ａ⼤+#\u0301か", max_size=60))
def test_every_token_is_found_again_by_spans_within_the_text(text):
    found = spans(text, tokens(text))
    assert {term for _, _, term in found} == set(tokens(text))
    assert all(0 <= start < end <= len(text) for start, end, _ in found)


@given(st.text(max_size=80))
def test_tokens_hold_no_white_space_and_folding_again_changes_nothing(text):
    assert all(token and not any(c.isspace() for c in token) for token in tokens(text))
    assert fold(fold(text)) == fold(text)
