"""How every page says that something cannot be had or done."""

from __future__ import annotations

from starlette.responses import JSONResponse


def problem(sentence: object, status: int, **more: object) -> JSONResponse:
    """An answer with HTTP's number for what is wrong, a *sentence* for a person, and *more* for a page."""
    return JSONResponse({"error": str(sentence), **more}, status_code=status)
