"""The hall's page on a real port, on a thread of its own, with messages from a test in place of a broker's."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

from reboard.config.mqtt import BrokerAddress
from reboard.config.pins_and_ports import Listen
from reboard.hall.hall import Hall
from reboard.hall.hall_page import make_app
from reboard.hall.store import Store
from reboard.mqtt.broker import ReceivedMessage
from reboard.web.http_server import WebServer, listening
from reboard.web.responses import EventStreams
from tests.reboard.hall.club import Sent
from tests.waiting import PATIENCE_S


class OfflineHall(Hall):
    """A hall without a broker."""

    async def _connect(self) -> None:
        self.report(None, is_connected=True)
        await asyncio.Event().wait()


class ServedHall:
    """A context manager that serves the page of an `OfflineHall`."""

    def __init__(self, folder: Path) -> None:
        self._store = folder / "hall.sqlite"
        self._socket = listening("127.0.0.1", 0, option="--listen")
        self.address = f"127.0.0.1:{self._socket.getsockname()[1]}"
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), name="hall")

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        streams = EventStreams()
        self.hall = OfflineHall(Store(self._store), BrokerAddress("127.0.0.1"), streams)
        app = make_app(self.hall, streams, names=(), listens_at=Listen("127.0.0.1", 8090))
        self._server = WebServer(app, streams.end_all)
        self._ready.set()
        await self._server.serve(sockets=[self._socket])
        self.hall.store.close()

    def take(self, *messages: Sent) -> None:
        """Let messages of tables arrive."""
        arrived = [
            ReceivedMessage(topic, payload, 1, 1, is_retained, None, None) for topic, payload, is_retained in messages
        ]
        asyncio.run_coroutine_threadsafe(self.hall.take(arrived), self._loop).result(PATIENCE_S)

    def report(self, why: str | None, *, is_connected: bool) -> None:
        """Report a problem with the broker."""
        self._loop.call_soon_threadsafe(lambda: self.hall.report(why, is_connected=is_connected))

    def __enter__(self) -> ServedHall:
        self._thread.start()
        assert self._ready.wait(PATIENCE_S)
        return self

    def __exit__(self, *_: object) -> None:
        self._server.stop()
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive(), "the hall did not stop"
