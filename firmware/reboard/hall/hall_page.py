"""The hall's page: its web application and the command ``reboard hall``."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import Collection, Mapping
from datetime import datetime
from functools import cache, lru_cache
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from reboard.config.mqtt import BrokerAddress
from reboard.config.pins_and_ports import Listen
from reboard.editions.edition import editions_in_the_box
from reboard.hall.games import StoredGame
from reboard.hall.hall import Hall
from reboard.hall.standings import Standings, standings
from reboard.hall.store import Store
from reboard.languages import Texts
from reboard.vocabulary.limits import LARGEST_WHOLE
from reboard.web.bundle import Bundle, language_of
from reboard.web.http_server import listening, serve
from reboard.web.invitation import invitation_routes
from reboard.web.known_hosts import own_names
from reboard.web.page_app import page_app
from reboard.web.panels import panel_files, static_folders
from reboard.web.responses import BadRequest, EventStreams, server_sent, sse_response

log = logging.getLogger(__name__)

STATIC = Path(__file__).parent / "page"
TABLE_PAGE = Path(__file__).parents[1] / "web" / "table_page"
"""The folder of the table page, whose scripts and styles the hall's page also uses."""

ROWS = 50
"""The number of transfers in one answer."""

RECENT_S = 12 * 3600
"""The time before now whose games count for the standings by default, in seconds."""

STANDINGS_S = 2.0
"""The time between two readings of the standings, in seconds."""


def make_app(hall: Hall, streams: EventStreams, *, names: Collection[str], listens_at: Listen) -> Starlette:
    """Return the web application of the page of *hall*, for the host names *names*.

    *listens_at* is the server's address, from which the invitation for phones is made.
    """
    files = panel_files("art.css", "words.js")
    words = [{"name": name, "files": [path.rpartition("/")[2] for path in paths]} for name, paths in files.items()]
    folders = static_folders(STATIC)
    folders["/static/"].insert(1, TABLE_PAGE)
    bundle = Bundle(STATIC / "index.html", folders, files)

    async def page(request: Request) -> Response:
        return bundle.page(request, {"accessories": words, "tables": hall.tables()})

    async def tables(_: Request) -> Response:
        """Return all tables as JSON."""
        return JSONResponse(hall.tables())

    async def events(request: Request) -> Response:
        """Send server-sent events: ``connection``, and ``table`` with the tables that have changed."""
        welcome = {"version": bundle.built(language_of(request)).version}
        return sse_response(request, streams, lambda: [server_sent(welcome, "welcome"), *hall.first_events()])

    # Starlette runs these in threads, because they read the disk

    def history(request: Request) -> Response:
        """Return a game's transfers, 50 at a time: ``ledger`` and ``game`` choose a game, ``before`` continues."""
        return JSONResponse(_history(hall, request))

    @lru_cache(maxsize=8)
    def standings_since(since: float, _: int) -> tuple[Standings, dict[str, object]]:
        with hall.store.reading() as store:
            notes = {"earlier": store.played_before(since), "cut": store.tables_cut(since)}
            return standings(store.played_since(since)), notes

    def found(since: float) -> tuple[Standings, dict[str, object]]:
        # all pages share an answer, which is read again after a while
        return standings_since(since, int(time.monotonic() / STANDINGS_S))

    def ranked(request: Request) -> Response:
        """Return the standings since the time ``since``, which is this machine's without a zone."""
        since = _since(request)
        now, notes = found(since)
        return JSONResponse({"since": since, **notes, **now.as_json()})

    def ranked_as_csv(request: Request) -> Response:
        """Return the standings as CSV."""
        text = found(_since(request))[0].as_csv(Texts(language_of(request)))
        headers = {"Content-Disposition": 'attachment; filename="standings.csv"'}
        return Response(text.encode("utf-8-sig"), media_type="text/csv", headers=headers)  # Excel needs the mark

    return page_app(
        [
            Route("/", page),
            Route("/standings", page),
            Route("/tables/{table}", page),
            Route("/api/tables", tables),
            Route("/api/tables/{table}/transfers", history),
            Route("/api/events", events),
            Route("/api/standings", ranked),
            Route("/standings.csv", ranked_as_csv),
            *invitation_routes(lambda: listens_at, do=f"start the hall with --listen 0.0.0.0:{listens_at.port}"),
            *bundle.routes,
        ],
        hall.run,
        names=names,
        remedy=", or start the hall with --name and this name",
    )


def _history(hall: Hall, request: Request) -> dict[str, object]:
    """Return a table's games, and one page of the transfers of one of them, by default the latest."""
    table = request.path_params["table"]
    if table not in hall.receiver.tables:
        raise HTTPException(404)
    with hall.store.reading() as store:
        games = store.games(table)
        game = _chosen(games, request)
        if game is None:
            return {"games": [], "game": None, "seats": [], "transfers": [], "more": False}
        rows = store.transfers(game.key, _number(request, "before", LARGEST_WHOLE), ROWS + 1)
        seats = store.seats(game.key)
    state = hall.receiver.tables[table].state
    # the name of a table's own edition is a path there, and is not opened here
    units = state["units"] if state["edition"] == game.edition else _units().get(game.edition, False)
    return {
        "games": [_as_json(one) for one in games],
        "game": {**_as_json(game), "units": units},
        "seats": [{"number": seat.card, "name": seat.name or "", "balance": seat.balance} for seat in seats],
        "transfers": rows[:ROWS],
        "more": len(rows) > ROWS,
    }


def _chosen(games: list[StoredGame], request: Request) -> StoredGame | None:
    ledger = request.query_params.get("ledger")
    if ledger is None:
        return games[0] if games else None
    number = _number(request, "game", 0)
    for game in games:
        if game.key[1:] == (ledger, number):
            return game
    raise BadRequest("there is no such game at this table", 404)


def _as_json(game: StoredGame) -> dict[str, object]:
    return {"ledger": game.key.ledger, "game": game.key.game, "edition": game.edition, "began_at": game.began_at}


@cache
def _units() -> Mapping[str, bool]:
    """Return whether amounts have K and M, by edition."""
    return {edition.name: edition.money.units for edition in editions_in_the_box()}


def _number(request: Request, name: str, default: int) -> int:
    text = request.query_params.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.isdecimal() and len(text) < 20 and int(text) <= LARGEST_WHOLE):
        raise BadRequest(f"{name} must be a whole number")
    return int(text)


def _since(request: Request) -> float:
    """Return the time in the parameter ``since``, in seconds since 1970. A time without a zone is this machine's."""
    text = request.query_params.get("since")
    if text is None:
        return time.time() // 60 * 60 - RECENT_S
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError, OSError):
        raise BadRequest(f"since must be a date and time, like 2026-11-26T18:00, not {text[:40]!r}") from None


def serve_hall(file: Path, address: BrokerAddress, host: str, port: int, *, names: Collection[str] = ()) -> None:
    """Serve the page of a hall with its store in *file* and the broker at *address*, until SIGTERM or SIGINT.

    *names* are other host names of the page. Raises `ListenError` and `StoreError`.
    """
    with listening(host, port, option="--listen") as taken:
        asyncio.run(_serve(Store(file), address, taken, {host, *names}))


async def _serve(store: Store, address: BrokerAddress, taken: socket.socket, names: Collection[str]) -> None:
    streams = EventStreams()
    place = Listen(*taken.getsockname()[:2])
    hall = Hall(store, address, streams)
    app = make_app(hall, streams, names=own_names() | {*names}, listens_at=place)
    log.info("the hall's page is at http://%s, its store is %s", place, store.file)
    try:
        await serve(app, taken, streams, "The hall's page")
    finally:
        hall.store.close()
