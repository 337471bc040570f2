"""Both routes, each in both of its variants: the same chunks in the same order."""

import math
import random

import numpy as np
import pytest
from store_parts import EAST, found_by_text, identity, opened, pieces, put, row, settings, vectors

from assistant.errors import StoreError
from assistant.store import matrix as matrices
from assistant.store.base import Base
from assistant.store.matrix import Matrix
from assistant.tokens import Tokenizer, query_terms

VARIANTS = [("postings", "matrix"), ("fts", "sql")]


@pytest.fixture(params=VARIANTS, ids="+".join)
def kb(request, tmp_path):
    with Base.open(tmp_path / "kb", identity(), settings(*request.param)) as base:
        yield base


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """A base with 300 chunks, opened once with each variant over the same file."""
    chance = random.Random(5)
    words = [
        *(f"word{i}" for i in range(60)),
        *"年假报销差旅标准政策员工",
        "ERR_CONN_1042",
        "X200",
        "C++",
        "text-embedding-3-small",
    ]
    folder = tmp_path_factory.mktemp("many")
    vectors_ = np.random.default_rng(5).standard_normal((300, 4))
    bases = [Base.open(folder, identity(), settings(*variant)) for variant in VARIANTS]
    for at in range(0, 300, 10):
        texts = ["".join(f"{chance.choice(words)} " for _ in range(chance.randint(3, 40))) for _ in range(10)]
        bases[0].replace_document(row(f"d{at}"), pieces(*texts), vectors_[at : at + 10])
    yield bases
    for base in bases:
        base.close()


# text


def test_bm25_is_the_number_worked_out_by_hand(kb):
    put(kb, "a", "leave policy leave", "policy", "travel costs")
    # n = 3 chunks of 3, 1 and 2 terms: average 2. "leave" is in 1, "policy" in 2 of them.
    idf_leave, idf_policy = math.log(1 + 2.5 / 1.5), math.log(1 + 1.5 / 2.5)
    norm = 1.2 * (0.25 + 0.75 * 3 / 2)  # 1.65
    first = idf_leave * 2 * 2.2 / (2 + norm), idf_policy * 1 * 2.2 / (1 + norm)  # 1.1824 and 0.3902
    second = idf_policy * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 1 / 2))  # 0.5909
    found = kb.search_text(["leave", "policy", "unknown", "leave"], 10)
    assert [hit.chunk_id for hit in found.hits] == ["a:0", "a:1"]
    assert found.hits[0].score == pytest.approx(sum(first))
    assert found.hits[1].score == pytest.approx(second)
    assert found.hits[0].matches == {"leave": (2, pytest.approx(first[0])), "policy": (1, pytest.approx(first[1]))}
    assert [hit.length for hit in found.hits] == [3, 1]
    assert found.document_frequencies == {"leave": 1, "policy": 2, "unknown": 0}
    assert (found.n, found.average_length) == (3, 2.0)


def test_the_shares_of_a_hit_add_up_to_its_score_exactly(many):
    for hit in many[0].search_text(["word1", "word2", "word3", "年假", "x200"], 50).hits:
        assert sum(share for _, share in hit.matches.values()) == hit.score


@pytest.mark.accept("B1")
@pytest.mark.parametrize("query", ["PPR-9087", "err_conn_1042", "X200", "C++", "2023-05-01", "text-embedding-3-small"])
def test_an_identifier_finds_its_chunk_first(kb, query):
    put(kb, "noise", "PPR-9088 ppr 9087b", "err conn 1043", "x 200", "C# and C", "2023-06-01", "text embedding 3 large")
    put(kb, "right", f"the part {query} is described here")
    terms = [term.text for term in query_terms(query)]
    assert found_by_text(kb, *terms)[0] == "right:0"


@pytest.mark.accept("B8")
def test_a_chinese_query_finds_its_literal_match(kb):
    put(kb, "a", "每位员工每年享有十五天带薪年假。", "差旅费用按标准报销。")
    terms = [term.text for term in query_terms("年假有几天？")]
    found = kb.search_text(terms, 10)
    assert [hit.chunk_id for hit in found.hits] == ["a:0"]
    assert found.hits[0].score > 0


@pytest.mark.accept("B10")
def test_inserted_replaced_and_deleted_rows_are_seen_at_once(kb):
    put(kb, "a", "first")
    assert found_by_text(kb, "first") == ["a:0"]
    put(kb, "b", "second")
    assert found_by_text(kb, "second") == ["b:0"]
    put(kb, "a", "third")
    assert (found_by_text(kb, "first"), found_by_text(kb, "third")) == ([], ["a:0"])
    kb.delete_document("b")
    assert found_by_text(kb, "second") == []


@pytest.mark.parametrize(
    "query",
    ["word1", "word1 word2 word3", "年假 报销", "ERR_CONN_1042 word7", "C++ X200", "nothing", "text-embedding-3-small"],
)
def test_postings_and_fts_rank_alike(many, query):
    terms = [term.text for term in query_terms(query)]
    ours, theirs = (base.search_text(terms, 30) for base in many)
    assert [round(h.score, 6) for h in ours.hits] == [round(h.score, 6) for h in theirs.hits]
    assert ranks(ours.hits) == ranks(theirs.hits)
    assert ours.document_frequencies == theirs.document_frequencies
    assert (ours.n, ours.average_length) == (theirs.n, theirs.average_length)
    for one, other in zip(ours.hits[:5], theirs.hits[:5], strict=True):
        if one.chunk_id == other.chunk_id:
            assert one.length == other.length
            assert one.matches == {t: (tf, pytest.approx(share)) for t, (tf, share) in other.matches.items()}


def ranks(hits):
    """Ids by score, ties in any order; those tied with the last are left out."""
    groups: dict[float, set[str]] = {}
    for hit in hits:
        groups.setdefault(round(hit.score, 6), set()).add(hit.chunk_id)
    return list(groups.values())[:-1]


def test_term_matches_tell_which_terms_a_chunk_found_by_meaning_holds(many):
    base = many[0]
    terms = ["word1", "年假", "x200", "nowhere"]
    ids = [p.chunk_id for p in base.chunks(limit=40)]
    cut = Tokenizer().tokens
    expected = {p.chunk_id: set(cut(p.text)) & set(terms) for p in base.passages(ids)}
    assert base.term_matches([*ids, "gone"], terms) == {**expected, "gone": set()}
    assert base.term_matches([], terms) == {}
    assert base.term_matches(ids[:1], []) == {ids[0]: set()}


def test_a_very_long_query_is_searched_in_full(kb):
    words = [f"w{i}" for i in range(150)]
    put(kb, "a", " ".join(words), "w149 only")
    found = kb.search_text(words, 10)
    assert [len(hit.matches) for hit in found.hits] == [150, 1]


def test_a_base_cut_with_another_tokenizer_is_indexed_again_when_opened(tmp_path):
    with opened(tmp_path, tokenizer=Tokenizer()) as base:
        put(base, "a", "leave policies")
        assert found_by_text(base, "policies") == ["a:0"]
    other = Tokenizer(stem=True)
    with pytest.raises(StoreError, match=f"built with tokenizer {Tokenizer().identity}, .* {other.identity}; open it"):
        opened(tmp_path, tokenizer=other, read_only=True)
    with opened(tmp_path, tokenizer=other) as base:
        assert (found_by_text(base, "policies"), found_by_text(base, "policy")) == ([], ["a:0"])
        assert base.faults() == ()


# vectors


@pytest.mark.accept("A1")
def test_cosines_run_from_one_to_minus_one_and_fall_with_distance(kb):
    put(kb, "a", *"abcde", cosines=(-1.0, 1.0, 0.0, 0.5, -0.5))
    found = kb.search_vector([5.0, 0, 0, 0], 10)
    assert found.ids == ("a:1", "a:3", "a:2", "a:4", "a:0")
    assert found.cosines == pytest.approx((1.0, 0.5, 0.0, -0.5, -1.0))
    assert -1.0 <= min(found.cosines) <= max(found.cosines) <= 1.0


def test_the_background_is_over_all_chunks_not_only_the_hits(kb):
    put(kb, "a", *"abcd", cosines=(1.0, 1.0, 0.0, -1.0))
    background = kb.search_vector(EAST, 1).background
    # mean (1 + 1 + 0 − 1) / 4 = 0.25; variance (0.5625 + 0.5625 + 0.0625 + 1.5625) / 4 = 0.6875
    assert (background.mean, background.n) == (pytest.approx(0.25), 4)
    assert background.deviation == pytest.approx(math.sqrt(0.6875))


def test_a_vector_of_zeros_is_near_to_nothing(kb):
    put(kb, "a", "a")
    kb.replace_document(row("z"), pieces("z"), np.zeros((1, 4)))
    found = kb.search_vector(EAST, 10)
    assert dict(zip(found.ids, found.cosines, strict=True)) == {"a:0": 1.0, "z:0": 0.0}
    assert kb.search_vector([0, 0, 0, 0], 10).cosines == (0.0, 0.0)


def test_matrix_and_sql_rank_alike(many):
    chance = np.random.default_rng(1)
    for vector in chance.standard_normal((5, 4)):
        ours, theirs = (base.search_vector(vector, 40) for base in many)
        assert ours.ids == theirs.ids
        assert ours.cosines == pytest.approx(theirs.cosines, abs=1e-6)
        assert ours.background.mean == pytest.approx(theirs.background.mean, abs=1e-6)
        assert ours.background.deviation == pytest.approx(theirs.background.deviation, abs=1e-6)


def test_equal_vectors_come_in_the_order_they_were_stored_also_at_the_cut(kb):
    put(kb, "b", *"abc")
    put(kb, "a", *"abc")
    assert kb.search_vector(EAST, 4).ids == ("b:0", "b:1", "b:2", "a:0")


# scope


def test_a_scope_of_documents_narrows_both_routes(kb):
    put(kb, "a", "leave", cosines=(1.0,))
    put(kb, "b", "leave", "leave now", cosines=(0.5, 0.0))
    assert {hit.chunk_id for hit in kb.search_text(["leave"], 10, {"b"}).hits} == {"b:0", "b:1"}
    found = kb.search_vector(EAST, 10, ["b"])
    assert (found.ids, found.background.n, found.background.mean) == (("b:0", "b:1"), 2, pytest.approx(0.25))
    for nothing in (set(), {"unknown"}):
        assert kb.search_text(["leave"], 10, nothing).hits == ()
        assert kb.search_vector(EAST, 10, nothing).ids == ()
    assert kb.search_text(["leave"], 10, {"b"}).document_frequencies == {"leave": 3}


def test_a_scope_of_metadata_filters_narrows_both_routes(kb):
    from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters

    put(kb, "a", "leave", authority=0.2)
    put(kb, "b", "leave", authority=0.9)
    strong = MetadataFilters(filters=[MetadataFilter(key="authority", value=0.5, operator=FilterOperator.GT)])
    assert [hit.chunk_id for hit in kb.search_text(["leave"], 10, strong).hits] == ["b:0"]
    assert kb.search_vector(EAST, 10, strong).ids == ("b:0",)


# the matrix itself


def filled(monkeypatch, block):
    monkeypatch.setattr(matrices, "BLOCK", block)
    matrix = Matrix()
    matrix.load([])
    return matrix


def add(matrix, *numbers, removed=()):
    rows = vectors(*[1 / n for n in numbers]) if numbers else np.empty((0, 4), dtype=np.float32)
    matrix.apply(np.array(removed, dtype=np.int64), np.array(numbers, dtype=np.int64), [str(n) for n in numbers], rows)


def test_a_snapshot_stays_as_it_was_while_rows_come_and_go(monkeypatch):
    matrix = filled(monkeypatch, 4)
    add(matrix, 1, 2, 3)
    before = matrix.snapshot
    add(matrix, 4, 5, 6, removed=[2])
    add(matrix, removed=[1])
    assert before.search(np.array(EAST), 10).ids == ("1", "2", "3")
    assert matrix.snapshot.search(np.array(EAST), 10).ids == ("3", "4", "5", "6")
    assert matrix.rows == 4


def test_adding_a_row_moves_no_other_row(monkeypatch):
    matrix = filled(monkeypatch, 4)
    add(matrix, 1, 2, 3, 4, 5)
    blocks = matrix.snapshot.blocks
    add(matrix, 6)
    assert all(one is other for one, other in zip(blocks, matrix.snapshot.blocks, strict=True))


def test_room_of_deleted_rows_is_given_back(monkeypatch):
    matrix = filled(monkeypatch, 16)
    for start in range(1, 201, 10):
        add(matrix, *range(start, start + 10), removed=range(max(start - 10, 0), start - 1))
    # each round but the last leaves the last of its ten rows
    assert matrix.rows == 19 + 10
    assert matrix.snapshot.count < 60
    assert matrix.snapshot.search(np.array(EAST), 200, np.array([200, 191, 5])).ids == ("191", "200")
