"""HTTP helpers: error responses, JSON request bodies, event streams, and a check of the origin."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Iterable

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from reboard.strict_json import encoded


def problem(sentence: object, status: int, **more: object) -> JSONResponse:
    """Return an error response as JSON, with a *sentence* for users and *more* fields for programs."""
    return JSONResponse({"error": str(sentence), **more}, status_code=status)


def too_many(sentence: str, wait_s: int, **more: object) -> JSONResponse:
    """Return the response 429, with the time after which the browser may try again, and *more* fields."""
    answer = {"error": f"{sentence}: try again in {wait_s} s", "retry_after_s": wait_s, **more}
    return JSONResponse(answer, status_code=429, headers={"Retry-After": str(wait_s)})


class BadRequest(ValueError):  # noqa: N818 - the name of the HTTP status
    """The error raised if a request is invalid, with the HTTP *status* of the response."""

    def __init__(self, problem: str, status: int = 400) -> None:
        super().__init__(problem)
        self.status = status


async def json_body(request: Request, *, most_bytes: int, longest_s: float) -> object:
    """Return the JSON value in the body of *request*. Raises `BadRequest`, and Starlette's ``ClientDisconnect``.

    The content type must be JSON. A page of another site cannot send this type without a preflight request, which
    fails.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise BadRequest("send JSON, with the content type application/json", 415)
    body = await _body(request, most_bytes, longest_s)
    try:
        value: object = json.loads(body)
        # JSON may hold half of a surrogate pair, which no answer could quote
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise BadRequest("the body is not valid JSON: send JSON in UTF-8") from None
    return value


async def _body(request: Request, most_bytes: int, longest_s: float) -> bytes:
    body = bytearray()
    try:
        async with asyncio.timeout(longest_s):
            async for part in request.stream():
                body += part
                if len(body) > most_bytes:
                    raise BadRequest(f"the body is too long: send at most {most_bytes} bytes", 413)
    except TimeoutError:
        raise BadRequest(f"the body did not arrive within {longest_s:g} s: send it again", 408) from None
    return bytes(body)


HEARTBEAT_S = 15.0
"""The time without an event after which a stream sends a heartbeat, in seconds. Heartbeats detect lost clients."""


def server_sent(data: object, kind: str | None = None) -> bytes:
    """Return a server-sent event of type *kind*. An ``EventSource`` passes events without a type to ``onmessage``."""
    head = f"event: {kind}\n" if kind else ""
    return b"%sdata: %s\n\n" % (head.encode(), encoded(data))


HEARTBEAT = server_sent({}, "beat")


class EventStreams:
    """The event streams of all clients, which get the same published events. Not thread-safe.

    A stream ends if *most_waiting* events wait for its client. The browser then connects again.
    """

    def __init__(self, *, most_clients: int = 500, most_waiting: int = 256) -> None:
        self._most_clients = most_clients
        self._most_waiting = most_waiting
        self._clients: set[asyncio.Queue[bytes | None]] = set()
        self.has_ended = False
        """Whether `end_all` was called."""

    @property
    def count(self) -> int:
        return len(self._clients)

    @property
    def is_full(self) -> bool:
        """Whether new clients are rejected, because there are too many or `end_all` was called."""
        return self.has_ended or self.count >= self._most_clients

    def publish(self, event: bytes) -> None:
        """Queue an event from `server_sent` for every client."""
        for client in tuple(self._clients):
            if client.qsize() < self._most_waiting:
                client.put_nowait(event)
            else:
                self._end(client)

    def end_all(self) -> None:
        """End every stream and reject new clients, so that the server can stop."""
        self.has_ended = True
        for client in tuple(self._clients):
            self._end(client)

    def _end(self, client: asyncio.Queue[bytes | None]) -> None:
        self._clients.discard(client)
        client.put_nowait(None)

    async def stream(self, first: Callable[[], Iterable[bytes]]) -> AsyncGenerator[bytes, None]:
        """Yield the events for one client: first the events that *first* returns, then all published events."""
        client: asyncio.Queue[bytes | None] = asyncio.Queue()
        for event in first():
            client.put_nowait(event)
        if self.is_full:
            client.put_nowait(None)
        else:
            self._clients.add(client)
        try:
            events: list[bytes | None] = []
            while None not in events:
                events = await _waiting_for(client)
                # a burst of events costs one write, which is most of what a phone costs
                yield b"".join(event for event in events if event is not None)
        finally:
            self._clients.discard(client)


async def _waiting_for(client: asyncio.Queue[bytes | None]) -> list[bytes | None]:
    """Return all that waits for a client, at least one event. ``None`` is the end."""
    try:
        async with asyncio.timeout(HEARTBEAT_S):
            events = [await client.get()]
    except TimeoutError:
        return [HEARTBEAT]
    while not client.empty():
        events.append(client.get_nowait())
    return events


def sse_response(request: Request, streams: EventStreams, first: Callable[[], Iterable[bytes]] = tuple) -> Response:
    """Return a response that streams events, or the response 503 if *streams* is full."""
    if streams.is_full and request.method != "HEAD":
        return problem("too many pages are open: close one of them", 503)
    return EventResponse(request, streams.stream(first))


class EventResponse(StreamingResponse):
    """A response with server-sent *events*, which proxies pass on at once. It is empty if *request* is a HEAD."""

    def __init__(self, request: Request, events: AsyncIterable[bytes]) -> None:
        # nginx collects a response before it sends it, and others wait for enough bytes to compress
        headers = {"Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no"}
        content = () if request.method == "HEAD" else events
        super().__init__(content, headers=headers, media_type="text/event-stream")


DEFAULT_PORTS = {"http": 80, "https": 443}


def _is_own_page(headers: Headers) -> bool:
    """Return whether a request comes from a page of this server, or from no page.

    Behind a proxy with TLS, the page has https, and the request arrives with http. So the scheme does not count. This
    is safe: all pages of a host share its cookies, and a page of another site can choose neither header.
    """
    origin = headers.get("origin")
    # this server may have another name behind a proxy, but the browser knows
    if origin is None or headers.get("sec-fetch-site") == "same-origin":
        return True
    scheme, _, host = origin.partition("://")
    if scheme not in DEFAULT_PORTS:
        return False
    port = f":{DEFAULT_PORTS[scheme]}"
    return host.removesuffix(port) == headers.get("host", "").lower().removesuffix(port)


class OwnPageOnly:
    """Middleware that rejects requests and WebSockets of the pages of other sites."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or reject it with status 403."""
        app = self._app
        if scope["type"] in ("http", "websocket") and not _is_own_page(Headers(scope=scope)):
            do = "open the table page itself. If it is behind a proxy, the proxy must pass on the header Host"
            app = problem(f"this request comes from a page of another site: {do}", 403)
        await app(scope, receive, send)
