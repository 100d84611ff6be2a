"""The lines of a play that somebody sends to be done, and what is not taken."""

from __future__ import annotations

from starlette.requests import Request

from reboard.web.json_body import BadRequest, json_body

MOST_BYTES = 64 * 1024
MOST_LINES = 200
"""What one request may ask to be done."""

LONGEST_BODY_S = 1.5
"""How long the lines may be on their way: from this machine to itself."""


async def request_lines(request: Request) -> list[str]:
    """The lines of ``{"lines": [...]}``. Raises `BadRequest`, and Starlette's ``ClientDisconnect``."""
    asked = await json_body(request, most_bytes=MOST_BYTES, longest_s=LONGEST_BODY_S)
    lines = asked.get("lines") if isinstance(asked, dict) else None
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise BadRequest('send {"lines": ["press block", …]}: a list of lines of a play')
    if len(lines) > MOST_LINES:
        raise BadRequest(f"at most {MOST_LINES} lines at a time, these are {len(lines)}", 413)
    return lines
