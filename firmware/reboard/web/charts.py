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

from reboard.accessories.chart import HEIGHTS_PX, THEMES, WIDTHS_PX, Chart, Look, style
from reboard.accessories.installed import accessories, all_requests
from reboard.control.client import ControlClient
from reboard.errors import ControlSocketError
from reboard.languages import languages
from reboard.vocabulary.schema import Schema
from reboard.web.api_description import SVG, Answer, DescribedRoute, Operation, an_object, problem_of, query_parameter
from reboard.web.responses import BadRequest, problem
from reboard.web.table_watch import TableWatch

FURTHEST_ZONE_MIN = 14 * 60
"""The largest offset of a time zone from Greenwich, in minutes."""

MOST_KEPT = 32
"""The maximum number of charts and answers in the cache. Each chart with its answer has up to 30 kB."""

Make = Callable[[Chart, Hashable, dict[str, Any], Look], Awaitable[Response | None]]


PARAMETERS = (
    query_parameter("width", {"type": "integer", "enum": [*WIDTHS_PX], "default": 720}, "The width in pixels."),
    query_parameter("height", {"type": "integer", "enum": [*HEIGHTS_PX]}, "In pixels. Left out: by the width."),
    query_parameter("theme", {"type": "string", "enum": [*THEMES]}, "Left out: the browser's preference."),
    query_parameter("lang", {"type": "string", "enum": [*languages()], "default": "en"}),
    query_parameter(
        "zone",
        {"type": "integer", "minimum": -FURTHEST_ZONE_MIN, "maximum": FURTHEST_ZONE_MIN},
        "The time zone in minutes east of Greenwich. Left out: the Pi's own.",
    ),
)
AWAY = {404: problem_of("There is nothing to draw yet."), 503: problem_of("The table does not answer.")}


def _drawing(name: str) -> Operation:
    words = "The chart. Its Content-Security-Policy allows its own style only."
    return Operation(name, f"The chart of the {name}.", {200: Answer(words, None, SVG), **AWAY}, parameters=PARAMETERS)


def _numbers(name: str, chart: Chart) -> Operation:
    request = all_requests().get(chart.request or "")
    answer = Answer("The table's answer.", (request and request.answer) or an_object)
    return Operation(
        f"{name}Data", f"The data of the chart of the {name}.", {200: answer, **AWAY}, parameters=PARAMETERS
    )


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
            DescribedRoute(f"/api/chart/{name}.svg", self._endpoint(chart, self._drawn), get=_drawing(name))
            for name, chart in charts.items()
        ]
        self.routes += [
            DescribedRoute(f"/api/chart/{name}.json", self._endpoint(chart, self._data), get=_numbers(name, chart))
            for name, chart in charts.items()
            if chart.request
        ]

    def _endpoint(self, chart: Chart, make: Make) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            look = _look(request)
            if self._watch.why_away or self._watch.snapshot is None:
                raise ControlSocketError(self._watch.why_away or "the page has just connected to the table: try again")
            state = chart.state(self._watch.snapshot)
            made = None if state is None else await make(chart, state, self._watch.snapshot, look)
            return made or problem(chart.empty, 404)

        return endpoint

    async def _drawn(self, chart: Chart, state: Hashable, snapshot: dict[str, Any], look: Look) -> Response | None:
        async def draw() -> str | None:
            return chart.draw(snapshot, await self._asked(chart, state) if chart.request else None, look)

        svg = await self._once((chart, state, look), draw)
        if svg is None:
            return None
        # the browser may use the chart's own style, and nothing else
        digest = base64.b64encode(hashlib.sha256(style(look.theme, chart.css).encode()).digest()).decode()
        policy = f"default-src 'none'; style-src 'sha256-{digest}'; frame-ancestors 'none'"
        return Response(svg, media_type=SVG, headers={"Content-Security-Policy": policy})

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
    width_px, height_px, theme, language, zone_min = (_value(request, each) for each in PARAMETERS)
    zone = None if zone_min is None else timezone(timedelta(minutes=zone_min))
    return Look(width_px, height_px, theme, language, zone)


def _value(request: Request, parameter: Schema) -> Any:
    """Return the value of a *parameter* that its schema allows, or the default. Raises `BadRequest` for another one."""
    schema, given = parameter["schema"], request.query_params.get(parameter["name"])
    if given is None:
        return schema.get("default")
    allowed = schema.get("enum") or range(schema["minimum"], schema["maximum"] + 1)
    for value in allowed:
        if str(value) == given:
            return value
    words = f"one of {', '.join(map(str, allowed))}" if "enum" in schema else f"{allowed[0]} to {allowed[-1]}"
    raise BadRequest(f"{parameter['name']} must be {words}, or be left out")
