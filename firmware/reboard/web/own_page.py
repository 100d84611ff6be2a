"""Who else's page may make a browser ask for something here: nobody's."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from reboard.web.problem import problem


class OwnPageOnly:
    """Refuses what another site's page makes a browser send here: a browser tells where that came from."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        app = self._app
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            if headers.get("origin") not in (None, f"http://{headers.get('host')}"):
                app = problem("only this page itself may ask for that", 403)
        await app(scope, receive, send)
