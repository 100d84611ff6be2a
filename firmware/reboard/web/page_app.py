"""The web application of a page, with its middleware."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute

from reboard.errors import ReboardError
from reboard.web.known_hosts import KnownHosts
from reboard.web.responses import BadRequest, OwnPageOnly, problem


def page_app(
    routes: Sequence[BaseRoute],
    run: Callable[[], Coroutine[Any, Any, None]],
    *,
    names: Collection[str],
    remedy: str = "",
) -> Starlette:
    """Return the web application with *routes*, beside which *run* runs.

    It accepts the host names *names* and all IP addresses. *remedy* says how to add a name.
    """

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        running = asyncio.create_task(run())
        try:
            yield
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running

    app = Starlette(
        routes=routes,
        middleware=[Middleware(KnownHosts, names=names, remedy=remedy), Middleware(OwnPageOnly)],
        exception_handlers={405: _wrong_method, BadRequest: _error, ReboardError: _error, ClientDisconnect: _gone},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False  # each resource has one address
    return app


# coroutines, because Starlette runs a function on a thread


async def _wrong_method(_: Request, error: Exception) -> Response:
    """Return the response 405 with the header ``Allow``, which Starlette omits for static files."""
    assert isinstance(error, HTTPException)
    return PlainTextResponse(error.detail, status_code=405, headers={"Allow": "GET, HEAD", **(error.headers or {})})


async def _error(_: Request, error: Exception) -> Response:
    return problem(error, error.status if isinstance(error, BadRequest) else 503)


async def _gone(_: Request, error: Exception) -> Response:
    return Response(status_code=400)
