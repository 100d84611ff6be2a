"""The HTTP requests of the host (signing in and changing the table), and the sessions of hosts."""

from __future__ import annotations

import asyncio
import logging
import math
import secrets
from base64 import b64decode
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, NotRequired, TypedDict

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from reboard.accessories.installed import all_requests
from reboard.accessories.table_vocabulary import BackUp
from reboard.aiotools import loop_time
from reboard.config.host_pin import LEAST_DIGITS, MOST_DIGITS, HostPin, is_pin
from reboard.control.client import ControlClient
from reboard.control.table_requests import TableRequests
from reboard.errors import ControlSocketError, ReboardError
from reboard.vocabulary.limits import Matches
from reboard.web.api_description import (
    BUSY,
    Answer,
    DescribedRoute,
    Operation,
    hosts_requests,
    problem_of,
    refusal,
    too_often,
)
from reboard.web.browser_requests import HOST, REJECTED, address_of, answered, check, json_object, sender
from reboard.web.known_phones import KnownPhones, phone_of, token_of
from reboard.web.power import ACTIONS, Action, Power, PowerError
from reboard.web.rate_limit import RateLimit
from reboard.web.responses import BadRequest, problem, too_many

log = logging.getLogger(__name__)

COOKIE = "reboard_host"
TOKEN_BYTES = 32
LONGEST_SESSION_S = 12 * 3600
"""The length of a host's session in seconds, which is enough for an evening of games."""
MOST_SESSIONS = 16
BACKUP_TYPE = "application/octet-stream"
LONGEST_PIECE_S = 60.0
"""The time limit for a piece of a backup, in seconds. Before the first one, an old Pi has to pack all games."""
MOST_AT_ONCE = 4
"""The maximum number of requests of hosts that wait for the table at the same time."""


class HostStatus(TypedDict):
    """Whether a browser is the host."""

    enabled: Annotated[bool, "whether this browser may become the host"]
    needs_pin: Annotated[bool, "whether that needs a PIN; else it needs a card, and players who pay freely or no `GO`"]
    host: bool
    power: Annotated[Sequence[Action], "what this host may do with POST /api/host/power; empty for others"]


class SignIn(TypedDict):
    """The PIN of the host, left out if the table has none."""

    pin: NotRequired[Annotated[str, Matches(f"[0-9]{{{LEAST_DIGITS},{MOST_DIGITS}}}", "of digits")]]


class PowerDo(TypedDict):
    """An action for the machine."""

    do: Action


class CarriedOut(TypedDict):
    """The table's answer."""

    ok: Annotated[Any, "see docs/control-socket.md"]


class Sessions:
    """The sessions of hosts, each identified by a token. A restart of the page ends all sessions."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._ends: dict[str, float] = {}

    def begin(self) -> str:
        """Begin a session and return its token. If there are already `MOST_SESSIONS`, end the oldest session."""
        self._drop_ended()
        if len(self._ends) >= MOST_SESSIONS:
            del self._ends[next(iter(self._ends))]
        token = secrets.token_urlsafe(TOKEN_BYTES)
        self._ends[token] = self._clock() + LONGEST_SESSION_S
        return token

    def __contains__(self, token: str) -> bool:
        self._drop_ended()
        return token in self._ends

    def end(self, token: str) -> None:
        self._ends.pop(token, None)

    def _drop_ended(self) -> None:
        now = self._clock()
        self._ends = {token: ends for token, ends in self._ends.items() if ends > now}


STATUS = Operation("who", "Whether this browser is the host.", {200: Answer("The status.", HostStatus)})
SIGN_IN = Operation(
    "signIn",
    "Sign in as the host.",
    {
        204: Answer(
            "This browser is the host for up to twelve hours.",
            headers={"Set-Cookie": {"type": "string", "pattern": f"^{COOKIE}="}},
        ),
        403: problem_of("The PIN is wrong, or the request comes from a page of another site."),
        404: problem_of("No PIN is set, and this is no phone with a card, or players do not pay freely."),
        429: too_often("Too many wrong PINs."),
        503: problem_of(
            "The PIN could not be compared, for example because memory is short. The guess does not count."
        ),
    },
    body=SignIn,
)
SIGN_OUT = Operation("signOut", "Sign out.", {204: Answer("This browser is not the host.")})
DO = Operation(
    "do",
    "Change the table.",
    {200: Answer("The table carried it out.", CarriedOut), 409: refusal(), 503: BUSY},
    body=hosts_requests,
    is_hosts=True,
)
DO_POWER = Operation(
    "power",
    "Shut down or restart the machine.",
    {
        204: Answer("The machine shuts down or restarts now."),
        404: problem_of("The config does not allow it."),
        409: problem_of("The system does not permit it, with the reason."),
    },
    body=PowerDo,
    is_hosts=True,
)


BACK_UP = Operation(
    "backup",
    "A backup file of the table.",
    {
        200: Answer("The file.", None, BACKUP_TYPE),
        409: problem_of("The table cannot make one, with the reason."),
        503: BUSY,
    },
    is_hosts=True,
)


class Host:
    """The HTTP routes of the host, for the table at the control *socket*.

    Without a *pin*, any of *phones* that can host may sign in. Without *power*, or without a PIN, the host can neither
    shut down nor restart the machine.
    """

    def __init__(self, socket: Path, pin: HostPin | None, phones: KnownPhones, power: Power | None = None) -> None:
        self._power = power
        self._pin = pin
        self._phones = phones
        self._guesses = RateLimit(loop_time)
        self._sessions = Sessions(loop_time)
        self._comparing = asyncio.Lock()
        self._backing_up = asyncio.Lock()
        self._socket = socket
        self._table = TableRequests(socket, most_at_once=MOST_AT_ONCE)
        self.routes = [
            DescribedRoute("/api/host", self._status, get=STATUS),
            DescribedRoute("/api/host/session", self._session, post=SIGN_IN, delete=SIGN_OUT),
            DescribedRoute("/api/host/do", self._do, post=DO),
            DescribedRoute("/api/host/backup", self._back_up, get=BACK_UP),
            DescribedRoute("/api/host/power", self._do_power, post=DO_POWER),
        ]

    async def _status(self, request: Request) -> Response:
        return JSONResponse(await self.status(request))

    async def status(self, request: Request) -> HostStatus:
        """Return whether the browser of *request* may be or is the host, and the allowed power actions."""
        is_host, needs_pin = self.is_host(request), self._pin is not None
        power = await self._power.allowed() if is_host and needs_pin and self._power else []
        return {
            "enabled": needs_pin or is_host or await self._phones.can_host(request),
            "needs_pin": needs_pin,
            "host": is_host,
            "power": power,
        }

    def is_host(self, request: Request) -> bool:
        may_be = self._pin is not None or self._phones.may_host(request)
        return may_be and request.cookies.get(COOKIE, "") in self._sessions

    def must_be_host(self, request: Request, what: str) -> None:
        """Raise `BadRequest` if the browser of *request* is not signed in. *what* is what only the host can do."""
        if not self.is_host(request):
            raise BadRequest(f"only the host can {what}: enter the PIN first", 401)

    async def _session(self, request: Request) -> Response:
        return self._sign_out(request) if request.method == "DELETE" else await self._sign_in(request)

    async def _sign_in(self, request: Request) -> Response:
        if self._pin is None and await self._phones.can_host(request):
            return self._begun(request)
        if self._pin is None:
            do = "add the line that `reboard pin` prints to [page] in the config, and restart the page"
            return problem(f"this table has no host: {do}", 404)
        guess = (await json_object(request)).get("pin")
        if not isinstance(guess, str) or not is_pin(guess):
            raise BadRequest('send {"pin": "…"} with a text of 4 to 12 digits')
        address = address_of(request)
        if wait_s := math.ceil(self._guesses.begin(address)):
            return too_many("too many wrong PINs", wait_s)
        try:
            async with self._comparing:  # comparing is slow on purpose: one at a time leaves the other core free
                is_right = await asyncio.to_thread(self._pin.is_opened_by, guess)
        except Exception as error:  # no memory, or no thread
            self._guesses.take_back(address)
            log.error("the PIN from %s could not be compared: %r", sender(request), error)
            return problem("the PIN could not be compared: try again", 503)
        if not is_right:
            log.warning("wrong PIN from %s", sender(request))
            return problem("the PIN is wrong: try again", 403)
        self._guesses.forgive(address)
        return self._begun(request)

    def _begun(self, request: Request) -> Response:
        log.info("the host signed in at %s", sender(request))
        self._sessions.end(request.cookies.get(COOKIE, ""))
        response = Response(status_code=204)
        token = self._sessions.begin()
        response.set_cookie(COOKIE, token, max_age=LONGEST_SESSION_S, httponly=True, samesite="strict")
        return response

    def _sign_out(self, request: Request) -> Response:
        self._sessions.end(request.cookies.get(COOKIE, ""))
        response = Response(status_code=204)
        response.delete_cookie(COOKIE, httponly=True, samesite="strict")
        return response

    async def _do(self, request: Request) -> Response:
        self.must_be_host(request, "change the table")
        body = await json_object(request)
        if body.get("do") in [do for do, kind in all_requests().items() if not (kind.changes or kind.is_for_players)]:
            raise BadRequest(f"{body['do']} only reads data: use one of the GET requests in /api/openapi.json")
        check(body)
        return await answered(self._carried_out(request, body))

    async def _carried_out(self, request: Request, body: dict[str, Any]) -> object:
        if self._pin is None:  # the phone may have lost its card since it signed in
            await self._phones.check_card(phone_of(token_of(request)))
        return await self._table.carry_out(body, by=HOST)

    async def _back_up(self, request: Request) -> Response:
        self.must_be_host(request, "make a backup")
        if request.method == "HEAD":
            return Response(media_type=BACKUP_TYPE)
        if self._backing_up.locked():
            return problem("another backup is being made: try again in a minute", REJECTED)
        pieces: list[bytes] = []
        try:
            if self._pin is None:  # as above
                await self._phones.check_card(phone_of(token_of(request)))
            async with self._backing_up, await ControlClient.connect(self._socket, timeout_s=LONGEST_PIECE_S) as table:
                while piece := await table.request(BackUp.do):
                    pieces.append(b64decode(piece))
        except ControlSocketError as error:
            return problem(error, 503)
        except ReboardError as error:
            return problem(error, REJECTED)
        log.info("a backup, by %s, at %s", HOST, sender(request))
        headers = {"Cache-Control": "no-store", "Content-Disposition": 'attachment; filename="reboard.backup"'}
        return Response(b"".join(pieces), headers=headers, media_type=BACKUP_TYPE)

    async def _do_power(self, request: Request) -> Response:
        self.must_be_host(request, "shut down or restart")
        if self._power is None or self._pin is None:
            do = "set power = true and a PIN in [page] of the config on a Raspberry Pi, and restart the page"
            return problem(f"shutting down and restarting are disabled: {do}", 404)
        body = await json_object(request)
        action = body.get("do")
        if action not in [*ACTIONS] or len(body) > 1:
            raise BadRequest(f'send {{"do": "…"}} with {" or ".join(ACTIONS)}')
        log.warning("%s, by %s, at %s", action, HOST, sender(request))
        try:
            await self._power.do(action)
        except PowerError as error:
            return problem(error, 409)
        return Response(status_code=204)
