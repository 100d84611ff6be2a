"""How every page says that something cannot be had or done."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response


def problem(sentence: object, status: int, **more: object) -> JSONResponse:
    """An answer with HTTP's number for what is wrong, a *sentence* for a person, and *more* for a page."""
    return JSONResponse({"error": str(sentence), **more}, status_code=status)


def wrong_method(_: Request, error: Exception) -> Response:
    """Answer 405 with the methods that are allowed, which Starlette leaves out for its files."""
    assert isinstance(error, HTTPException)
    return PlainTextResponse(error.detail, status_code=405, headers={"Allow": "GET, HEAD", **(error.headers or {})})
