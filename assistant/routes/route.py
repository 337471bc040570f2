"""What a route is: a LlamaIndex retriever whose hits keep their rank, raw score and unit."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from assistant.providers import Embedder
from assistant.store.base import Base
from assistant.trace import Retrieved


@dataclass(frozen=True)
class Query:
    """One search: the text, which sub-question of which attempt it is, how many hits are wanted, and the scope.

    `imagined`: a passage as it might stand in a document; routes by meaning search for it beside the text.
    """

    text: str
    depth: int
    attempt: int = 1
    part: int = 0
    scope: Any = None
    imagined: str = ""


class Route(BaseRetriever):
    """Base of the routes. `search` is for the pipeline; `retrieve` serves LlamaIndex users with the same hits."""

    name: str
    unit: str

    def __init__(self, base: Base, embedder: Embedder, depth: int = 50) -> None:
        super().__init__()
        self.base = base
        self.embedder = embedder
        self.depth = depth

    @abstractmethod
    def search(self, query: Query) -> Retrieved:
        """The hits of this route, best first."""

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = self.search(Query(query_bundle.query_str, self.depth))
        texts = {p.chunk_id: p for p in self.base.passages([h.chunk_id for h in found.hits])}
        return [
            NodeWithScore(node=TextNode(id_=h.chunk_id, text=texts[h.chunk_id].text), score=h.score)
            for h in found.hits
            if h.chunk_id in texts
        ]
