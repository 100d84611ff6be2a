"""The HTTP request of players without the host's PIN: they ask for something that a user at the table confirms."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from reboard.accessories.installed import all_requests
from reboard.control.table_requests import TableRequests
from reboard.web.rate_limit import Limits, RateLimit
from reboard.web.responses import BadRequest, problem, too_many
from reboard.web.table_requests import address_of, answered, check, with_json

LIMITS = Limits(free=12, first_pause_s=2.0, longest_pause_s=16.0, forgotten_s=20.0, most_in_all=40)
"""The limits of requests from phones. With IPv6, all phones of a family may count as one address."""

MOST_AT_ONCE = 2
"""The maximum number of players' requests that wait for the table at once. The host's requests do not count."""


class Players:
    """The HTTP route of players, for the table at the control *socket*. It is disabled unless *players_ask*."""

    def __init__(self, socket: Path, *, players_ask: bool) -> None:
        self._is_enabled = players_ask
        self._rate = RateLimit(lambda: asyncio.get_running_loop().time(), LIMITS)
        self._table = TableRequests(socket, most_at_once=MOST_AT_ONCE)
        self.routes = [Route("/api/ask", self._ask, methods=["POST"])]

    async def _ask(self, request: Request) -> Response:
        if not self._is_enabled:
            do = "set pay = true in [page] of the config, and restart the page"
            return problem(f"players cannot ask for anything on this page: {do}", 404)
        return await with_json(request, self._carry_out)

    async def _carry_out(self, request: Request, body: dict[str, Any]) -> Response:
        do = body.get("do")
        allowed = [name for name, kind in all_requests().items() if kind.is_for_players]
        if do not in allowed:
            raise BadRequest(f'"do" must be one of {", ".join(allowed)}')
        check(body)
        address = address_of(request)
        if wait_s := math.ceil(self._rate.begin(address)):
            return too_many("you ask too often", wait_s)
        return await answered(self._table.carry_out(body, by=f"a phone at {address}"))
