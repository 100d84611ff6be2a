"""The page on a real port, with a fake table, on a thread of its own. For browsers and real sockets."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, TypeVar

from reboard.config.host_pin import HostPin
from reboard.web.http_server import WebServer, listening
from reboard.web.power import ACTIONS, Action, Power, PowerError
from reboard.web.responses import EventStreams
from reboard.web.table_page import make_app
from tests.reboard.web.fake_table import SNAPSHOT, FakeTable
from tests.virtual import happened
from tests.waiting import PATIENCE_S

T = TypeVar("T")


class FakePower(Power):
    """Records what a host does, and refuses it while there is a reason."""

    def __init__(self) -> None:
        super().__init__()
        self.done: list[str] = []
        self.why_not = ""

    async def allowed(self) -> list[Action]:
        return [*ACTIONS]

    async def do(self, action: Action) -> None:
        if self.why_not:
            raise PowerError(self.why_not)
        self.done.append(action)


class ServedPage:
    """A context manager that serves the page of a `FakeTable`, or of another table of a subclass."""

    def __init__(
        self,
        folder: Path,
        *,
        pin: HostPin | None = None,
        players_ask: bool = False,
        power: Power | None = None,
        names: Collection[str] = (),
        proxy: str | None = None,
    ) -> None:
        self._folder = folder
        self._names, self._proxy = names, proxy
        self._options: Any = {"pin": pin, "power": power}
        self._phones = {"pay": "ask" if players_ask else "off", "cards": {"1": "1f83d9ab"}}
        self.power = power
        self._socket = listening("127.0.0.1", 0, option="--listen")
        self.port: int = self._socket.getsockname()[1]
        self.address = f"127.0.0.1:{self.port}"
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), name="page")

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        await self._open_table()
        self.streams = EventStreams()
        app = make_app(self._folder / "table.sock", self.streams, names=self._names, **self._options)
        self._server = WebServer(app, self.streams.end_all, proxy=self._proxy)
        self._ready.set()
        await self._server.serve(sockets=[self._socket])
        await self._close_table()

    async def _open_table(self) -> None:
        self.table = FakeTable(self._folder / "table.sock")
        self.table.history = {"game": 3, "before": {"1": 15_000_000}, "transfers": SNAPSHOT["transfers"]}
        self.table.now["phones"] = self._phones
        await self.table.open()

    async def _close_table(self) -> None:
        await self.table.socket.close()

    def at_the_table(self, act: Callable[[], T]) -> T:
        """Call *act* on the loop of the table, and return its result."""

        async def call() -> T:
            return act()

        return asyncio.run_coroutine_threadsafe(call(), self._loop).result(PATIENCE_S)

    def emit(self, event: str, **changes: object) -> None:
        """Emit an event without fields, and change the snapshot."""
        self.emit_with(event, {}, **changes)

    def emit_with(self, event: str, fields: dict[str, object], **changes: object) -> None:
        """Emit an event, and change the snapshot."""

        def act() -> None:
            self.table.now = {**self.table.now, **changes}
            self.table.events.emit(happened(event, **fields))

        self.at_the_table(act)

    def switch(self, *, on: bool) -> None:
        """Open or close the control socket of the table."""
        work = self.table.open() if on else self.table.socket.close()
        asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE_S)

    def __enter__(self) -> ServedPage:
        self._thread.start()
        assert self._ready.wait(PATIENCE_S)
        return self

    def __exit__(self, *_: object) -> None:
        self._server.stop()
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive(), "the page did not stop"
