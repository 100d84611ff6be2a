"""The table page: its web application and the command ``reboard page``."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypedDict

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles

from reboard.accessories.accessory import Accessory, absent_of, folder_of
from reboard.accessories.installed import accessories
from reboard.accessories.table_vocabulary import Table
from reboard.board import is_raspberry_pi
from reboard.config.host_pin import HostPin
from reboard.config.pins_and_ports import Listen
from reboard.errors import ReboardError
from reboard.service.systemd import notify
from reboard.table_config import DEFAULT_LISTEN, PageConfig
from reboard.vocabulary.checks import arguments_of
from reboard.vocabulary.declared import Request as TableRequest
from reboard.vocabulary.schema import Schema, Schemas
from reboard.web import SHARED_STATIC
from reboard.web.api_description import description
from reboard.web.bundle import Bundle, language_of
from reboard.web.charts import Charts
from reboard.web.described import (
    STREAM,
    SVG,
    Answer,
    DescribedRoute,
    Operation,
    Problem,
    an_object,
    path_parameter,
    problem_of,
)
from reboard.web.host import COOKIE, Host
from reboard.web.http_server import WebServer, listening
from reboard.web.invitation import invitation_routes, invitation_text
from reboard.web.known_hosts import KnownHosts, own_names
from reboard.web.players import Players
from reboard.web.power import Power
from reboard.web.responses import (
    BadRequest,
    EventStreams,
    OwnPageOnly,
    problem,
    server_sent,
    sse_response,
    wrong_method,
)
from reboard.web.signals import Signals
from reboard.web.table_watch import TableWatch

log = logging.getLogger(__name__)

STATIC = Path(__file__).parent / "table_page"

PANEL_FILES = ("panel.js", "panel.html", "art.css", "panel.css", "words.js")
"""The names of the files of an accessory's panel. Each file is optional."""


class Away(Problem):
    """The table is away."""

    last: Annotated[Table | None, "the latest known state"]


class ArgumentWords(TypedDict):
    """An argument of a request."""

    name: str
    words: Annotated[str, "what the argument must be"]
    optional: bool


class Panel(TypedDict):
    """An installed accessory."""

    name: Annotated[str, "the name of its section in table.toml"]
    title: str
    absent: Annotated[Mapping[str, object], "its keys of GET /api/table, with their values for a table without it"]
    parts: Annotated[Sequence[str], "the parts whose faults are its own"]
    requests: Annotated[
        Mapping[str, Sequence[ArgumentWords]], "the requests that it adds to POST /api/host/do, with their arguments"
    ]
    asks: Annotated[Sequence[str], "the requests that it adds to POST /api/ask; empty unless players can ask to pay"]
    kinds: Annotated[Mapping[str, str], "the kinds of its devices, by their settings in its section"]
    files: Annotated[Sequence[str], "the files of its panel, at /static/panels/{name}/"]


def panels_of(schemas: Schemas) -> Schema:
    """Return the schema of the answer with all panels."""
    return {"type": "array", "items": schemas.refer(Panel)}


PAGE = Operation("page", "The page.", {200: Answer("HTML.", None, "text/html")})
FILE = Operation(
    "file",
    "The files of the page.",
    {
        200: Answer(
            "The file.",
            None,
            *("text/css", "text/javascript", "application/javascript", SVG, "image/png"),
            *("application/manifest+json", "text/html"),
        ),
        304: Answer("It has not changed."),
        404: Answer("There is no such file.", None, "text/plain"),
    },
    parameters=[path_parameter("file")],
)
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
PANELS = Operation(
    "panels",
    "Every installed accessory, for the panels of the page.",
    {200: Answer("The accessories in their order.", panels_of)},
)


def make_app(
    socket: Path,
    streams: EventStreams,
    *,
    names: Collection[str],
    pin: HostPin | None = None,
    players_ask: bool = False,
    power: Power | None = None,
    listens_at: Listen = DEFAULT_LISTEN,
) -> Starlette:
    """Return the web application of the table page, for the table at the control *socket*.

    It accepts the host names *names* and all IP addresses. A browser that signs in with the *pin* is the host. With
    *players_ask*, players can send the requests that accessories declare for them. With *power*, the host can shut down
    and restart this machine. *listens_at* is the server's address, from which the invitation for other devices is made.
    """
    watch = TableWatch(socket, streams)
    host = Host(socket, pin, power)
    bundle = Bundle(
        STATIC / "index.html",
        static_folders(STATIC),
        {name: panel_files(accessory, *PANEL_FILES) for name, accessory in accessories().items()},
    )

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        watching = asyncio.create_task(watch.run())
        try:
            yield
        finally:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching

    async def page(request: Request) -> Response:
        table = None if watch.snapshot is None else watch.now()
        return bundle.page(request, {"accessories": described_accessories(players_ask=players_ask), "table": table})

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

    app = Starlette(
        routes=[
            DescribedRoute("/", page, get=PAGE),
            DescribedRoute("/api/table", table, get=TABLE),
            DescribedRoute("/api/events", events, get=EVENTS),
            DescribedRoute("/api/openapi.json", api, get=DESCRIPTION),
            *Charts(watch, socket).routes,
            *host.routes,
            *Signals(socket, host, streams).routes,
            *Players(socket, host, watch, players_ask=players_ask).routes,
            *invitation_routes(listens_at),
            bundle.route,
            *panel_routes(players_ask=players_ask),
            Mount("/static", StaticFiles(directory=STATIC, packages=[SHARED_STATIC])),
        ],
        middleware=[
            Middleware(KnownHosts, names=names, remedy=", or add the name to `names` in [page] of the config"),
            Middleware(OwnPageOnly),
        ],
        exception_handlers={405: wrong_method, BadRequest: _error, ReboardError: _error},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False  # each resource has one address
    return app


def described_api(app: Starlette) -> Schema:
    """Return the OpenAPI description of *app*."""
    return description(app.routes, COOKIE, FILE)


def panel_routes(*, players_ask: bool = False) -> list[BaseRoute]:
    """Return the routes ``/api/panels`` (the accessories) and ``/static/panels/<name>/`` (the panel of each).

    *players_ask* is whether the page sends the requests of players.
    """

    async def panels(_: Request) -> Response:
        return JSONResponse(described_accessories(players_ask=players_ask))

    files = [
        Mount(f"/static/panels/{name}", StaticFiles(directory=folder))
        for name, accessory in accessories().items()
        if (folder := folder_of(accessory, "panel"))
    ]
    return [DescribedRoute("/api/panels", panels, get=PANELS), *files]


def static_folders(page: Path) -> dict[str, list[Path]]:
    """Return the folders of each URL prefix, for a page whose own files are in the folder *page*."""
    panels = {name: folder_of(accessory, "panel") for name, accessory in accessories().items()}
    return {
        "/static/": [page, Path(__file__).parent / "shared"],
        **{f"/static/panels/{name}/": [folder] for name, folder in panels.items() if folder},
    }


def panel_files(accessory: Accessory[Any], *names: str) -> list[str]:
    """Return the URLs of those files *names* that the panel of *accessory* has, and of its drawings."""
    folder = folder_of(accessory, "panel")
    if folder is None:
        return []
    there = [name for name in names if (folder / name).exists()]
    drawings = sorted(drawing.name for drawing in folder.glob("*.svg"))
    return [f"/static/panels/{accessory.name}/{name}" for name in (*there, *drawings)]


def described_accessories(*, players_ask: bool = False) -> list[Panel]:
    """Return a description of each installed accessory, for the pages.

    *players_ask* is whether the page sends the requests of players.
    """
    return [_described(accessory, players_ask) for accessory in accessories().values()]


def _described(accessory: Accessory[Any], players_ask: bool) -> Panel:
    folder = folder_of(accessory, "panel")
    requests = {name: each for name, each in accessory.vocabulary.requests.items() if not each.is_internal}
    return {
        "name": accessory.name,
        "title": accessory.title,
        "absent": absent_of(accessory),
        "parts": [accessory.name, *(device.title for device in accessory.fitted)],
        "requests": {name: _arguments(request) for name, request in requests.items() if request.changes},
        "asks": [name for name, request in requests.items() if players_ask and request.is_for_players],
        "kinds": {device.noun: device.kind.name for device in accessory.fitted},
        "files": [name for name in (*PANEL_FILES, "picture.svg") if folder and (folder / name).exists()],
    }


def _arguments(request: type[TableRequest]) -> list[ArgumentWords]:
    return [
        {"name": argument.name, "words": argument.words, "optional": argument.is_optional}
        for argument in arguments_of(request)
    ]


async def _error(_: Request, error: Exception) -> Response:
    return problem(error, error.status if isinstance(error, BadRequest) else 503)


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
        app = make_app(socket, streams, names=names, pin=page.pin, players_ask=page.pay, power=power, listens_at=place)
        logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
        log.info("the table page is at http://%s", place)
        if text := invitation_text(place, sys.stdout):
            print(text, flush=True)
        # connections wait in the backlog of the socket from now on
        notify(f"READY=1\nSTATUS=The table page is listening at {place}.")
        WebServer(app, streams.end_all, proxy=page.proxy).run(sockets=[taken])
