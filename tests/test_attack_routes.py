"""Routes on a machine that is too busy for their time limit."""

from __future__ import annotations

import threading

from assistant.routes.route import Query
from assistant.routes.run import RouteRunner
from assistant.trace import Retrieved


class Slow:
    """A route that waits for its gate once it has run; `unit` and `name` as every route has."""

    unit = "cosine"

    def __init__(self, name: str) -> None:
        self.name = name
        self.gate = threading.Event()
        self.gate.set()

    def search(self, query: Query) -> Retrieved:
        self.gate.wait(20)
        return Retrieved(route=self.name, query=query.text, unit=self.unit, depth=query.depth)


def test_when_every_route_is_late_the_first_one_is_waited_for():
    one, two = Slow("one"), Slow("two")
    runner = RouteRunner([one, two])  # type: ignore[list-item]
    runner.retrieve([Query("warm up", 5)], 20)
    one.gate.clear()
    two.gate.clear()
    threading.Timer(0.2, two.gate.set).start()
    found = runner.retrieve([Query("busy", 5)], 0.1)
    one.gate.set()
    runner.close()
    assert [(r.route, r.state) for r in found] == [("one", "late"), ("two", "done")]


def test_a_late_route_is_left_out_when_another_has_answered():
    one, two = Slow("one"), Slow("two")
    runner = RouteRunner([one, two])  # type: ignore[list-item]
    runner.retrieve([Query("warm up", 5)], 20)
    one.gate.clear()
    found = runner.retrieve([Query("busy", 5)], 0.1)
    one.gate.set()
    runner.close()
    assert [(r.route, r.state) for r in found] == [("one", "late"), ("two", "done")]
    assert "within 0.1 s" in found[0].why
