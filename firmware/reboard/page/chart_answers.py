"""The charts over HTTP: each is drawn once, in a thread, however many look at it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Mapping
from datetime import timedelta, timezone
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from reboard.errors import DoorError, ReboardError
from reboard.money import Money
from reboard.page import charts
from reboard.page.chart_look import COLOURS, WIDTHS, Drawing, Look
from reboard.page.chart_words import WORDS
from reboard.page.once import Once
from reboard.page.table_watch import TableWatch
from reboard.web.json_body import BadRequest
from reboard.web.problem import problem

ZONES_MIN = range(-14 * 60, 14 * 60 + 1)
"""How far a time zone is from that of Greenwich, with room to spare."""

MOST_KEPT = 32
"""Drawings, of up to 60 kB each."""


class ChartAnswers:
    """The charts of the table that *watch* sees."""

    def __init__(self, watch: TableWatch) -> None:
        self._watch = watch
        self._drawings: Once[Drawing] = Once(MOST_KEPT)
        self._pencil = asyncio.Lock()
        self.routes = [
            Route("/api/chart/balances.svg", self._balances),
            Route("/api/chart/odds.svg", self._odds),
        ]

    async def _balances(self, request: Request) -> Response:
        try:
            look = _look(request)
            table = self._table()
            story = await self._watch.teller.story() if table.get("game") else None
        except BadRequest as error:
            return problem(error, error.status)
        except ReboardError as error:
            return problem(error, 503)
        if story is None or not story.transfers:
            return problem("no money has moved yet", 404)
        names = {card["number"]: card["name"] for card in table["cards"]}
        money = Money(units=table["units"], smallest=1)
        shows = ("balances", look, story.game, story.last, len(story.transfers), tuple(names.items()), money)
        return await self._drawn(shows, lambda: charts.balances(story, names, money, look))

    async def _odds(self, request: Request) -> Response:
        try:
            look = _look(request)
            block = self._table().get("block")
        except BadRequest as error:
            return problem(error, error.status)
        except DoorError as error:
            return problem(error, 503)
        if not block or not charts.presses(block["tally"]):
            return problem("the question block has not been pressed yet", 404)
        odds, tally = block["odds"], block["tally"]
        return await self._drawn(("odds", look, str(odds), str(tally)), lambda: charts.outcomes(odds, tally, look))

    def _table(self) -> Mapping[str, Any]:
        """The table now. Raises `DoorError` while it is away."""
        if self._watch.why_away or self._watch.snapshot is None:
            raise DoorError(self._watch.why_away or "the table has only just been found")
        return self._watch.snapshot

    async def _drawn(self, shows: Hashable, draw: Callable[[], Drawing]) -> Response:
        async def drawing() -> Drawing:
            async with self._pencil:
                return await asyncio.to_thread(draw)

        done = await self._drawings.get(shows, drawing)
        return Response(done.svg, media_type="image/svg+xml", headers={"Content-Security-Policy": done.policy})


def _look(request: Request) -> Look:
    asked = request.query_params
    width, language = asked.get("width", "720"), asked.get("lang", "en")
    theme, zone = asked.get("theme"), asked.get("zone")
    if width not in map(str, WIDTHS):
        raise BadRequest(f"width must be one of {', '.join(map(str, WIDTHS))}")
    if theme not in (None, *COLOURS):
        raise BadRequest(f"theme must be one of {', '.join(COLOURS)}, or be left out")
    if language not in WORDS:
        raise BadRequest(f"lang must be one of {', '.join(WORDS)}")
    if zone not in (None, *map(str, ZONES_MIN)):
        raise BadRequest(f"zone must be minutes east of Greenwich, {ZONES_MIN[0]} to {ZONES_MIN[-1]}")
    return Look(int(width), theme, language, timezone(timedelta(minutes=int(zone))) if zone else None)
