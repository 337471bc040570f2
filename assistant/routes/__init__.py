"""Routes: ways to find chunks for a query, run side by side. Adding one is a file and a line in `ROUTES`."""

from assistant.registry import Registry
from assistant.routes.route import Query, Route

ROUTES: Registry[Route] = Registry(
    "route",
    {
        "vector": "assistant.routes.vector:VectorRoute",
        "text": "assistant.routes.text:TextRoute",
    },
)

__all__ = ["ROUTES", "Query", "Route"]
