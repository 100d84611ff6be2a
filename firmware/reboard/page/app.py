"""The table page: what is known of the table, for browsers and for scripts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from reboard.host_pin import HostPin
from reboard.page.chart_answers import ChartAnswers
from reboard.page.host import Host
from reboard.page.table_watch import TableWatch
from reboard.web import SHARED_STATIC
from reboard.web.event_stream import EventStreams, sse_response
from reboard.web.known_hosts import KnownHosts
from reboard.web.own_page import OwnPageOnly
from reboard.web.problem import wrong_method

STATIC = Path(__file__).parent / "static"
DESCRIPTION = Path(__file__).parent / "openapi.json"


def make_app(door: Path, streams: EventStreams, *, names: Collection[str], pin: HostPin | None = None) -> Starlette:
    """The page of the table behind *door*, answering to *names* (and to numbers); its host is who knows the *pin*."""
    watch = TableWatch(door, streams)
    host = Host(door, pin)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        watching = asyncio.create_task(watch.run())
        try:
            yield
        finally:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching

    async def page(_: Request) -> Response:
        return FileResponse(STATIC / "index.html")

    async def table(_: Request) -> Response:
        if watch.why_away:
            return JSONResponse({"error": watch.why_away, "last": watch.snapshot}, status_code=503)
        return JSONResponse(watch.now())

    async def events(request: Request) -> Response:
        return sse_response(request, streams, watch.first_events)

    async def description(_: Request) -> Response:
        return FileResponse(DESCRIPTION)

    app = Starlette(
        routes=[
            Route("/", page),
            Route("/api/table", table),
            Route("/api/events", events),
            Route("/api/openapi.json", description),
            *ChartAnswers(watch).routes,
            *host.routes,
            Mount("/static", StaticFiles(directory=STATIC, packages=[SHARED_STATIC])),
        ],
        middleware=[Middleware(KnownHosts, names=names), Middleware(OwnPageOnly)],
        exception_handlers={405: wrong_method},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False  # there is one address for each thing
    return app
