"""How every page says that something cannot be had or done."""

from __future__ import annotations

from starlette.responses import JSONResponse


def problem(sentence: object, status: int) -> JSONResponse:
    """An answer with HTTP's number for what is wrong, and a *sentence* for a person."""
    return JSONResponse({"error": str(sentence)}, status_code=status)
