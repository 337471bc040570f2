"""The knowledge base as LlamaIndex sees it."""

import json

import duckdb
import pytest
from llama_index.core import StorageContext, VectorStoreIndex
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.schema import NodeRelationship, ObjectType, RelatedNodeInfo, TextNode
from llama_index.core.vector_stores.types import (
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
)
from llama_index.core.vector_stores.utils import node_to_metadata_dict
from llama_index.vector_stores.duckdb import DuckDBVectorStore
from store_parts import EAST, identity, opened, pieces, put, row, settings, vectors

from assistant.errors import StoreError, WrongModel
from assistant.store.base import Base
from assistant.store.nodes import node_metadata
from assistant.store.vector_store import GlassboxVectorStore

BIRDS = ("owl", "", "wren", "", "kite")
MODES = ("default", "text_search", "hybrid")


class CountingEmbedding(MockEmbedding):
    """East for every text; says how often it was asked."""

    asked: int = 0

    def _get_query_embedding(self, query):
        self.asked += 1
        return list(EAST)


@pytest.fixture
def store():
    """Five nodes of two documents, each nearer to the east than the one before."""
    made = GlassboxVectorStore(embed_dim=4)
    made.add([node(i, f"leave policy {i}" if i % 2 else f"年假政策 {BIRDS[i]}", i / 4) for i in range(5)])
    yield made
    made.close()


def node(i, text, cosine, **metadata):
    fields = {"n": i, "half": i / 2, "name": f"it's {i}", "even": "yes" if i % 2 == 0 else "no"} | metadata
    source = RelatedNodeInfo(node_id=f"doc{i // 3}", node_type=ObjectType.DOCUMENT)
    made = TextNode(id_=f"n{i}", text=text, metadata=fields, relationships={NodeRelationship.SOURCE: source})
    made.embedding = [float(x) for x in vectors(cosine)[0]]
    return made


def retrieve(store, mode, query="leave 年假", embedding=None, k=5, **more):
    index = VectorStoreIndex.from_vector_store(store, embed_model=embedding or CountingEmbedding(embed_dim=4))
    retriever = index.as_retriever(vector_store_query_mode=mode, similarity_top_k=k, **more)
    return [(found.node_id, found.score) for found in retriever.retrieve(query)]


def ids(found):
    return [id_ for id_, _ in found]


def test_default_mode_orders_by_cosine(store):
    found = retrieve(store, "default")
    assert ids(found) == ["n4", "n3", "n2", "n1", "n0"]
    assert [score for _, score in found] == pytest.approx([1.0, 0.75, 0.5, 0.25, 0.0])


def test_text_mode_orders_by_bm25_and_never_calls_the_embedder(store):
    embedding = CountingEmbedding(embed_dim=4)
    assert ids(retrieve(store, "text_search", "wren", embedding)) == ["n2"]
    assert set(ids(retrieve(store, "text_search", "leave", embedding))) == {"n1", "n3"}
    assert retrieve(store, "text_search", "nothing", embedding) == []
    assert embedding.asked == 0


def test_hybrid_mode_uses_both_routes_weighted_by_alpha(store):
    assert ids(retrieve(store, "hybrid", "wren", alpha=1.0)) == ["n4", "n3", "n2", "n1", "n0"]
    assert retrieve(store, "hybrid", "wren", alpha=0.0)[0] == ("n2", pytest.approx(1.0))
    # n2: 0.5 × 0.5 + 0.5 × 1 = 0.75; n4: 0.5 × 1 = 0.5
    assert retrieve(store, "hybrid", "wren", k=2) == [("n2", pytest.approx(0.75)), ("n4", pytest.approx(0.5))]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("key", "operator", "value", "expected"),
    [
        ("n", FilterOperator.EQ, 3, {"n3"}),
        ("n", FilterOperator.NE, 3, {"n0", "n1", "n2", "n4"}),
        ("n", FilterOperator.GT, 2, {"n3", "n4"}),
        ("half", FilterOperator.LTE, 0.5, {"n0", "n1"}),
        ("name", FilterOperator.EQ, "it's 1", {"n1"}),
        ("name", FilterOperator.IN, ["it's 1", "it's 4"], {"n1", "n4"}),
        ("name", FilterOperator.IN, [], set()),
        ("name", FilterOperator.NIN, ["it's 1"], {"n0", "n2", "n3", "n4"}),
        ("name", FilterOperator.TEXT_MATCH, "s 2", {"n2"}),
        ("name", FilterOperator.EQ, "x' OR 1=1 --", set()),
    ],
)
def test_a_filter_holds_in_every_mode(store, mode, key, operator, value, expected):
    filters = MetadataFilters(filters=[MetadataFilter(key=key, value=value, operator=operator)])
    found = set(ids(retrieve(store, mode, "leave policy 年假政策", filters=filters)))
    assert found == expected


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("condition", "expected"), [(FilterCondition.AND, {"n2"}), (FilterCondition.OR, {"n0", "n1", "n2", "n4"})]
)
def test_filters_are_joined_by_and_and_or(store, mode, condition, expected):
    even = MetadataFilter(key="even", value="yes")
    middle = MetadataFilter(key="n", value=[1, 2], operator=FilterOperator.IN)
    filters = MetadataFilters(filters=[even, middle], condition=condition)
    assert set(ids(retrieve(store, mode, "leave policy 年假政策", filters=filters))) == expected


@pytest.mark.parametrize("mode", MODES)
def test_document_ids_and_node_ids_of_the_query_hold(store, mode):
    asked = {"query_embedding": list(EAST), "query_str": "leave 年假", "mode": VectorStoreQueryMode(mode)}
    found = store.query(VectorStoreQuery(similarity_top_k=5, doc_ids=["doc1"], **asked))
    assert set(found.ids) == {"n3", "n4"}
    found = store.query(VectorStoreQuery(similarity_top_k=5, node_ids=["n0", "n3"], doc_ids=["doc1"], **asked))
    assert found.ids == ["n3"]


def test_adding_a_node_again_replaces_it_in_both_routes(store):
    store.add([node(1, "travel costs", 1.0)])
    assert ids(retrieve(store, "text_search", "leave")) == ["n3"]
    assert ids(retrieve(store, "text_search", "travel")) == ["n1"]
    assert set(ids(retrieve(store, "default", k=2))) == {"n1", "n4"}
    assert len(store.get_nodes()) == 5


@pytest.mark.accept("G1")
def test_deleted_nodes_are_gone_from_every_mode(store):
    store.delete("doc0")
    assert all(set(ids(retrieve(store, mode))) == {"n3", "n4"} for mode in MODES)
    store.delete_nodes(["n3"])
    assert all(ids(retrieve(store, mode)) == ["n4"] for mode in MODES)
    store.delete_nodes(filters=MetadataFilters(filters=[MetadataFilter(key="n", value=4)]))
    assert all(retrieve(store, mode) == [] for mode in MODES)
    store.add([node(1, "leave", 1.0)])
    store.clear()
    assert all(retrieve(store, mode) == [] for mode in MODES)


def test_a_node_without_embedding_is_found_by_its_words_only(store):
    store.add([TextNode(id_="bare", text="kingfisher")])
    assert ids(retrieve(store, "text_search", "kingfisher")) == ["bare"]
    assert "bare" not in ids(retrieve(store, "default", k=10))


def test_vectors_of_another_dimension_are_refused():
    store = GlassboxVectorStore()
    store.add([node(0, "a", 1.0)])
    with pytest.raises(WrongModel, match="3 dimensions, but this store holds vectors of 4"):
        store.add([TextNode(id_="b", text="b", embedding=[1.0, 0.0, 0.0])])


def test_what_is_not_served_is_refused_with_what_is(store):
    with pytest.raises(StoreError, match="'mmr' is not served; use default, text_search or hybrid"):
        store.query(VectorStoreQuery(query_embedding=list(EAST), mode=VectorStoreQueryMode.MMR))
    with pytest.raises(StoreError, match="without an embedding"):
        store.query(VectorStoreQuery(query_str="leave"))
    with pytest.raises(StoreError, match="one file per collection"):
        GlassboxVectorStore(table_name="notes")


def test_an_index_built_by_llama_index_is_there_after_reopening(tmp_path):
    store = GlassboxVectorStore.from_local(str(tmp_path / "x.duckdb"), embed_dim=4)
    context = StorageContext.from_defaults(vector_store=store)
    VectorStoreIndex([node(1, "leave", 1.0)], storage_context=context, embed_model=CountingEmbedding(embed_dim=4))
    store.close()
    again = GlassboxVectorStore.from_local(str(tmp_path / "x.duckdb"), embed_dim=4)
    assert ids(retrieve(again, "hybrid", "leave")) == ["n1"]
    again.close()


def test_the_base_and_its_vector_store_see_the_same_chunks(tmp_path):
    with opened(tmp_path) as base:
        put(base, "a", "年假政策", "travel", cosines=(0.5, 1.0))
        assert ids(retrieve(base.vector_store, "default")) == ["a:1", "a:0"]
        base.vector_store.delete("a")
        assert base.counts().chunks == base.search_vector(EAST, 5).background.n == 0


def test_a_stock_duckdb_vector_store_reads_the_same_file(tmp_path):
    class Stock(DuckDBVectorStore):
        @classmethod
        def _initialize_table(cls, conn, table_name, embed_dim):
            """The stock one fetches extensions from the network; the table is there."""

    with opened(tmp_path) as base:
        put(base, "a", "年假政策", "travel", cosines=(0.5, 1.0), title="Leave")
    stock = Stock.from_local(str(tmp_path / "base.duckdb"), embed_dim=4)
    found = stock.query(VectorStoreQuery(query_embedding=list(EAST), similarity_top_k=2))
    assert found.ids == ["a:1", "a:0"]
    assert (found.nodes[1].text, found.nodes[1].metadata["title"]) == ("年假政策", "Leave")
    assert found.nodes[1].ref_doc_id == "a"
    with pytest.raises(duckdb.Error):
        stock.add([node(1, "would have no text index", 1.0)])
    stock.client.close()
    stock._shared_conn.close()


def test_the_metadata_column_is_what_llama_index_would_write():
    chunk = pieces("年假政策", heading=("Leave", "Annual"), pages=(3, 4))[0]
    file = row("a", title="Policy", authority=0.9)
    ours = json.loads(node_metadata(file, chunk))
    fields = json.loads(ours["_node_content"])["metadata"]
    source = RelatedNodeInfo(node_id="a", node_type=ObjectType.DOCUMENT)
    made = TextNode(
        id_="a:0",
        text=chunk.text,
        metadata=fields,
        excluded_embed_metadata_keys=list(fields),
        start_char_idx=chunk.start,
        end_char_idx=chunk.end,
        relationships={NodeRelationship.SOURCE: source},
    )
    theirs = node_to_metadata_dict(made, remove_text=True, flat_metadata=True)
    assert json.loads(ours.pop("_node_content")) == json.loads(theirs.pop("_node_content"))
    assert ours == theirs


def test_the_store_of_a_base_refuses_vectors_of_another_dimension(tmp_path):
    with Base.open(tmp_path, identity(), settings()) as base, pytest.raises(WrongModel):
        base.vector_store.add([TextNode(id_="b", text="b", embedding=[1.0, 0.0, 0.0])])
