"""The bench's web server: one port of this machine, until somebody has enough."""

from __future__ import annotations

from reboard.web.server import WebServer, address, listening
from reboard_sim.bench.app import Streams, make_app
from reboard_sim.bench.hands_on_table import HandsOnTable

HOST = "127.0.0.1"


class BenchServer:
    """The bench of one table on one *port* of this machine, 0 to 65535; 0 is any that is free.

    *table_page* is where its table page is served, if it is. Raises `ListenError` when the port cannot be had. From
    then on the port is ours; `run` answers it.
    """

    def __init__(self, virtual: HandsOnTable, *, port: int, table_page: str = "") -> None:
        self._socket = listening(HOST, port, option="--port")
        self.url = f"http://{address(HOST, self._socket.getsockname()[1])}/"
        streams = Streams()
        self._server = WebServer(make_app(virtual, streams, table_page), streams.end_all)

    def run(self) -> None:
        """Serve until Ctrl-C, SIGTERM or `stop`. Signals are heard only in the main thread."""
        self._server.run(sockets=[self._socket])

    def stop(self) -> None:
        """Have enough. From any thread."""
        self._server.stop()
