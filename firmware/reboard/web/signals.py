"""The HTTP routes with which the host reads the table's signals and sends requests that change nothing."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import suppress
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from reboard.accessories.installed import all_requests
from reboard.accessories.table_vocabulary import REQUESTS
from reboard.control.client import ControlClient
from reboard.control.table_requests import TableRequests
from reboard.errors import ReboardError
from reboard.web.api_description import STREAM, Answer, DescribedRoute, Operation, path_parameter, problem_of, refusal
from reboard.web.browser_requests import answered
from reboard.web.host import CarriedOut, Host
from reboard.web.responses import EventResponse, EventStreams, problem, server_sent

log = logging.getLogger(__name__)

EVERY_S = 0.1
"""The time between two messages with signals, in seconds."""

MOST_AT_ONCE = 2


READ = Operation(
    "read",
    "The answer to `readers`, or to a request of an accessory that changes nothing: see docs/control-socket.md.",
    {
        200: Answer("The table's answer.", CarriedOut),
        404: problem_of("There is no such request."),
        409: refusal(),
        503: problem_of("The table is busy or does not answer."),
    },
    is_hosts=True,
    parameters=[path_parameter("name")],
)
SIGNALS = Operation(
    "signals",
    "The signals of pins, ports and buses, as server-sent events: the answers of watch_signals in "
    "docs/control-socket.md.",
    {
        200: Answer("An answer ten times a second.", None, STREAM),
        503: problem_of("The table does not answer, is too old, or two programs watch it already."),
    },
    is_hosts=True,
)


class Signals:
    """The HTTP routes for the table at the control *socket*. They stop sending signals when *streams* has ended."""

    def __init__(self, socket: Path, host: Host, streams: EventStreams) -> None:
        self._socket = socket
        self._host = host
        self._streams = streams
        self._table = TableRequests(socket, most_at_once=MOST_AT_ONCE)
        self.routes = [
            DescribedRoute("/api/host/read/{name}", self._read, get=READ),
            DescribedRoute("/api/host/signals", self._signals, get=SIGNALS),
        ]

    async def _read(self, request: Request) -> Response:
        self._host.must_be_host(request, "read this")
        name = request.path_params["name"]
        kind = all_requests().get(name)
        if kind is None or kind.changes or name in REQUESTS.keys() - {"readers"}:
            return problem(f"there is no read-only request {name!r}", 404)
        return await answered(self._table.carry_out({"do": name}, by=None))

    async def _signals(self, request: Request) -> Response:
        self._host.must_be_host(request, "see the signals")
        messages = self._messages(request)
        if request.method == "HEAD":
            return EventResponse(request, messages)
        try:
            first = await anext(messages)
        except ReboardError as error:
            return problem(error, 503)

        async def all_messages() -> AsyncIterator[bytes]:
            yield first
            with suppress(ReboardError):  # the table was switched off or restarted
                async for message in messages:
                    yield message

        return EventResponse(request, all_messages())

    async def _messages(self, request: Request) -> AsyncGenerator[bytes, None]:
        async with await ControlClient.connect(self._socket) as table:
            log.info("the host is watching the signals")
            while self._host.is_host(request) and not self._streams.has_ended:
                yield server_sent(await table.request("watch_signals"))
                await asyncio.sleep(EVERY_S)
