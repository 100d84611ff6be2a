"""The lines of a play that somebody sends to be done, and what is not taken."""

from __future__ import annotations

import asyncio
import json

from starlette.requests import Request

MOST_BYTES = 64 * 1024
MOST_LINES = 200
"""What one request may ask to be done."""

LONGEST_BODY_S = 1.5
"""How long the lines may be on their way: from this machine to itself."""


class BadRequest(ValueError):  # noqa: N818 - HTTP's own name for it
    """What was sent cannot be done; *status* is HTTP's number for it."""

    def __init__(self, problem: str, status: int = 400) -> None:
        super().__init__(problem)
        self.status = status


async def request_lines(request: Request) -> list[str]:
    """The lines of ``{"lines": [...]}``. Raises `BadRequest`, and Starlette's ``ClientDisconnect``.

    Another site's page cannot make a browser call it JSON without asking first, which nobody answers.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise BadRequest("send JSON, with the content type application/json", 415)
    body = await _body(request)
    try:
        asked = json.loads(body)
    except (ValueError, RecursionError):
        raise BadRequest("this is no JSON") from None
    lines = asked.get("lines") if isinstance(asked, dict) else None
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise BadRequest('send {"lines": ["press block", …]}: a list of lines of a play')
    if len(lines) > MOST_LINES:
        raise BadRequest(f"at most {MOST_LINES} lines at a time, these are {len(lines)}", 413)
    return lines


async def _body(request: Request) -> bytes:
    body = bytearray()
    try:
        async with asyncio.timeout(LONGEST_BODY_S):
            async for part in request.stream():
                body += part
                if len(body) > MOST_BYTES:
                    raise BadRequest(f"at most {MOST_BYTES} bytes at a time", 413)
    except TimeoutError:
        raise BadRequest(f"the lines did not arrive within {LONGEST_BODY_S:g} s", 408) from None
    return bytes(body)
