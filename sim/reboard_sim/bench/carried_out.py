"""Requests that take their time: answered when they are done, given up when nobody waits for the answer any more."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from reboard.either import either
from reboard.errors import ReboardError
from reboard.web.json_body import BadRequest, json_body
from reboard_sim.bench.hands_on_table import AtNewTableError, SetAnewError, TooManyWaitingError
from reboard_sim.play_language import PlayError

MOST_BYTES = 64 * 1024

LONGEST_BODY_S = 1.5
"""How long a body may be on its way: from this machine to itself."""

Work = Callable[[dict[str, Any]], Awaitable[Response]]
"""Does what the JSON object asks for, and answers. Raises `BadRequest` or a `ReboardError` for what cannot be done."""


async def carried_out(request: Request, work: Work, ended: asyncio.Event, most_bytes: int = MOST_BYTES) -> Response:
    """What *work* makes of *request*, or an answer that says what is wrong with it. At *ended* it is called off."""
    answer = Response(status_code=400)

    async def answered(asked: dict[str, Any]) -> None:
        nonlocal answer
        answer = await work(asked)

    try:
        asked = await json_body(request, most_bytes=most_bytes, longest_s=LONGEST_BODY_S)
        if await either(answered(asked if isinstance(asked, dict) else {}), _gone(request), ended.wait()):
            return _refused("the bench is being put away", 503)
    except ClientDisconnect:
        pass
    except AtNewTableError as error:
        return JSONResponse({"error": error.problem, "line": error.line, "is_set": True}, status_code=400)
    except PlayError as error:
        return _refused(error.problem, 400, error.line)
    except TooManyWaitingError as error:
        return _refused(str(error), 503)
    except SetAnewError as error:
        return _refused(str(error), 409)
    except BadRequest as error:
        return _refused(str(error), error.status)
    except ReboardError as error:
        return _refused(str(error), 400)
    return answer


def _refused(problem: str, status: int, line: int | None = None) -> Response:
    return JSONResponse({"error": problem, "line": line}, status_code=status)


async def _gone(request: Request) -> None:
    """Return when whoever sent *request* does not wait for its answer any more."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
