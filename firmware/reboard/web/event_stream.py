"""Server-sent events for many clients at once, none of whom can hold up the others or fill the memory."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from reboard.web.problem import problem

HEARTBEAT_S = 15.0
"""After so much silence a client is told that we are still here, which also finds out whether it is."""


def server_sent(data: object, kind: str | None = None) -> bytes:
    """One server-sent event. An ``EventSource`` gives those of no *kind* to ``onmessage``."""
    head = f"event: {kind}\n" if kind else ""
    return f"{head}data: {json.dumps(data, separators=(',', ':'))}\n\n".encode()


HEARTBEAT = server_sent({}, "beat")


class EventStreams:
    """Every client's stream of the same events.

    At most *most_clients* listen at a time. One that is *most_waiting* events behind is cut off: its stream ends, and
    a browser then connects anew by itself. Everything happens on one event loop.
    """

    def __init__(self, *, most_clients: int = 500, most_waiting: int = 256) -> None:
        self._most_clients = most_clients
        self._most_waiting = most_waiting
        self._clients: set[_Client] = set()
        self._ended = False

    @property
    def count(self) -> int:
        """How many clients listen."""
        return len(self._clients)

    @property
    def is_full(self) -> bool:
        """Whether no further client is taken in."""
        return self._ended or self.count >= self._most_clients

    def publish(self, event: bytes) -> None:
        """Send *event*, made by `server_sent`, to every client."""
        for client in tuple(self._clients):
            client.put(event)

    def end_all(self) -> None:
        """End every stream and take nobody in any more: a server cannot stop while one is open."""
        self._ended = True
        for client in tuple(self._clients):
            client.end()

    async def stream(self, first: Callable[[], Iterable[bytes]]) -> AsyncGenerator[bytes, None]:
        """One client's events: those of *first*, asked for at the moment of joining, then all that are published."""
        client = _Client(self._most_waiting)
        for event in first():
            client.put(event)
        if self.is_full:
            client.end()
        self._clients.add(client)
        try:
            async for event in client.events():
                yield event
        finally:
            self._clients.discard(client)


def sse_response(request: Request, streams: EventStreams, first: Callable[[], Iterable[bytes]] = tuple) -> Response:
    """The answer to a client that wants to listen, or 503 when there are too many."""
    if request.method == "HEAD":
        return Response(media_type="text/event-stream")
    if streams.is_full:
        return problem("too many are listening already; close a page", 503)
    return StreamingResponse(streams.stream(first), media_type="text/event-stream")


class _Client:
    """What one client has yet to be sent."""

    def __init__(self, most_waiting: int) -> None:
        self._most_waiting = most_waiting
        self._waiting: deque[bytes] = deque()
        self._news = asyncio.Event()
        self._ended = False

    def put(self, event: bytes) -> None:
        if len(self._waiting) >= self._most_waiting:
            self.end()
        if not self._ended:
            self._waiting.append(event)
            self._news.set()

    def end(self) -> None:
        self._ended = True
        self._news.set()

    async def events(self) -> AsyncIterator[bytes]:
        while self._waiting or not self._ended:
            if self._waiting:
                yield self._waiting.popleft()
                continue
            self._news.clear()
            try:
                async with asyncio.timeout(HEARTBEAT_S):
                    await self._news.wait()
            except TimeoutError:
                yield HEARTBEAT
