"""Who may ask the page, and the headers that fence it in."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

FENCE = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


HOME_DOMAINS = ("local", "lan", "home", "home.arpa", "internal", "localdomain")
"""What multicast DNS and the routers of homes add to a machine's name; none can be had by a stranger.

``fritz.box``, which one make of router adds, can: the top-level domain ``box`` is open to anybody."""


def own_names() -> frozenset[str]:
    """What browsers may call this machine: its own name, the ones it has in a home's network, and localhost."""
    full_name = socket.gethostname().lower()
    name = full_name.partition(".")[0]
    return frozenset({"localhost", full_name, name, *(f"{name}.{domain}" for domain in HOME_DOMAINS)})


class KnownHosts:
    """Answers only requests that call this machine by a number or by one of *names*.

    Any other name was made to point here by a name server that is not ours, so that somebody else's page could read
    the answers. Starlette's own check wants every number listed, which a machine that listens on all of its addresses
    cannot do; a number cannot be made to point elsewhere.
    """

    def __init__(self, app: ASGIApp, names: Collection[str]) -> None:
        self._app = app
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_fenced(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in FENCE.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store" if scope["path"].startswith("/api/") else "no-cache")
            await send(message)

        # our files are small and asked for as a whole, and parts of parts are where others have been attacked
        scope = {**scope, "headers": [header for header in scope["headers"] if header[0] != b"range"]}
        app = self._app
        if not self._is_known(Headers(scope=scope).get("host", "")):
            app = PlainTextResponse("This page does not answer under that name.", status_code=400)
        await app(scope, receive, send_fenced)

    def _is_known(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        if name in self._names:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True
