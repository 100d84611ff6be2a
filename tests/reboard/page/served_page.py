"""The page on a real port of this machine, of a table that does what a test says."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from reboard.host_pin import HostPin
from reboard.page.app import make_app
from reboard.web.event_stream import EventStreams
from reboard.web.server import WebServer, listening
from tests.reboard.page.fake_table import FakeTable

T = TypeVar("T")

PATIENCE_S = 15.0


class ServedPage:
    """Served by a thread of its own, which is also the table's. As a context manager it ends."""

    def __init__(self, folder: Path, *, pin: HostPin | None = None) -> None:
        self._folder = folder
        self._pin = pin
        self._socket = listening("127.0.0.1", 0, option="--listen")
        self.port: int = self._socket.getsockname()[1]
        self.address = f"127.0.0.1:{self.port}"
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), name="page")

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.table = FakeTable(self._folder / "table.sock")
        await self.table.open()
        self.streams = EventStreams()
        app = make_app(self._folder / "table.sock", self.streams, names=(), pin=self._pin)
        self._server = WebServer(app, self.streams.end_all)
        self._ready.set()
        await self._server.serve(sockets=[self._socket])
        await self.table.door.close()

    def at_the_table(self, happens: Callable[[], T]) -> T:
        """Have something happen there, and wait until it has."""

        async def happening() -> T:
            return happens()

        return asyncio.run_coroutine_threadsafe(happening(), self._loop).result(PATIENCE_S)

    def __enter__(self) -> ServedPage:
        self._thread.start()
        assert self._ready.wait(PATIENCE_S)
        return self

    def __exit__(self, *_: object) -> None:
        self._server.stop()
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive(), "the page did not stop"
