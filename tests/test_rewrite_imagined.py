"""An imagined passage: searched for by meaning beside the question, never by its words."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import store_parts as parts

from assistant.routes.route import Query
from assistant.routes.text import TextRoute
from assistant.routes.vector import VectorRoute

# the question points east, the imagined passage north
EMBEDDER = SimpleNamespace(
    identity=parts.identity(),
    embed_query=lambda text: np.array(parts.EAST, np.float32),
    embed_passages=lambda texts: np.tile(np.array([0.0, 1.0, 0.0, 0.0], np.float32), (len(texts), 1)),
)


@pytest.fixture
def base(tmp_path):
    with parts.opened(tmp_path / "kb") as kb:
        parts.put(kb, "d", "east of here", "between the two", cosines=(1.0, 0.6))
        yield kb


def test_the_vector_lies_half_way_between_question_and_passage(base):
    """(1, 0) + (0, 1) at length 1 is (.7071, .7071): .7071 to (1, 0), and (.6 + .8) × .7071 = .9899 to (.6, .8)."""
    route = VectorRoute(base, EMBEDDER)
    plain = route.search(Query("q", 10))
    imagined = route.search(Query("q", 10, imagined="as it might stand there"))
    assert [h.score for h in plain.hits] == pytest.approx([1.0, 0.6], abs=1e-3)
    assert [h.score for h in imagined.hits] == pytest.approx([0.9899, 0.7071], abs=1e-3)
    assert [h.chunk_id for h in imagined.hits] == [h.chunk_id for h in plain.hits][::-1]
    assert (plain.imagined, imagined.imagined) == ("", "as it might stand there")


def test_the_words_searched_for_are_those_of_the_question(base):
    found = TextRoute(base, EMBEDDER).search(Query("east", 10, imagined="between the two"))
    assert [t.text for t in found.terms] == ["east"]
    assert len(found.hits) == 1
