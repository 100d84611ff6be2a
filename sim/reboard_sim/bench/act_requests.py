"""The parsers and error responses for HTTP requests that act on the bench's table."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from pathlib import PurePath
from random import SystemRandom
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from reboard.aiotools import first_of
from reboard.devices.readers.reader_kind import READER_KINDS
from reboard.errors import ReboardError
from reboard.web.responses import BadRequest, json_body, problem
from reboard_sim.bench.api import LONGEST_NAME, LONGEST_QUEUE, MOST_LINES, MOST_SCENE_LINES
from reboard_sim.bench.bench_acts import (
    NONE,
    OURS,
    AtNewTableError,
    ReplacedError,
    Setup,
    TooManyWaitingError,
)
from reboard_sim.bench.pace import PACES, Pace
from reboard_sim.plays.play_language import LARGEST_NUMBER, PlayError

MOST_BYTES = 64 * 1024

LONGEST_BODY_S = 1.5
"""The time limit for receiving a request body, in seconds. The client is on this machine."""

Work = Callable[[dict[str, Any]], Awaitable[Response]]
"""A function that carries out a request and returns the response. Its argument is the JSON object of the request.

It raises `BadRequest` or a `ReboardError`."""


async def answer_to(request: Request, work: Work, ended: asyncio.Event, most_bytes: int = MOST_BYTES) -> Response:
    """Return the response of *work* to *request*, or an error response.

    Cancel *work* if the client disconnects or *ended* is set. *most_bytes* limits the request body.
    """
    answer = Response(status_code=400)

    async def answered(asked: dict[str, Any]) -> None:
        nonlocal answer
        answer = await work(asked)

    try:
        asked = await json_body(request, most_bytes=most_bytes, longest_s=LONGEST_BODY_S)
        if await first_of(answered(asked if isinstance(asked, dict) else {}), _gone(request), ended.wait()):
            return problem("The bench is shutting down.", 503, line=None)
    except ClientDisconnect:
        pass
    except AtNewTableError as error:
        return problem(error.problem, 400, line=error.line, is_set=True)
    except PlayError as error:
        return problem(error.problem, 400, line=error.line)
    except BadRequest as error:
        return problem(error, error.status, line=None)
    except ReboardError as error:
        return problem(error, STATUSES.get(type(error), 400), line=None)
    return answer


STATUSES = {TooManyWaitingError: 503, ReplacedError: 409}


async def _gone(request: Request) -> None:
    # returns when the client has closed the connection
    while (await request.receive())["type"] != "http.disconnect":
        pass


def lines_in(asked: Mapping[str, Any], most: int = MOST_LINES) -> list[str]:
    """Return the lines of ``{"lines": [...]}``. Raises `BadRequest` for other values or too many lines."""
    lines = asked.get("lines")
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise BadRequest('Send {"lines": ["press block", …]}, a list of play lines.')
    if len(lines) > most:
        raise BadRequest(f"Send at most {most} lines at a time, not {len(lines)}.", 413)
    return lines


def queue_in(asked: Mapping[str, Any]) -> str:
    """Return the queue name in ``hand``, or ``""`` if it is missing. Raises `BadRequest` for an invalid name."""
    queue = asked.get("hand", "")
    if not isinstance(queue, str) or len(queue) > LONGEST_QUEUE:
        raise BadRequest(f"`hand` must be a name of at most {LONGEST_QUEUE} characters")
    return queue


def demo_in(asked: Mapping[str, Any], demos: Collection[str]) -> tuple[str, bool]:
    """Return the accessory of the demo in a request, and whether to stop it. Raises `BadRequest` if invalid."""
    name = asked.get("accessory")
    if not isinstance(name, str) or name not in demos:
        raise BadRequest(f"`accessory` must be one of {', '.join(demos)}")
    return name, asked.get("stop") is True


MOST_SCENE_BYTES = 512 * 1024
MOST_SEEDS = 1_000_000

SetupRequest = tuple[Setup, int, list[str]]


def setup_in(asked: Mapping[str, Any]) -> SetupRequest:
    """Return the setup, the seed (random if missing) and the lines of a request. Raises `BadRequest` if invalid."""
    readers = {side: _reader(asked, side) for side in ("left", "right") if asked.get(side) is not None}
    wiring, text = _wiring(asked.get("wiring", OURS))
    setup = Setup(edition=_edition(asked.get("edition", "")), wiring=wiring, text=text, readers=readers)
    lines = lines_in(asked, MOST_SCENE_LINES) if "lines" in asked else []
    return setup, _seed(asked.get("seed")), lines


def _edition(edition: object) -> str:
    if not isinstance(edition, str) or len(edition) > LONGEST_NAME or not edition.isprintable() or '"' in edition:
        allowed = f"a name of at most {LONGEST_NAME} printable characters, without double quotes"
        raise BadRequest(f"`edition` must be {allowed}")
    return edition


def _reader(asked: Mapping[str, Any], side: str) -> str:
    kind = asked[side]
    if not isinstance(kind, str) or kind not in (*READER_KINDS, NONE):
        raise BadRequest(f"`{side}` must be one of {', '.join(READER_KINDS)} or {NONE}")
    return kind


def _wiring(wiring: object) -> tuple[str, str | None]:
    if isinstance(wiring, str):
        return wiring, None
    match wiring:
        case {"name": str(name), "text": str(text)} if name.isprintable() and len(name) <= LONGEST_NAME:
            return PurePath(name).name or "table.toml", text
    raise BadRequest('`wiring` must be "own", "config", or {"name": "table.toml", "text": …}')


def _seed(seed: object) -> int:
    if seed is None:
        return SystemRandom().randrange(MOST_SEEDS)
    if type(seed) is not int or not 0 <= seed <= LARGEST_NUMBER:
        raise BadRequest(f"`seed` must be a whole number from 0 to {LARGEST_NUMBER}")
    return seed


def time_in(asked: Mapping[str, Any]) -> tuple[bool, Pace]:
    """Return whether the request asks for a step, and the pace (0 for a step). Raises `BadRequest` if invalid."""
    if asked.get("step") is True:
        return True, 0
    given = asked.get("pace")
    for pace in PACES:
        if type(given) is type(pace) and given == pace:
            return False, pace
    raise BadRequest('Send {"step": true}, or {"pace": …} with 0, 1, 10 or "fast".')
