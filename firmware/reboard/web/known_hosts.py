"""Middleware that checks the host name of a request and adds security headers to the response."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Collection
from fnmatch import fnmatchcase
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SECURITY_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}

HOME_DOMAINS = (
    "local", "lan", "home", "home.arpa", "internal", "localdomain", "fritz.box", "speedport.ip", "*.ts.net",
)  # fmt: skip
"""The domains of multicast DNS, of home routers and of Tailscale, in which an attacker cannot direct a name here.

``fritz.box`` belongs to the maker of these routers, and ``ip`` is no public domain. Names in ``ts.net`` lead to the
machines of their network or to Tailscale's servers."""

RENAMED = "{name}-*.local"
"""The names that avahi gives a machine if another one has its name already, such as ``raspberrypi-2.local``."""


def own_names() -> frozenset[str]:
    """Return patterns for the host names of this machine in a home network, and ``localhost``."""
    full_name = socket.gethostname().lower()
    name = full_name.partition(".")[0]
    domains = (f"{name}.{domain}" for domain in HOME_DOMAINS)
    return frozenset({"localhost", full_name, name, *domains, RENAMED.format(name=name)})


class KnownHosts:
    """Middleware that answers only requests whose ``Host`` is an IP address or matches one of *names*.

    In a name, ``*`` stands for any characters. *remedy* says how to add a name.

    It prevents DNS rebinding, where the domain of an attacker resolves to this machine. It also adds the
    `SECURITY_HEADERS`. Starlette's ``TrustedHostMiddleware`` would need a list of all IP addresses of the machine.
    """

    def __init__(self, app: ASGIApp, names: Collection[str], remedy: str = "") -> None:
        self._app = app
        self._names = names
        self._remedy = remedy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or reject it with status 400 if its host is unknown."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store" if scope["path"].startswith("/api/") else "no-cache")
            await send(message)

        # the files are small: ranges only add risk (CVE-2025-62727 was in Starlette's range parser)
        scope = {**scope, "headers": [header for header in scope["headers"] if header[0] != b"range"]}
        app = self._app
        if not self._is_known(Headers(scope=scope).get("host", "")):
            sentence = "The host name in this address is not accepted. Use the IP address of the machine"
            app = PlainTextResponse(f"{sentence}{self._remedy}.", status_code=400)
        await app(scope, receive, send_with_headers)

    def _is_known(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        if any(fnmatchcase(name, pattern) for pattern in self._names):
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True
