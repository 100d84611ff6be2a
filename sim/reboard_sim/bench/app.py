"""The bench over HTTP: the page, the table as JSON, its events, what the hardware looks and sounds like, and hands."""

from __future__ import annotations

import asyncio
import json
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from reboard.edition import edition_names, load_edition
from reboard_sim.bench.event_feed import HEARTBEAT, EventFeed, message
from reboard_sim.bench.guards import THIS_MACHINE, OnlyOurPage
from reboard_sim.bench.hands_on_table import HandsOnTable
from reboard_sim.bench.streams import HEARTBEAT_S, Mailbox, Streams
from reboard_sim.faults import FAULTS
from reboard_sim.play_language import PlayError

STATIC = Path(__file__).parent / "static"

MOST_BYTES = 64 * 1024
MOST_LINES = 200
"""What one request may ask to be done."""

MOST_HANDS = 8
"""How many requests may be at work on the table at a time."""

LOOKS_PER_S = 30
"""How often a page is told, at most, what the hardware looks like."""

MOST_BLOCKS_WAITING = 400
"""How many blocks of sound a slow client may be behind before it is cut off."""

FRAME = struct.Struct("<dI")
"""What stands before each block of sound: its time in s (float64) and its length in bytes (uint32), little-endian."""


class BadRequest(ValueError):  # noqa: N818 - HTTP's own name for it
    """What was sent cannot be done; *status* is HTTP's number for it."""

    def __init__(self, problem: str, status: int = 400) -> None:
        super().__init__(problem)
        self.status = status


def make_app(virtual: HandsOnTable, streams: Streams) -> Starlette:
    """The bench of one table; all its *streams* can be ended from outside."""
    bench = _Bench(virtual, streams)
    return Starlette(
        routes=[
            Route("/", bench.page),
            Route("/api/table", bench.table),
            Route("/api/events", bench.events),
            Route("/api/bench", bench.choices),
            Route("/api/bench/state", bench.state),
            Route("/api/bench/sound", bench.sound),
            Route("/api/bench/do", bench.do, methods=["POST"]),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        middleware=[Middleware(OnlyOurPage), Middleware(TrustedHostMiddleware, allowed_hosts=THIS_MACHINE)],
        lifespan=bench.lifespan,
    )


class _Bench:
    def __init__(self, virtual: HandsOnTable, streams: Streams) -> None:
        self._virtual = virtual
        self._streams = streams
        self._feed = EventFeed(streams)
        self._hands = CapacityLimiter(MOST_HANDS)
        self._choices = {
            "editions": [{"name": name, "title": load_edition(name).title} for name in edition_names()],
            "faults": [{"name": name, "meaning": meaning} for name, meaning in FAULTS.items()],
            "acts": list(virtual.vocabulary()),
        }

    @asynccontextmanager
    async def lifespan(self, _: Starlette) -> AsyncIterator[None]:
        loop = asyncio.get_running_loop()

        def heard(event: dict[str, Any]) -> None:
            with suppress(RuntimeError):  # the loop is gone: the bench is being shut down
                loop.call_soon_threadsafe(self._feed.hear, event)

        stop = self._virtual.subscribe_events(heard)
        try:
            yield
        finally:
            stop()

    async def page(self, _: Request) -> Response:
        return FileResponse(STATIC / "index.html")

    async def table(self, _: Request) -> Response:
        return JSONResponse(await to_thread.run_sync(self._virtual.table))

    async def choices(self, _: Request) -> Response:
        return JSONResponse(self._choices)

    async def events(self, request: Request) -> Response:
        last = request.headers.get("last-event-id") or request.query_params.get("after", "")
        return self._stream("text/event-stream", self._feed.messages(int(last) if last.isdecimal() else None))

    async def state(self, _: Request) -> Response:
        return self._stream("text/event-stream", self._looks())

    async def sound(self, _: Request) -> Response:
        return self._stream("application/octet-stream", self._sound())

    async def do(self, request: Request) -> Response:
        try:
            lines = await _lines(request)
            if not self._hands.available_tokens:
                raise BadRequest(f"{MOST_HANDS} requests are at work on the table already", 503)
            await to_thread.run_sync(self._virtual.do, lines, limiter=self._hands, abandon_on_cancel=True)
        except PlayError as error:
            return JSONResponse({"error": error.problem, "line": error.line}, status_code=400)
        except BadRequest as error:
            return JSONResponse({"error": str(error), "line": None}, status_code=error.status)
        return await self.table(request)

    def _stream(self, media_type: str, content: AsyncIterator[bytes]) -> Response:
        if self._streams.full:
            return JSONResponse({"error": "too many streams are open: close a page"}, status_code=503)
        return StreamingResponse(content, media_type=media_type)

    async def _looks(self) -> AsyncIterator[bytes]:
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()
        shown: dict[str, Any] | None = None
        spoken = loop.time()
        with self._streams.open(ended.set):
            while not ended.is_set():
                looks = await to_thread.run_sync(self._virtual.hardware)
                seen = {name: value for name, value in looks.items() if name != "t"}
                if seen != shown:
                    shown, spoken = seen, loop.time()
                    yield message(looks)
                elif loop.time() - spoken > HEARTBEAT_S:
                    spoken = loop.time()
                    yield HEARTBEAT
                with suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(ended.wait(), 1 / LOOKS_PER_S)

    async def _sound(self) -> AsyncIterator[bytes]:
        box: Mailbox[bytes] = Mailbox(MOST_BLOCKS_WAITING)
        stop = self._virtual.subscribe_sound(lambda t, pcm: box.put_from_thread(FRAME.pack(t, len(pcm)) + pcm))
        try:
            with self._streams.open(box.close):
                async for block in box.items():
                    yield block or FRAME.pack(0.0, 0)
        finally:
            stop()


async def _lines(request: Request) -> list[str]:
    """The lines that a request wants done. Raises `BadRequest`."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise BadRequest("send JSON, with the content type application/json", 415)
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MOST_BYTES:
            raise BadRequest(f"at most {MOST_BYTES} bytes at a time", 413)
    try:
        asked = json.loads(body)
    except (ValueError, RecursionError):
        raise BadRequest("this is no JSON") from None
    lines = asked.get("lines") if isinstance(asked, dict) else None
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise BadRequest('send {"lines": ["press block", …]}: a list of lines of a play')
    if len(lines) > MOST_LINES:
        raise BadRequest(f"at most {MOST_LINES} lines at a time, these are {len(lines)}", 413)
    return lines
