"""AssistantQueryEngine: the door for LlamaIndex users."""

from __future__ import annotations

from typing import Any

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.response.schema import RESPONSE_TYPE, Response
from llama_index.core.callbacks.base import CallbackManager
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from assistant.assistant import Assistant
from assistant.trace import Trace


class AssistantQueryEngine(BaseQueryEngine):
    """A LlamaIndex query engine over a knowledge base.

    Source nodes carry the fused score; the whole trace is in `response.metadata["trace"]`.
    """

    def __init__(self, assistant: Assistant) -> None:
        super().__init__(callback_manager=CallbackManager())
        self.assistant = assistant

    def _query(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        return _response(self.assistant.ask(query_bundle.query_str))

    async def _aquery(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        return _response(await self.assistant.aask(query_bundle.query_str))

    def _get_prompt_modules(self) -> dict[str, Any]:
        return {}


def _response(trace: Trace) -> Response:
    nodes = [
        NodeWithScore(
            node=TextNode(id_=p.chunk_id, text=p.text, metadata={"document": p.document, "pages": p.pages}),
            score=c.fused.value,
        )
        for c in trace.candidates()
        if c.final_rank and (p := trace.passage(c.chunk_id)) is not None
    ]
    return Response(response=trace.answer, source_nodes=nodes, metadata={"trace": trace})
