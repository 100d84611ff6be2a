"""The bench over HTTP: the page, the table as JSON, its events, how it looks and sounds, and hands to work it."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from anyio import to_thread
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from reboard.config import SLOT_KINDS, mixed_readers
from reboard.edition import editions_in_the_box
from reboard.web import SHARED_STATIC
from reboard.web.event_stream import HEARTBEAT, EventStreams, server_sent, sse_response
from reboard.web.known_hosts import KnownHosts
from reboard.web.own_page import OwnPageOnly
from reboard.web.problem import wrong_method
from reboard_sim.bench.attachment import attachment
from reboard_sim.bench.carried_out import carried_out
from reboard_sim.bench.event_feed import EventFeed
from reboard_sim.bench.exports import EXPORTS
from reboard_sim.bench.hands_on_table import HandsOnTable
from reboard_sim.bench.inside_stream import InsideStreams
from reboard_sim.bench.request_lines import hand_in, lines_in
from reboard_sim.bench.request_scene import MOST_BYTES as MOST_SCENE_BYTES
from reboard_sim.bench.request_scene import scene_in
from reboard_sim.bench.request_time import time_in
from reboard_sim.bench.scene_wish import LONGEST_SCENE_S
from reboard_sim.faults import FAULTS

STATIC = Path(__file__).parent / "static"

MOST_CLIENTS = 20
"""How many pages may be open at a time."""

LOOKS_PER_S = 30
"""How often a page is told, at most, what the hardware looks like."""

FASTEST_COUNTED = 10.0
"""The fastest clock, in virtual seconds per real one, that a page follows by itself."""

FRAME = struct.Struct("<dI")
"""What stands before each block of sound: its time in s (float64) and its length in bytes (uint32), little-endian."""

SILENCE = FRAME.pack(0.0, 0)
"""A block without samples: the heartbeat of the sound."""


@dataclass(frozen=True)
class Streams:
    """The answers that go on. A server cannot stop while one is open, or while lines are being done (until `ended`)."""

    events: EventStreams = field(default_factory=lambda: EventStreams(most_clients=MOST_CLIENTS))
    live: EventStreams = field(default_factory=lambda: EventStreams(most_clients=MOST_CLIENTS))
    sound: EventStreams = field(default_factory=lambda: EventStreams(most_clients=MOST_CLIENTS, most_waiting=500))
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    def end_all(self) -> None:
        """End them all, and open none again."""
        self.ended.set()
        for streams in (self.events, self.live, self.sound):
            streams.end_all()


def make_app(virtual: HandsOnTable, streams: Streams, table_page: str = "") -> Starlette:
    """The bench of one table, whose table page is at the address *table_page*, if it is served."""
    bench = _Bench(virtual, streams, table_page)
    return Starlette(
        routes=[
            Route("/", bench.page),
            Route("/api/table", bench.table),
            Route("/api/events", bench.events),
            Route("/api/bench", bench.choices),
            Route("/api/bench/live", bench.live),
            Route("/api/bench/sound", bench.sound),
            Route("/api/bench/inside", bench.inside),
            Route("/api/bench/ledger", bench.ledger),
            Route("/api/bench/export/{name}", bench.export),
            Route("/api/bench/do", bench.do, methods=["POST"]),
            Route("/api/bench/time", bench.time, methods=["POST"]),
            Route("/api/bench/scene", bench.scene, methods=["GET", "POST"]),
            Mount("/static", StaticFiles(directory=STATIC, packages=[SHARED_STATIC])),
        ],
        middleware=[Middleware(KnownHosts, names=("localhost",)), Middleware(OwnPageOnly)],
        exception_handlers={405: wrong_method},
        lifespan=bench.lifespan,
    )


class _Bench:
    def __init__(self, virtual: HandsOnTable, streams: Streams, table_page: str) -> None:
        self._virtual = virtual
        self._streams = streams
        self._feed = EventFeed(streams.events, streams.live)
        self._inside = InsideStreams(virtual.look_inside, most_clients=MOST_CLIENTS, ended=streams.ended)
        self._look = b""
        self._choices = {
            "editions": [
                {"name": edition.name, "title": edition.title, "units": edition.money.units}
                for edition in editions_in_the_box()
            ],
            "mixed_readers": {
                left: {right: mixed.what for right in SLOT_KINDS if (mixed := mixed_readers(left, right))}
                for left in SLOT_KINDS
            },
            "faults": [{"name": name, "meaning": meaning} for name, meaning in FAULTS.items()],
            "acts": list(virtual.vocabulary()),
            "table_page": table_page,
            "longest_scene_s": LONGEST_SCENE_S,
        }

    @asynccontextmanager
    async def lifespan(self, _: Starlette) -> AsyncIterator[None]:
        loop = asyncio.get_running_loop()

        def on_our_loop(listen: Callable[..., None], *news: object) -> None:
            with suppress(RuntimeError):  # the loop is gone: the bench has been shut down meanwhile
                loop.call_soon_threadsafe(listen, *news)

        stops = (
            self._virtual.subscribe_events(lambda event: on_our_loop(self._feed.hear, event)),
            self._virtual.subscribe_sound(lambda t, pcm: on_our_loop(self._hear, t, pcm)),
            self._virtual.subscribe_refusals(lambda why: on_our_loop(self._tell_refusal, why)),
        )
        watching = asyncio.create_task(self._watch())
        try:
            yield
        finally:
            watching.cancel()
            for stop in stops:
                stop()

    def _hear(self, t: float, pcm: bytes) -> None:
        if pcm.strip(b"\0"):  # what is silent needs no sending
            self._streams.sound.publish(FRAME.pack(t, len(pcm)) + pcm)

    def _tell_refusal(self, why: str) -> None:
        self._streams.live.publish(server_sent({"error": why}, "refusal"))

    async def _watch(self) -> None:
        """Look at the hardware all the time, and tell when it looks different."""
        seen: dict[str, Any] | None = None
        while True:
            looks = await to_thread.run_sync(self._virtual.hardware)
            self._look = server_sent(looks, "hardware")
            # a page counts the time itself, where that passes evenly
            now = {**looks, "t": None} if 0 < looks["rate"] <= FASTEST_COUNTED else looks
            if now != seen:
                seen = now
                self._streams.live.publish(self._look)
            await asyncio.sleep(1 / LOOKS_PER_S)

    async def page(self, _: Request) -> Response:
        return FileResponse(STATIC / "index.html")

    async def table(self, _: Request) -> Response:
        return JSONResponse(await to_thread.run_sync(self._virtual.table))

    async def choices(self, _: Request) -> Response:
        return JSONResponse(self._choices)

    async def events(self, request: Request) -> Response:
        return sse_response(request, self._streams.events, lambda: self._feed.missed(request))

    async def live(self, request: Request) -> Response:
        # all that a page follows in one answer: a browser has few lines to one server, for all its windows together
        look = [self._look] if self._look else []
        return sse_response(request, self._streams.live, lambda: [*look, *self._feed.missed(request)])

    async def sound(self, _: Request) -> Response:
        streams = self._streams.sound
        if streams.is_full:
            return JSONResponse({"error": "too many are listening already; close a page"}, status_code=503)

        async def blocks() -> AsyncIterator[bytes]:
            async for block in streams.stream(lambda: [SILENCE]):
                yield SILENCE if block is HEARTBEAT else block

        return StreamingResponse(blocks(), media_type="application/octet-stream")

    async def inside(self, _: Request) -> Response:
        return self._inside.response()

    async def ledger(self, _: Request) -> Response:
        return JSONResponse(await to_thread.run_sync(self._virtual.ledger))

    async def export(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in EXPORTS:
            return JSONResponse({"error": f"there is {', '.join(EXPORTS)}"}, status_code=404)
        media_type, _ = EXPORTS[name]
        return await attachment(f"reboard-{name}", media_type, partial(self._virtual.export, name))

    async def do(self, request: Request) -> Response:
        async def work(asked: dict[str, Any]) -> Response:
            lines, hand = lines_in(asked), hand_in(asked)
            is_done = await asyncio.wrap_future(self._virtual.do(lines, hand))
            now = await to_thread.run_sync(self._virtual.table)
            return JSONResponse(now, status_code=200 if is_done else 202)

        return await carried_out(request, work, self._streams.ended)

    async def time(self, request: Request) -> Response:
        async def work(asked: dict[str, Any]) -> Response:
            steps, pace = time_in(asked)
            await asyncio.wrap_future(self._virtual.step() if steps else self._virtual.choose_pace(pace))
            now = await to_thread.run_sync(self._virtual.hardware)
            return JSONResponse({name: now[name] for name in ("t", "pace", "rate")})

        return await carried_out(request, work, self._streams.ended)

    async def scene(self, request: Request) -> Response:
        if request.method == "POST":
            return await self._set_scene(request)
        return JSONResponse(await to_thread.run_sync(self._virtual.scene))

    async def _set_scene(self, request: Request) -> Response:
        async def work(asked: dict[str, Any]) -> Response:
            await asyncio.wrap_future(self._virtual.set_scene(*scene_in(asked)))
            return JSONResponse(await to_thread.run_sync(self._virtual.table))

        return await carried_out(request, work, self._streams.ended, MOST_SCENE_BYTES)
