"""What a request brings along: JSON, not too much of it, and not too slowly."""

from __future__ import annotations

import asyncio
import json

from starlette.requests import Request


class BadRequest(ValueError):  # noqa: N818 - HTTP's own name for it
    """What was asked cannot be done; *status* is HTTP's number for it."""

    def __init__(self, problem: str, status: int = 400) -> None:
        super().__init__(problem)
        self.status = status


async def json_body(request: Request, *, most_bytes: int, longest_s: float) -> object:
    """The JSON that *request* brings. Raises `BadRequest`, and Starlette's ``ClientDisconnect``.

    Another site's page cannot make a browser call it JSON without asking first, which nobody answers.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise BadRequest("send JSON, with the content type application/json", 415)
    body = await _body(request, most_bytes, longest_s)
    try:
        asked: object = json.loads(body)
        # half of a surrogate pair passes as JSON, but no answer can quote it
        json.dumps(asked, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise BadRequest("this is no JSON in Unicode") from None
    return asked


async def _body(request: Request, most_bytes: int, longest_s: float) -> bytes:
    body = bytearray()
    try:
        async with asyncio.timeout(longest_s):
            async for part in request.stream():
                body += part
                if len(body) > most_bytes:
                    raise BadRequest(f"at most {most_bytes} bytes at a time", 413)
    except TimeoutError:
        raise BadRequest(f"what was sent did not arrive within {longest_s:g} s", 408) from None
    return bytes(body)
