"""Who may talk to the app: pages that the app itself served to this computer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

App = Callable[[Any, Any, Any], Awaitable[None]]

OWN_NAMES = ("127.0.0.1", "localhost", "::1")
REFUSED = b"Glassbox answers only its own page on this computer; open it at its 127.0.0.1 address."


class OwnPagesOnly:
    """Refuses (403) what another website sends through the person's browser; everything else goes on.

    A foreign Host: the website has pointed its own name at this computer (DNS rebinding), so that the browser takes
    the app for a part of it. A foreign Origin: a page of the website sends here, e.g. a form with a file.
    """

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """One ASGI request."""
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope.get("headers", ())}
        if scope["type"] == "lifespan" or is_own(headers):
            await self._app(scope, receive, send)
            return
        plain = [(b"content-type", b"text/plain; charset=utf-8")]
        await send({"type": "http.response.start", "status": 403, "headers": plain})
        await send({"type": "http.response.body", "body": REFUSED})


def is_own(headers: Mapping[str, str]) -> bool:
    """Whether Host names this computer, and Origin, where there is one, is the very page that is at this Host."""
    host, origin = headers.get("host", ""), headers.get("origin")
    try:
        return urlsplit(f"//{host}").hostname in OWN_NAMES and (origin is None or urlsplit(origin).netloc == host)
    except ValueError:
        return False
