"""The table page: its web application and the command ``reboard page``."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Annotated

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from reboard.accessories.table_vocabulary import Table
from reboard.board import is_raspberry_pi
from reboard.config.host_pin import HostPin
from reboard.config.pins_and_ports import Listen
from reboard.table_config import DEFAULT_LISTEN, PageConfig
from reboard.version import source_address
from reboard.vocabulary.schema import Schema
from reboard.web.api_description import (
    STREAM,
    Answer,
    DescribedRoute,
    Operation,
    Problem,
    an_object,
    description,
    problem_of,
)
from reboard.web.bundle import Bundle, language_of
from reboard.web.charts import Charts
from reboard.web.host import COOKIE, Host
from reboard.web.http_server import listening, serve
from reboard.web.invitation import invitation_routes
from reboard.web.known_hosts import own_names
from reboard.web.known_phones import KnownPhones
from reboard.web.page_app import page_app
from reboard.web.panels import PANEL_FILES, described_accessories, panel_files, panels_route, static_folders
from reboard.web.players import Players
from reboard.web.power import Power
from reboard.web.responses import EventStreams, server_sent, sse_response
from reboard.web.signals import Signals
from reboard.web.table_watch import TableWatch

log = logging.getLogger(__name__)

STATIC = Path(__file__).parent / "table_page"
PRIVACY = "/blob/main/docs/page.md#what-is-stored-about-players-and-how-to-delete-it"
"""The section on privacy, at the address of the source."""


class Away(Problem):
    """The table is away."""

    last: Annotated[Table | None, "the latest known state"]


PAGE = Operation("page", "The page.", {200: Answer("HTML.", None, "text/html")})
DESCRIPTION = Operation("description", "This description.", {200: Answer("OpenAPI 3.1.", an_object)})
TABLE = Operation(
    "table", "The table now.", {200: Answer("The table.", Table), 503: Answer("The table does not answer.", Away)}
)
EVENTS = Operation(
    "events",
    "Every event, as server-sent events.",
    {
        200: Answer("Without a kind: the table's events. Kinds: welcome, connection, table, past, beat.", None, STREAM),
        503: problem_of("Too many streams are open."),
    },
)


def make_app(
    socket: Path,
    streams: EventStreams,
    *,
    names: Collection[str],
    pin: HostPin | None = None,
    power: Power | None = None,
    listens_at: Listen = DEFAULT_LISTEN,
) -> Starlette:
    """Return the web application of the table page, for the table at the control *socket*.

    *names* are those of `page_app`. A browser that signs in with the *pin* is the host. With *power*, the
    host can shut down and restart this machine. *listens_at* is the server's address, from which the invitation for
    other devices is made.
    """
    watch = TableWatch(socket, streams)
    phones = KnownPhones(socket, watch)
    host = Host(socket, pin, phones, power)
    bundle = Bundle(STATIC / "index.html", static_folders(STATIC), panel_files(*PANEL_FILES))

    async def page(request: Request) -> Response:
        table = None if watch.snapshot is None else watch.now()
        state = {"accessories": described_accessories(), "table": table}
        return bundle.page(request, state, {'href="#privacy"': f'href="{source_address()}{PRIVACY}"'})

    async def table(_: Request) -> Response:
        if watch.why_away:
            return JSONResponse({"error": watch.why_away, "last": watch.snapshot}, status_code=503)
        return JSONResponse(watch.now())

    async def events(request: Request) -> Response:
        welcome = {"version": bundle.built(language_of(request)).version, "host": await host.status(request)}
        return sse_response(request, streams, lambda: [server_sent(welcome, "welcome"), *watch.first_events()])

    @cache
    def described() -> Response:
        return JSONResponse(described_api(app))

    async def api(_: Request) -> Response:
        return described()

    app = page_app(
        [
            DescribedRoute("/", page, get=PAGE),
            DescribedRoute("/api/table", table, get=TABLE),
            DescribedRoute("/api/events", events, get=EVENTS),
            DescribedRoute("/api/openapi.json", api, get=DESCRIPTION),
            *Charts(watch, socket).routes,
            *host.routes,
            *Signals(socket, host, streams).routes,
            *Players(socket, host, watch, phones).routes,
            *invitation_routes(lambda: listens_at),
            panels_route(),
            *bundle.routes,
        ],
        watch.run,
        names=names,
        remedy=", or add the name to `names` in [page] of the config",
    )
    return app


def described_api(app: Starlette) -> Schema:
    """Return the OpenAPI description of *app*."""
    return description(app.routes, cookie=COOKIE)


def serve_page(socket: Path, host: str, port: int, *, page: PageConfig) -> None:
    """Serve the table page for the control *socket*, with the settings of *page*, until SIGTERM or SIGINT.

    Raises `ListenError`.
    """
    with listening(host, port, option="--listen") as taken:
        streams = EventStreams()
        place = Listen(*taken.getsockname()[:2])
        names = own_names() | {host, *page.names}
        # a config copied from a Pi must not let the host shut down a laptop
        power = Power() if page.power and is_raspberry_pi() else None
        app = make_app(socket, streams, names=names, pin=page.pin, power=power, listens_at=place)
        log.info("the table page is at http://%s", place)
        asyncio.run(serve(app, taken, streams, "The table page", page.proxy))
