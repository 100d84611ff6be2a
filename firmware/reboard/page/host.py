"""The host: whoever knows the PIN may change the table from a browser; everybody else only looks."""

from __future__ import annotations

import asyncio
import logging
import math
from pathlib import Path
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from reboard.door.client import DoorClient
from reboard.door.words import READS, check
from reboard.errors import DoorError, ReboardError
from reboard.host_pin import HostPin, is_pin
from reboard.page.guesses import Guesses, without_disguise
from reboard.page.sessions import LONGEST_S, Sessions
from reboard.refusal import Refusal
from reboard.web.json_body import BadRequest, json_body
from reboard.web.problem import problem

log = logging.getLogger(__name__)

COOKIE = "reboard_host"
MOST_BYTES = 4096
LONGEST_BODY_S = 5.0
MOST_AT_ONCE = 4
"""So many of the host's requests may be at the table's door at a time."""


class Host:
    """What the host of the table behind *door* can ask for; without a *pin* nobody is."""

    def __init__(self, door: Path, pin: HostPin | None) -> None:
        self._door = door
        self._pin = pin
        self._guesses = Guesses(_now)
        self._sessions = Sessions(_now)
        self._comparing = asyncio.Lock()
        self._at_the_door = 0
        self.routes = [
            Route("/api/host", self._who),
            Route("/api/host/session", self._session, methods=["POST", "DELETE"]),
            Route("/api/host/do", self._do, methods=["POST"]),
        ]

    async def _who(self, request: Request) -> Response:
        return JSONResponse({"enabled": self._pin is not None, "host": self._is_host(request)})

    def _is_host(self, request: Request) -> bool:
        return self._sessions.has(request.cookies.get(COOKIE, ""))

    async def _session(self, request: Request) -> Response:
        return await (self._sign_in if request.method == "POST" else self._sign_out)(request)

    async def _sign_in(self, request: Request) -> Response:
        if self._pin is None:
            return problem("this table has no host: no PIN is set in its config", 404)
        try:
            guess = _pin_in(await _asked(request))
        except ClientDisconnect:
            return Response(status_code=400)
        except BadRequest as error:
            return problem(error, error.status)
        address = _address(request)
        if wait_s := math.ceil(self._guesses.begin(address)):
            answer = {"error": f"too many wrong PINs: wait {wait_s} s", "retry_after_s": wait_s}
            return JSONResponse(answer, status_code=429, headers={"Retry-After": str(wait_s)})
        async with self._comparing:
            is_right = await asyncio.to_thread(self._pin.is_opened_by, guess)
        if not is_right:
            log.warning("a wrong PIN came from %s", address)
            return problem("this is not the PIN", 403)
        self._guesses.was_right(address)
        log.info("the host is at %s", address)
        self._sessions.end(request.cookies.get(COOKIE, ""))
        signed_in = Response(status_code=204)
        signed_in.set_cookie(COOKIE, self._sessions.begin(), max_age=LONGEST_S, httponly=True, samesite="strict")
        return signed_in

    async def _sign_out(self, request: Request) -> Response:
        self._sessions.end(request.cookies.get(COOKIE, ""))
        signed_out = Response(status_code=204)
        signed_out.delete_cookie(COOKIE, httponly=True, samesite="strict")
        return signed_out

    async def _do(self, request: Request) -> Response:
        if not self._is_host(request):
            return problem("only the host may do this: the PIN first", 401)
        try:
            asked = _changing(await _asked(request))
        except ClientDisconnect:
            return Response(status_code=400)
        except BadRequest as error:
            return problem(error, error.status)
        if self._at_the_door >= MOST_AT_ONCE:
            return problem("the table is still busy with what was asked before: try again", 503)
        self._at_the_door += 1
        try:
            async with await DoorClient.connect(self._door) as table:
                done = await table.request(**asked, by=f"the page at {_address(request)}")
        except DoorError as error:
            return problem(error, 503)
        except Refusal as refusal:
            return problem(refusal, 409, why=refusal.why)
        except ReboardError as error:
            return problem(error, 409)
        finally:
            self._at_the_door -= 1
        return JSONResponse({"ok": done})


async def _asked(request: Request) -> dict[str, Any]:
    asked = await json_body(request, most_bytes=MOST_BYTES, longest_s=LONGEST_BODY_S)
    if not isinstance(asked, dict):
        raise BadRequest("send an object of JSON: {…}")
    return asked


def _pin_in(asked: dict[str, Any]) -> str:
    guess = asked.get("pin")
    if not isinstance(guess, str) or not is_pin(guess):
        raise BadRequest('send {"pin": "…"}: a text of 4 to 12 digits')
    return guess


def _changing(asked: dict[str, Any]) -> dict[str, Any]:
    if asked.get("do") in tuple(READS):
        raise BadRequest(f"{asked['do']} changes nothing: everybody may ask the page for it")
    if mine := asked.keys() & {"id", "by"}:
        raise BadRequest(f"{min(mine)!r} is for the page to say")
    try:
        check(asked)
    except DoorError as error:
        raise BadRequest(str(error)) from None
    return asked


def _address(request: Request) -> str:
    assert request.client, "the page listens on an address"
    return without_disguise(request.client.host)


def _now() -> float:
    return asyncio.get_running_loop().time()
