"""Running the routes side by side, each with its time limit."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, ThreadPoolExecutor, wait
from concurrent.futures import TimeoutError as FutureTimeout

from assistant.errors import AssistantError
from assistant.routes.route import Query, Route
from assistant.trace import Retrieved

logger = logging.getLogger(__name__)


class RouteRunner:
    """Runs routes in threads of its own; a late route is recorded as late and the rest goes on without it."""

    def __init__(self, routes: Sequence[Route], workers: int = 4) -> None:
        self.routes = tuple(routes)
        self._pool = ThreadPoolExecutor(max_workers=workers, thread_name_prefix="route")
        self._warm: set[str] = set()

    def retrieve(
        self, queries: Sequence[Query], seconds: float, names: Sequence[str] | None = None
    ) -> tuple[Retrieved, ...]:
        """One record a query and route, in that order. `seconds`: each route's limit, once it has run before.

        When all are late, the first of them is waited for: there is nothing to go on with without it. `names`: the
        routes that are asked, all when None. A route's first run loads the model and the matrix, so it
        may take as long as it needs.
        """
        known = {route.name: route for route in self.routes}
        asked = [known[name] for name in (known if names is None else names)]
        started = time.perf_counter()
        jobs = [(route, query, self._pool.submit(_timed, route, query)) for query in queries for route in asked]
        futures = [job for _, _, job in jobs]
        if all(route.name in self._warm for route in asked) and not wait(futures, timeout=seconds).done:
            wait(futures, return_when=FIRST_COMPLETED)  # a busy machine: late is better than no answer at all
        return tuple(self._collect(route, query, job, started, seconds) for route, query, job in jobs)

    def add(self, route: Route) -> None:
        """One more route that can be asked."""
        self.routes = (*self.routes, route)

    def close(self) -> None:
        """Waits for running searches: each thread has a cursor of its own, which must go before the database does."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _collect(self, route: Route, query: Query, job: Future[Retrieved], started: float, seconds: float) -> Retrieved:
        limit = max(0.0, started + seconds - time.perf_counter()) if route.name in self._warm else None
        try:
            found = job.result(timeout=limit)
        except FutureTimeout:
            job.cancel()
            return _without(route, query, "late", f"no answer within {seconds:.1f} s; the other routes went on")
        except CancelledError:
            return _without(route, query, "failed", "the assistant was closed")
        except AssistantError as err:
            return _without(route, query, "failed", str(err))
        except Exception as err:
            logger.exception("route %s failed", route.name)
            return _without(route, query, "failed", f"{type(err).__name__}: {err}")
        self._warm.add(route.name)
        return found


def _timed(route: Route, query: Query) -> Retrieved:
    started = time.perf_counter()
    found = route.search(query)
    return found.model_copy(update={"seconds": time.perf_counter() - started})


def _without(route: Route, query: Query, state: str, why: str) -> Retrieved:
    return Retrieved.model_validate(
        {
            "route": route.name,
            "query": query.text,
            "attempt": query.attempt,
            "part": query.part,
            "unit": route.unit,
            "depth": query.depth,
            "state": state,
            "why": why,
        }
    )
