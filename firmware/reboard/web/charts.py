"""The HTTP routes of the accessories' charts, with a cache that all browsers share."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from collections.abc import Awaitable, Callable, Coroutine, Hashable
from datetime import timedelta, timezone
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from reboard.accessories.chart import HEIGHTS_PX, THEMES, WIDTHS_PX, Chart, Look, style
from reboard.accessories.installed import accessories
from reboard.control.client import ControlClient
from reboard.errors import ControlSocketError
from reboard.languages import languages
from reboard.web.responses import BadRequest, problem
from reboard.web.table_watch import TableWatch

ZONES_MIN = range(-14 * 60, 14 * 60 + 1)
"""The allowed offsets of time zones, in minutes east of Greenwich."""

MOST_KEPT = 32
"""The maximum number of charts and answers in the cache. Each chart with its answer has up to 30 kB."""

Answer = Callable[[Chart, Hashable, dict[str, Any], Look], Awaitable[Response | None]]


class Charts:
    """The HTTP routes of the charts and of their data.

    The data comes from the snapshots of *watch* and from answers on the control *socket*.
    """

    def __init__(self, watch: TableWatch, socket: Path) -> None:
        self._watch = watch
        self._socket = socket
        self._kept: dict[Hashable, asyncio.Task[Any]] = {}
        charts = {name: chart for accessory in accessories().values() for name, chart in accessory.charts.items()}
        self.routes = [
            *(Route(f"/api/chart/{name}.svg", self._endpoint(chart, self._drawn)) for name, chart in charts.items()),
            *(
                Route(f"/api/chart/{name}.json", self._endpoint(chart, self._data))
                for name, chart in charts.items()
                if chart.request
            ),
        ]

    def _endpoint(self, chart: Chart, answer: Answer) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            look = _look(request)
            if self._watch.why_away or self._watch.snapshot is None:
                raise ControlSocketError(self._watch.why_away or "the page has just connected to the table: try again")
            state = chart.state(self._watch.snapshot)
            made = None if state is None else await answer(chart, state, self._watch.snapshot, look)
            return made or problem(chart.empty, 404)

        return endpoint

    async def _drawn(self, chart: Chart, state: Hashable, snapshot: dict[str, Any], look: Look) -> Response | None:
        async def draw() -> str | None:
            return chart.draw(snapshot, await self._asked(chart, state) if chart.request else None, look)

        svg = await self._once((chart, state, look), draw)
        return None if svg is None else _picture(svg, style(look.theme, chart.css))

    async def _data(self, chart: Chart, state: Hashable, *_: object) -> Response:
        return JSONResponse(await self._asked(chart, state))

    async def _asked(self, chart: Chart, state: Hashable) -> Any:
        return await self._once((chart, state), lambda: self._ask(chart))

    async def _ask(self, chart: Chart) -> Any:
        assert chart.request
        async with await ControlClient.connect(self._socket) as table:
            return await table.request(chart.request)

    async def _once(self, key: Hashable, make: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        """Return the cached result for *key*, or call *make* and cache the result. Errors are not cached."""
        if key not in self._kept:
            while len(self._kept) >= MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[key] = asyncio.create_task(make())
        made = self._kept[key]
        try:
            return await asyncio.shield(made)  # one browser that leaves must not take it from the others
        finally:
            failed = made.done() and (made.cancelled() or made.exception())
            if failed and self._kept.get(key) is made:
                del self._kept[key]


def _look(request: Request) -> Look:
    query = request.query_params
    width, height, language = query.get("width", "720"), query.get("height"), query.get("lang", "en")
    theme, zone = query.get("theme"), query.get("zone")
    if width not in map(str, WIDTHS_PX):
        raise BadRequest(f"width must be one of {', '.join(map(str, WIDTHS_PX))}")
    if height not in (None, *map(str, HEIGHTS_PX)):
        raise BadRequest(f"height must be one of {', '.join(map(str, HEIGHTS_PX))}, or be left out")
    if theme not in (None, *THEMES):
        raise BadRequest(f"theme must be one of {', '.join(THEMES)}, or be left out")
    if language not in languages():
        raise BadRequest(f"lang must be one of {', '.join(languages())}")
    if zone not in (None, *map(str, ZONES_MIN)):
        raise BadRequest(f"zone must be minutes east of Greenwich, {ZONES_MIN[0]} to {ZONES_MIN[-1]}")
    shown_zone = timezone(timedelta(minutes=int(zone))) if zone else None
    return Look(int(width), int(height) if height else None, theme, language, shown_zone)


def _picture(svg: str, css: str) -> Response:
    # the browser may use the chart's own style, and nothing else
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; frame-ancestors 'none'"
    return Response(svg, media_type="image/svg+xml", headers={"Content-Security-Policy": policy})
