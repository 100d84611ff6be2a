"""What passes inside the table as server-sent events, to each page that looks in, as fast as that page takes it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any

from anyio import to_thread
from starlette.responses import JSONResponse, Response, StreamingResponse

from reboard.web.event_stream import HEARTBEAT, HEARTBEAT_S, server_sent

NEWS_PER_S = 20
"""How often a page is told, at most, what has passed since the time before."""

Look = Callable[[], dict[str, Any] | None]
"""Looks in once more, in any thread, for what passed since the time before: ``None`` when nothing did."""


class InsideStreams:
    """Nobody looks in while no page does, and nothing waits here for a slow page: it is told less often.

    *look_inside* gives a page eyes of its own. No more than *most_clients* look in at a time, and none when *ended*.
    """

    def __init__(self, look_inside: Callable[[], Look], *, most_clients: int, ended: asyncio.Event) -> None:
        self._look_inside = look_inside
        self._most_clients = most_clients
        self._ended = ended
        self._clients = 0

    def response(self) -> Response:
        """The answer to a page that wants to look in, or 503 when there are too many."""
        if self._clients >= self._most_clients or self._ended.is_set():
            return JSONResponse({"error": "too many are looking in already; close a page"}, status_code=503)
        return StreamingResponse(self._news(self._look_inside()), media_type="text/event-stream")

    async def _news(self, look: Look) -> AsyncIterator[bytes]:
        self._clients += 1
        told_at = time.monotonic()
        try:
            while not self._ended.is_set():
                news = await to_thread.run_sync(look)
                if news or time.monotonic() - told_at > HEARTBEAT_S:
                    told_at = time.monotonic()
                    yield server_sent(news) if news else HEARTBEAT
                with suppress(TimeoutError):
                    async with asyncio.timeout(1 / NEWS_PER_S):
                        await self._ended.wait()
        finally:
            self._clients -= 1
