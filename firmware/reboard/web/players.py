"""The HTTP request of players without the host's PIN: they ask for something that a user at the table confirms.

The host can block the addresses of phones that ask for something else than their players want.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, TypedDict

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from reboard.accessories.installed import all_requests
from reboard.aiotools import loop_time
from reboard.control.table_requests import TableRequests
from reboard.errors import ReboardError
from reboard.vocabulary.declared import Waits
from reboard.vocabulary.limits import Length
from reboard.web.api_description import (
    BUSY,
    Answer,
    DescribedRoute,
    Operation,
    players_answers,
    players_requests,
    problem_of,
    refusal,
    too_often,
)
from reboard.web.browser_requests import REJECTED, address_of, answered, check, json_object
from reboard.web.host import Host
from reboard.web.rate_limit import Limits, RateLimit, plain_address
from reboard.web.responses import BadRequest, problem, too_many
from reboard.web.table_watch import TableWatch

log = logging.getLogger(__name__)

LIMITS = Limits(free=12, first_pause_s=2.0, longest_pause_s=16.0, forgotten_s=20.0, most_in_all=40)
"""The limits of requests from phones. With IPv6, all phones of a family may count as one address."""

MOST_AT_ONCE = 2
"""The maximum number of players' requests that wait for the table at once. The host's requests do not count."""

MOST_BLOCKED = 64
"""The maximum number of blocked addresses. One more unblocks the oldest. A restart of the page unblocks all."""

LAG_S = 0.5
"""The time in seconds within which the page's snapshot of the table has an accepted request."""


class Phones(TypedDict):
    """The addresses of players."""

    waiting: Annotated[Mapping[str, str], "the address of each request of a player that waits, by its id"]
    blocked: Annotated[Sequence[str], Length(0, MOST_BLOCKED), "the blocked addresses, oldest first"]


class Blocking(TypedDict):
    """Whether an address is blocked."""

    address: Annotated[str, "an IP address"]
    blocked: bool


ASK = Operation(
    "ask",
    "Ask, as a player, for something that the host or the key GO confirms.",
    {
        200: Answer("The table has announced it.", players_answers),
        403: refusal("The host has blocked this address, or the request comes from a page of another site."),
        404: problem_of("Players cannot ask on this page."),
        409: refusal("The table refuses, with the reason, or an earlier request from this address still waits."),
        429: too_often("This address asks too often."),
        503: BUSY,
    },
    body=players_requests,
)
PHONES = Operation(
    "phones",
    "From which addresses requests of players wait, and which are blocked.",
    {200: Answer("The addresses.", Phones)},
    is_hosts=True,
)
BLOCK = Operation(
    "block",
    "Block the requests of players from an address, or allow them again.",
    {
        204: Answer("Done. The requests of a blocked address that wait are rejected."),
        409: problem_of("It is the address of the host."),
    },
    body=Blocking,
    is_hosts=True,
)


class Players:
    """The HTTP routes of players, for the table at the control *socket*. They are disabled unless *players_ask*.

    The snapshots of *watch* have the requests that wait to be confirmed. *host* may block addresses.
    """

    def __init__(self, socket: Path, host: Host, watch: TableWatch, *, players_ask: bool) -> None:
        self._is_enabled = players_ask
        self._host = host
        self._watch = watch
        self._rate = RateLimit(loop_time, LIMITS)
        self._table = TableRequests(socket, most_at_once=MOST_AT_ONCE)
        self._hosts_table = TableRequests(socket, most_at_once=MOST_AT_ONCE)
        self._asked: dict[tuple[Waits, str], tuple[str, float]] = {}
        self._blocked: dict[str, None] = {}
        self.routes = [
            DescribedRoute("/api/ask", self._ask, post=ASK),
            DescribedRoute("/api/host/phones", self._phones, get=PHONES, post=BLOCK),
        ]

    async def _ask(self, request: Request) -> Response:
        if not self._is_enabled:
            remedy = "set pay = true in [page] of the config, and restart the page"
            return problem(f"players cannot ask for anything on this page: {remedy}", 404)
        body = await json_object(request)
        do = body.get("do")
        allowed = [name for name, kind in all_requests().items() if kind.is_for_players]
        if do not in allowed:
            raise BadRequest(f'"do" must be one of {", ".join(allowed)}')
        check(body)
        address = address_of(request)
        if address in self._blocked:
            return problem("the host has blocked requests from this address", 403, why="blocked")
        waits = all_requests()[do].waits
        key = (waits, body[waits.id]) if waits else None
        waiting = self._waiting()
        is_new = key not in waiting
        if key and is_new and address in waiting.values():
            return problem("an earlier request from this address still waits", 409, why="asked already")
        if wait_s := math.ceil(self._rate.begin(address)):
            return too_many("you ask too often", wait_s)
        if key and is_new:
            self._asked[key] = address, math.inf  # until the answer, which a slow disk delays
        try:
            answer = await answered(self._table.carry_out(body, by=f"a phone at {address}"))
        finally:
            if key in self._asked:
                self._asked[key] = self._asked[key][0], loop_time()
        if key and is_new and answer.status_code == REJECTED:
            self._asked.pop(key, None)
        return answer

    def _waiting(self) -> dict[tuple[Waits, str], str]:
        """Return the address of each request that waits to be confirmed. Forget the others."""
        snapshot = self._watch.snapshot or {}
        listed = {
            (kind.waits, entry[kind.waits.id])
            for kind in all_requests().values()
            if kind.waits
            for entry in snapshot.get(kind.waits.listed, ())
        }
        now_s = loop_time()
        self._asked = {key: asked for key, asked in self._asked.items() if key in listed or now_s < asked[1] + LAG_S}
        return {key: address for key, (address, _) in self._asked.items()}

    async def _phones(self, request: Request) -> Response:
        self._host.must_be_host(request, "see and block phones")
        if request.method == "POST":
            return await self._block(request, await json_object(request))
        waiting = {request_id: address for (_, request_id), address in self._waiting().items()}
        return JSONResponse(Phones(waiting=waiting, blocked=[*self._blocked]))

    async def _block(self, request: Request, body: dict[str, Any]) -> Response:
        try:
            address = plain_address(str(body.get("address")))
        except ValueError:
            address = ""
        is_blocked = body.get("blocked")
        if not address or not isinstance(is_blocked, bool) or len(body) > len(("address", "blocked")):
            raise BadRequest('send {"address": "192.168.1.7", "blocked": true} or false')
        if not is_blocked:
            self._blocked.pop(address, None)
        elif address == address_of(request):
            return problem("this is your own address: you cannot block it", 409)
        else:
            self._blocked[address] = None
            while len(self._blocked) > MOST_BLOCKED:
                del self._blocked[next(iter(self._blocked))]
            await self._reject(address, by=f"the page at {address_of(request)}")
        log.info("%s %s, by the page at %s", "block" if is_blocked else "unblock", address, address_of(request))
        return Response(status_code=204)

    async def _reject(self, address: str, *, by: str) -> None:
        for (waits, request_id), asking in self._waiting().items():
            if asking == address:
                with suppress(ReboardError):  # it has just ended, or the host can still reject it
                    await self._hosts_table.carry_out({"do": waits.reject, waits.id: request_id}, by=by)
