"""The cookie by which the page knows a phone."""

from __future__ import annotations

import re
from hashlib import sha256

from starlette.requests import Request

COOKIE = "reboard_phone"
COOKIE_S = 365 * 86_400
"""The time for which a phone keeps its token, in seconds."""

TOKEN = re.compile("[A-Za-z0-9_-]{43}")


def token_of(request: Request) -> str:
    """Return the token of the phone that sends *request*, or ``""``."""
    token = request.cookies.get(COOKIE, "")
    return token if TOKEN.fullmatch(token) else ""


def phone_of(token: str) -> str:
    """Return the name of the phone with a *token* at the table: a hash, from which no program can find the token."""
    return sha256(token.encode()).hexdigest()
