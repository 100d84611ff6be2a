"""What keeps other people's web pages away from the bench, which has no password because only this machine reaches it."""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

THIS_MACHINE = ("127.0.0.1", "localhost")
"""The names that a browser may call the bench by. Any other was made to point here by somebody else's name server."""

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class OnlyOurPage:
    """Refuses to do anything for another site's page, and gives every answer the headers that fence our own in."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_fenced(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                # a file is asked for again each time (it may be newer), an answer about the table is never kept
                headers["Cache-Control"] = "no-store" if scope["path"].startswith("/api/") else "no-cache"
            await send(message)

        asked = Headers(scope=scope)
        origin = asked.get("origin")
        if scope["method"] != "GET" and origin not in (None, f"http://{asked.get('host')}"):
            refusal = JSONResponse({"error": "only the bench's own page may do this", "line": None}, status_code=403)
            await refusal(scope, receive, send_fenced)
            return
        await self._app(scope, receive, send_fenced)
