"""The table page of the virtual table, as a family's phones see that of a real one."""

from __future__ import annotations

import socket
import threading
from pathlib import Path

from reboard.host_pin import HostPin
from reboard.page.app import make_app
from reboard.web.event_stream import EventStreams
from reboard.web.server import ListenError, WebServer, address, listening

HOST = "127.0.0.1"
OPTION = "--page-port"
LAST_PORT = 65_535

PIN = "1234"
"""The host's, on the bench: no secret, as nobody but this machine can reach it, and no money is real."""


class TablePage:
    """The page that a Pi serves, for the table behind *door*, in a thread of its own until `close`.

    *port* is 0 to 65535, 0 any that is free; ``None`` is the one after *beside*, or any other if that is taken. Raises
    `ListenError` when the *port* cannot be had.
    """

    def __init__(self, door: Path, *, port: int | None, beside: int = 0) -> None:
        self._socket = _beside(beside) if port is None else listening(HOST, port, option=OPTION)
        self.url = f"http://{address(HOST, self._socket.getsockname()[1])}/"
        streams = EventStreams()
        app = make_app(door, streams, names=("localhost",), pin=HostPin.of(PIN))
        self._server = WebServer(app, streams.end_all)
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), name="table page")
        self._thread.start()

    def close(self) -> None:
        """Serve no longer."""
        self._server.stop()
        self._thread.join()
        self._socket.close()


def _beside(port: int) -> socket.socket:
    try:
        return listening(HOST, port + 1 if 0 < port < LAST_PORT else 0, option=OPTION)
    except ListenError:
        return listening(HOST, 0, option=OPTION)
