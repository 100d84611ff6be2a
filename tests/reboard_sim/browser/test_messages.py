"""The bench without a network: its requests and WebSockets are messages."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket

from reboard_sim.bench.app import Streams, make_app
from reboard_sim.bench.table_thread import TableThread
from reboard_sim.browser.messages import MessageServer
from reboard_sim.scene import Scene

DO = "/api/bench/do"
JSON = {"Content-Type": "application/json"}


@asynccontextmanager
async def served(state: Path) -> AsyncIterator[MessageServer]:
    with closing(TableThread(Scene.load(None, state), seed=1)) as table:
        server = MessageServer(make_app(table, Streams()))
        await server.start()
        try:
            yield server
        finally:
            await server.stop()


async def test_requests_are_answered(tmp_path: Path) -> None:
    async with served(tmp_path) as server:
        done = await server.answer("POST", DO, headers=JSON, body=b'{"lines": ["insert left 1"]}')
        assert (done.status, json.loads(done.body)["cards"][0]["number"]) == (200, 1)
        play = await server.answer("GET", "/api/bench/export/session.play")
        assert "insert left 1" in play.body.decode()
        assert play.headers["content-disposition"] == 'attachment; filename="reboard-session.play"'
        assert (await server.answer("GET", "/nothing")).status == 404


async def test_a_request_ends_when_its_sender_has_gone(tmp_path: Path) -> None:
    async with served(tmp_path) as server:
        gone = asyncio.Event()
        waiting = asyncio.ensure_future(
            server.answer("POST", DO, headers=JSON, body=b'{"lines": ["hold block 1000"]}', gone=gone)
        )
        await asyncio.sleep(0)
        gone.set()
        await asyncio.wait_for(waiting, 30)


async def test_a_websocket_sends_what_happens(tmp_path: Path) -> None:
    async with served(tmp_path) as server:
        sent: asyncio.Queue[tuple[int, str, object]] = asyncio.Queue()
        server.open_socket(7, "/api/bench/live", "after=0", lambda *message: sent.put_nowait(message))
        assert await sent.get() == (7, "open", None)
        number, kind, text = await sent.get()
        assert (number, kind) == (7, "message")
        assert "hardware" in json.loads(str(text))
        server.receive(7, "not JSON")
        while kind == "message":
            number, kind, code = await sent.get()
        assert (number, kind, code) == (7, "close", 1007)


async def test_a_websocket_closes_when_the_application_fails(caplog: pytest.LogCaptureFixture) -> None:
    async def fail(socket: WebSocket) -> None:
        await socket.accept()
        raise OSError("the wire is loose")

    server = MessageServer(Starlette(routes=[WebSocketRoute("/live", fail)]))
    sent: asyncio.Queue[tuple[int, str, object]] = asyncio.Queue()
    server.open_socket(7, "/live", "", lambda *message: sent.put_nowait(message))
    assert [await sent.get(), await sent.get()] == [(7, "open", None), (7, "close", 1011)]
    assert "the wire is loose" in caplog.text
