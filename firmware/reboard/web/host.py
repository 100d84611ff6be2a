"""The HTTP requests of the host (signing in and changing the table), and the sessions of hosts."""

from __future__ import annotations

import asyncio
import logging
import math
import secrets
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from reboard.accessories.accessory import all_requests, check_request
from reboard.config.host_pin import HostPin, is_pin
from reboard.control.client import ControlClient
from reboard.errors import ControlSocketError, ReboardError, Rejection
from reboard.web.rate_limit import RateLimit, plain_address
from reboard.web.responses import BadRequest, json_body, problem

log = logging.getLogger(__name__)

COOKIE = "reboard_host"
TOKEN_BYTES = 32
LONGEST_SESSION_S = 12 * 3600
"""The length of a host's session in seconds, which is enough for an evening of games."""
MOST_SESSIONS = 16
MOST_BYTES = 4096
LONGEST_BODY_S = 5.0
MOST_AT_ONCE = 4
"""The maximum number of requests of hosts that wait for the table at the same time."""

Do = Callable[[Request, dict[str, Any]], Awaitable[Response]]


class Sessions:
    """The sessions of hosts, each identified by a token. They are only in memory."""

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
        """End the session with this token. Ignore an unknown token."""
        self._ends.pop(token, None)

    def _drop_ended(self) -> None:
        now = self._clock()
        self._ends = {token: ends for token, ends in self._ends.items() if ends > now}


class Host:
    """The HTTP routes of the host, for the table at the control *socket*. Without a *pin*, signing in is disabled."""

    def __init__(self, socket: Path, pin: HostPin | None) -> None:
        self._socket = socket
        self._pin = pin
        self._guesses = RateLimit(_now)
        self._sessions = Sessions(_now)
        self._comparing = asyncio.Lock()
        self._waiting = 0
        self.routes = [
            Route("/api/host", self._status),
            Route("/api/host/session", self._session, methods=["POST", "DELETE"]),
            Route("/api/host/do", self._do, methods=["POST"]),
        ]

    async def _status(self, request: Request) -> Response:
        return JSONResponse(self.status(request))

    def status(self, request: Request) -> dict[str, bool]:
        """Return whether there is a host's PIN, and whether the browser of *request* is the host."""
        return {"enabled": self._pin is not None, "host": self._is_host(request)}

    def _is_host(self, request: Request) -> bool:
        return request.cookies.get(COOKIE, "") in self._sessions

    async def _session(self, request: Request) -> Response:
        if request.method == "DELETE":
            return self._sign_out(request)
        if self._pin is None:
            return problem(
                "this table has no host: add the line that `reboard pin` prints to [page] in the config", 404
            )
        return await _with_json(request, self._sign_in)

    async def _sign_in(self, request: Request, body: dict[str, Any]) -> Response:
        assert self._pin
        guess = body.get("pin")
        if not isinstance(guess, str) or not is_pin(guess):
            raise BadRequest('send {"pin": "…"} with a text of 4 to 12 digits')
        address = _address(request)
        if wait_s := math.ceil(self._guesses.begin(address)):
            answer = {"error": f"too many wrong PINs: try again in {wait_s} s", "retry_after_s": wait_s}
            return JSONResponse(answer, status_code=429, headers={"Retry-After": str(wait_s)})
        async with self._comparing:  # comparing is slow on purpose: one at a time leaves the other core free
            is_right = await asyncio.to_thread(self._pin.is_opened_by, guess)
        if not is_right:
            log.warning("wrong PIN from %s", address)
            return problem("the PIN is wrong: try again", 403)
        self._guesses.forgive(address)
        log.info("the host signed in from %s", address)
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
        if not self._is_host(request):
            return problem("only the host can change the table: enter the PIN first", 401)
        return await _with_json(request, self._carry_out)

    async def _carry_out(self, request: Request, body: dict[str, Any]) -> Response:
        _check(body)
        if self._waiting >= MOST_AT_ONCE:
            return problem("the table is still busy with earlier requests: try again", 503)
        self._waiting += 1
        try:
            async with await ControlClient.connect(self._socket) as table:
                return JSONResponse({"ok": await table.request(**body, by=f"the page at {_address(request)}")})
        except ControlSocketError as error:
            return problem(error, 503)
        except Rejection as rejection:
            return problem(rejection, 409, why=rejection.why)
        except ReboardError as error:
            return problem(error, 409)
        finally:
            self._waiting -= 1


async def _with_json(request: Request, do: Do) -> Response:
    """Call *do* with the JSON object in the body of *request*, and return its response. Raises `BadRequest`."""
    try:
        body = await json_body(request, most_bytes=MOST_BYTES, longest_s=LONGEST_BODY_S)
    except ClientDisconnect:
        return Response(status_code=400)
    if not isinstance(body, dict):
        raise BadRequest("send a JSON object: {…}")
    return await do(request, body)


def _check(body: dict[str, Any]) -> None:
    """Check that *body* is a valid request that changes the table. Raises `BadRequest` otherwise."""
    if body.get("do") in [do for do, request in all_requests().items() if not request.changes]:
        raise BadRequest(f"the request {body['do']} does not change the table: send it to the control socket")
    if reserved := body.keys() & {"id", "by"}:
        raise BadRequest(f"{min(reserved)!r} cannot be set by a browser: leave it out")
    try:
        check_request(body)
    except ControlSocketError as error:
        raise BadRequest(str(error)) from None


def _address(request: Request) -> str:
    assert request.client, "the page listens on a TCP socket"
    return plain_address(request.client.host)


def _now() -> float:
    return asyncio.get_running_loop().time()
