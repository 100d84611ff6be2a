"""Requests of browsers that the page passes on to the table, and their answers."""

from __future__ import annotations

import logging
from collections.abc import Awaitable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from reboard.control.table_requests import MOST_BYTES, check_passed_on
from reboard.errors import ControlSocketError, ReboardError, Rejection
from reboard.web.rate_limit import plain_address
from reboard.web.responses import BadRequest, json_body, problem

log = logging.getLogger(__name__)

LONGEST_BODY_S = 5.0
ACCEPTED, REJECTED = 200, 409
"""The HTTP status if the table carries out a request, and if the table rejects it."""


async def answered(carrying_out: Awaitable[object]) -> Response:
    """Wait for the table's answer to a request, and return it as a response."""
    try:
        return JSONResponse({"ok": await carrying_out})
    except ControlSocketError as error:
        return problem(error, 503)
    except Rejection as rejection:
        return problem(rejection, REJECTED, why=rejection.why)
    except ReboardError as error:
        return problem(error, REJECTED)


async def json_object(request: Request) -> dict[str, Any]:
    """Return the JSON object in the body of *request*. Raises `BadRequest` and Starlette's ``ClientDisconnect``."""
    body = await json_body(request, most_bytes=MOST_BYTES, longest_s=LONGEST_BODY_S)
    if not isinstance(body, dict):
        raise BadRequest("send a JSON object: {…}")
    return body


def check(body: dict[str, Any]) -> None:
    """Check that *body* is a valid request to the table. Raises `BadRequest` otherwise."""
    try:
        check_passed_on(body, "by a browser")
    except ControlSocketError as error:
        raise BadRequest(str(error)) from None


HOST = "the host"
"""The sender of the host's requests."""


def sender(request: Request) -> str:
    """Return the browser as the log names it. Its address is personal, so it is only in a log with ``--verbose``."""
    return f"a browser at {address_of(request)}" if log.isEnabledFor(logging.DEBUG) else "a browser"


def address_of(request: Request) -> str:
    """Return the IP address of the browser, or ``::`` if a proxy passes on another word."""
    assert request.client, "the page listens on a TCP socket"
    try:
        return plain_address(request.client.host)
    except ValueError:
        return "::"
