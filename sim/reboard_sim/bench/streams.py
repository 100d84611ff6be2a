"""The streams of the bench: the events, and the signals inside the table."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from reboard.web.responses import HEARTBEAT, HEARTBEAT_S, EventStreams, server_sent

REMEMBERED = 200
"""The maximum number of missed events that a client receives when it reconnects."""

MOST_DIGITS = 18
"""The maximum number of digits in an event number. Python cannot convert texts with thousands of digits."""


class EventFeed:
    """A feed that sends every event of the table, numbered from 1, to the clients of *streams*."""

    def __init__(self, *streams: EventStreams) -> None:
        self._streams = streams
        self._recent: deque[tuple[int, bytes]] = deque(maxlen=REMEMBERED)
        self.count = 0
        """The number of events so far."""

    def send(self, event: dict[str, Any]) -> None:
        """Send *event* to all clients with the next number, and keep it for clients that reconnect."""
        self.count += 1
        message = f"id: {self.count}\n".encode() + server_sent(event)
        self._recent.append((self.count, message))
        for streams in self._streams:
            streams.publish(message)

    def missed(self, request: Request) -> list[bytes]:
        """Return the kept events after the event number in *request*. Without a valid number, return ``[]``."""
        last = request.headers.get("last-event-id") or request.query_params.get("after", "")
        after = int(last) if last.isdecimal() and len(last) <= MOST_DIGITS else self.count
        return [message for number, message in self._recent if number > after]


NEWS_PER_S = 20
"""The maximum number of messages to a page, per second."""

Poll = Callable[[], dict[str, Any] | None]
"""A function that returns the signals since its previous call, or ``None`` for no signals. Thread-safe."""


class InsideStreams:
    """The streams of the signals inside the table. A slow page receives fewer messages.

    *open_inside_view* returns the poll function for one page. At most *most_clients* streams are open at a time.
    Setting *ended* ends all streams permanently.
    """

    def __init__(self, open_inside_view: Callable[[], Poll], *, most_clients: int, ended: asyncio.Event) -> None:
        self._open_inside_view = open_inside_view
        self._most_clients = most_clients
        self._ended = ended
        self._clients = 0

    def response(self) -> Response:
        """Return a stream of server-sent events for a page, or status 503 if too many are open or *ended* is set."""
        if self._clients >= self._most_clients or self._ended.is_set():
            return JSONResponse({"error": "Too many pages have Inside open. Close one."}, status_code=503)
        return StreamingResponse(self._news(self._open_inside_view()), media_type="text/event-stream")

    async def _news(self, poll: Poll) -> AsyncIterator[bytes]:
        self._clients += 1
        sent_at = time.monotonic()
        try:
            while not self._ended.is_set():
                news = await to_thread.run_sync(poll)
                if news or time.monotonic() - sent_at > HEARTBEAT_S:
                    sent_at = time.monotonic()
                    yield server_sent(news) if news else HEARTBEAT
                with suppress(TimeoutError):
                    async with asyncio.timeout(1 / NEWS_PER_S):
                        await self._ended.wait()
        finally:
            self._clients -= 1
