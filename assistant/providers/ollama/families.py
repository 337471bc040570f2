"""What each family of embedding models expects in front of a text, from their model cards.

Ollama adds none of these itself, and without them retrieval is markedly worse. They are part of the identity.
"""

from __future__ import annotations

from dataclasses import dataclass

DEFAULT_EMBEDDER = "bge-m3"
# num_ctx is memory; chunks are far shorter
_WINDOW = 8192
_SENTENCE = "Represent this sentence for searching relevant passages: "
_TASK = "Instruct: Given a web search query, retrieve relevant passages that answer the query\n"


@dataclass(frozen=True)
class Family:
    """`tokens` is the longest text the model was made for; `english_only` models are no use for Chinese."""

    name: str
    query_prefix: str = ""
    passage_prefix: str = ""
    tokens: int = 8192
    english_only: bool = False


# the first whose name is contained in the model's counts: the specific before the general
FAMILIES = (
    Family("nomic-embed-text-v2", "search_query: ", "search_document: ", 512),
    Family("nomic-embed-text", "search_query: ", "search_document: ", 2048, english_only=True),
    Family("mxbai-embed-large", _SENTENCE, "", 512, english_only=True),
    Family("snowflake-arctic-embed2", "query: "),
    Family("snowflake-arctic-embed", _SENTENCE, "", 512, english_only=True),
    Family("bge-m3"),
    Family("bge-large-zh", "为这个句子生成表示以用于检索相关文章：", "", 512),
    Family("bge-large", _SENTENCE, "", 512, english_only=True),
    Family("qwen3-embedding", _TASK + "Query:", "", 32768),
    Family("embeddinggemma", "task: search result | query: ", "title: none | text: ", 2048),
    Family("e5-large-instruct", _TASK + "Query: ", "", 512),
    Family("multilingual-e5", "query: ", "passage: ", 512),
    Family("all-minilm", "", "", 256, english_only=True),
)


def family(model: str) -> Family:
    """The family of this model name; one without prefixes when it is unknown."""
    bare = bare_name(model)
    return next((f for f in FAMILIES if f.name in bare), Family(bare))


def embedding_window(model: str) -> int:
    """The num_ctx of every request to this embedding model: another one would make the server load it again."""
    return min(family(model).tokens, _WINDOW)


def bare_name(model: str) -> str:
    """The name without host, namespace and tag, in lower case: "bge-m3" of "someone/bge-m3:latest"."""
    return model.rsplit("/", 1)[-1].split(":", 1)[0].lower()


def short_name(model: str) -> str:
    """One name for a model however it is written: in lower case, without ":latest"."""
    return with_tag(model).removesuffix(":latest")


def with_tag(model: str) -> str:
    """The name as the server lists it: in lower case, with ":latest" where no tag is given."""
    name = model.strip().lower()
    return name if ":" in name.rsplit("/", 1)[-1] else f"{name}:latest"
