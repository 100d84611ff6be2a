"""An ASGI server whose requests and WebSockets are messages, instead of bytes of a network."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from typing import Any, NamedTuple

from starlette.applications import Starlette
from starlette.types import Message

log = logging.getLogger(__name__)

HOST = "localhost"

INTERNAL_ERROR = 1011
"""The WebSocket close code for an error of the application."""


class Answer(NamedTuple):
    """The answer to a request: its *status*, its *headers* by their names in lower case, and its *body*."""

    status: int
    headers: Mapping[str, str]
    body: bytes


Post = Callable[[int, str, object], None]
"""A function that sends a message to a page: the number of a WebSocket; ``open``, ``message`` or ``close``; the data.

The data is the text or the bytes of a message, or the code with which the WebSocket closes.
"""


class MessageServer:
    """A server of *app* on the running event loop, from `start` until `stop`."""

    def __init__(self, app: Starlette) -> None:
        self._app = app
        self._lifespan = AsyncExitStack()
        self._sockets: dict[int, asyncio.Queue[Message]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        await self._lifespan.enter_async_context(self._app.router.lifespan_context(self._app))

    async def stop(self) -> None:
        await self._lifespan.aclose()

    async def answer(
        self,
        method: str,
        path: str,
        query: str = "",
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
        gone: asyncio.Event | None = None,
    ) -> Answer:
        """Return the answer to a request. *gone* is set when its sender no longer waits for the answer."""
        messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
        sent: list[Message] = []

        async def receive() -> Message:
            if messages:
                return messages.pop()
            await (gone or asyncio.Event()).wait()
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            sent.append(message)

        await self._app(_scope("http", path, query, headers, method=method, http_version="1.1"), receive, send)
        found = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        return Answer(sent[0]["status"], found, b"".join(message.get("body", b"") for message in sent[1:]))

    def open_socket(self, number: int, path: str, query: str, post: Post) -> None:
        """Open the WebSocket *number*, whose messages to the page are sent with *post*."""
        inbox = self._sockets[number] = asyncio.Queue()
        inbox.put_nowait({"type": "websocket.connect"})

        async def send(message: Message) -> None:
            kind = message["type"].removeprefix("websocket.")
            if kind == "accept":
                post(number, "open", None)
            elif kind == "send":
                post(number, "message", message["bytes"] if message.get("text") is None else message["text"])
            elif kind == "close":
                post(number, "close", message.get("code", 1000))

        async def serve() -> None:
            try:
                await self._app(_scope("websocket", path, query, {}, subprotocols=[]), inbox.get, send)
            except Exception:
                log.exception("a WebSocket has ended, because the application failed")
                post(number, "close", INTERNAL_ERROR)
            finally:
                del self._sockets[number]

        task = asyncio.ensure_future(serve())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def receive(self, number: int, text: str | None) -> None:
        """Receive a message from the page, or the end of the WebSocket *number* (``None``)."""
        if inbox := self._sockets.get(number):
            end = {"type": "websocket.disconnect", "code": 1001}
            inbox.put_nowait(end if text is None else {"type": "websocket.receive", "text": text})


def _scope(kind: str, path: str, query: str, headers: Mapping[str, str] | None, **more: object) -> dict[str, Any]:
    sent = {"host": HOST, **(headers or {})}
    return {
        "type": kind,
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "scheme": "http" if kind == "http" else "ws",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode()) for name, value in sent.items()],
        "client": ("127.0.0.1", 1),
        "server": (HOST, 80),
        **more,
    }
