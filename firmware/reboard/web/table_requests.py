"""Requests of browsers that the page passes on to the table."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from reboard.accessories.accessory import check_request
from reboard.control.client import ControlClient
from reboard.errors import ControlSocketError, ReboardError, Rejection
from reboard.web.rate_limit import plain_address
from reboard.web.responses import BadRequest, json_body, problem

MOST_BYTES = 4096
LONGEST_BODY_S = 5.0

Do = Callable[[Request, dict[str, Any]], Awaitable[Response]]


class TableRequests:
    """The requests to the table at the control *socket*, of which at most *most_at_once* wait at the same time."""

    def __init__(self, socket: Path, *, most_at_once: int) -> None:
        self._socket = socket
        self._most_at_once = most_at_once
        self._waiting = 0

    async def carry_out(self, body: dict[str, Any], *, by: str | None) -> Response:
        """Send the request *body* to the table, and return its answer as a response.

        *by* is the sender, or ``None`` for a request that changes nothing.
        """
        if self._waiting >= self._most_at_once:
            return problem("the table is still busy with earlier requests: try again", 503)
        self._waiting += 1
        try:
            async with await ControlClient.connect(self._socket) as table:
                return JSONResponse({"ok": await table.request(**body, **({"by": by} if by else {}))})
        except ControlSocketError as error:
            return problem(error, 503)
        except Rejection as rejection:
            return problem(rejection, 409, why=rejection.why)
        except ReboardError as error:
            return problem(error, 409)
        finally:
            self._waiting -= 1


async def with_json(request: Request, do: Do) -> Response:
    """Call *do* with the JSON object in the body of *request*, and return its response. Raises `BadRequest`."""
    try:
        body = await json_body(request, most_bytes=MOST_BYTES, longest_s=LONGEST_BODY_S)
    except ClientDisconnect:
        return Response(status_code=400)
    if not isinstance(body, dict):
        raise BadRequest("send a JSON object: {…}")
    return await do(request, body)


def check(body: dict[str, Any]) -> None:
    """Check that *body* is a valid request to the table. Raises `BadRequest` otherwise."""
    if reserved := body.keys() & {"id", "by"}:
        raise BadRequest(f"{min(reserved)!r} cannot be set by a browser: leave it out")
    try:
        check_request(body)
    except ControlSocketError as error:
        raise BadRequest(str(error)) from None


def address_of(request: Request) -> str:
    """Return the IP address of the browser."""
    assert request.client, "the page listens on a TCP socket"
    return plain_address(request.client.host)
