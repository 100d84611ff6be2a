"""The HTTP servers of the bench and of the table page beside it."""

from __future__ import annotations

import secrets
import socket
import threading
from pathlib import Path
from string import digits

from reboard.config.host_pin import HostPin
from reboard.config.pins_and_ports import Listen
from reboard.web.http_server import ListenError, WebServer, listening
from reboard.web.known_hosts import own_names
from reboard.web.responses import EventStreams
from reboard.web.table_page import make_app as make_table_page
from reboard_sim.bench.app import PageBeside, PageLink, Streams, make_app
from reboard_sim.bench.bench_acts import BenchTable
from reboard_sim.bench.runtime import COMMAND, Runtime

HOST = "127.0.0.1"


class BenchServer:
    """An HTTP server for the bench of the table *virtual*, on *port* of this machine (0: any free port).

    *table_page* is the table page beside it, or ``None`` for none. *runtime* runs the table. Raises `ListenError` if
    the port is in use.
    """

    def __init__(
        self, virtual: BenchTable, *, port: int, table_page: PageBeside | None = None, runtime: Runtime = COMMAND
    ) -> None:
        self._socket = listening(HOST, port, option="--port")
        self.url = f"http://{Listen(HOST, self._socket.getsockname()[1])}/"
        streams = Streams()
        app = make_app(virtual, streams, table_page, runtime)
        self._server = WebServer(app, streams.end_all, with_sockets=True)

    def run(self) -> None:
        """Serve the bench until Ctrl-C, SIGTERM or `stop`. The signals have an effect only in the main thread."""
        self._server.run(sockets=[self._socket])

    def stop(self) -> None:
        self._server.stop()


TABLE_PAGE_OPTION = "--page-port"
LAST_PORT = 65_535

PIN = "1234"
"""The host's PIN while only this machine can reach the table page. It is not secret."""
NETWORK_PIN_DIGITS = 6

EVERYWHERE = "0.0.0.0"


class TablePage(PageBeside):
    """An HTTP server for the table page, in a separate thread until `close`. *table* is the path of the control socket.

    *port* is 0 to 65535 (0: any free port). ``None`` means *beside* + 1 if *beside* is not 0 and that port is free, or
    else any free port. `link` is the link to the page. If *lan* is true, the whole network can open the page, and
    the host's PIN is random. If *has_pin* is false, there is no PIN. Raises `ListenError` if *port* is in use.
    """

    can_let_in = True

    def __init__(
        self, table: Path, *, port: int | None, beside: int = 0, lan: bool = False, has_pin: bool = True
    ) -> None:
        self._table, self._has_pin = table, has_pin
        host = EVERYWHERE if lan else HOST
        self._serve(_beside(host, beside) if port is None else listening(host, port, option=TABLE_PAGE_OPTION))

    def let_in(self, phones: bool) -> None:
        if phones == self.lets_in:
            return
        port = self.link.listens_at.port
        self.close()
        try:
            self._serve(listening(EVERYWHERE if phones else HOST, port, option=TABLE_PAGE_OPTION))
        except ListenError:  # another program has this port at another address
            self._serve(listening(HOST, port, option=TABLE_PAGE_OPTION))
            raise

    def _serve(self, listener: socket.socket) -> None:
        self._socket = listener
        host, port = listener.getsockname()
        is_open, place = host == EVERYWHERE, Listen(host, port)
        pin = "".join(secrets.choice(digits) for _ in range(NETWORK_PIN_DIGITS)) if is_open else PIN
        pin = pin if self._has_pin else ""
        super().__init__(PageLink(f"http://{Listen(HOST, port)}/", place, pin))
        streams = EventStreams()
        names = own_names() if is_open else ("localhost",)
        hashed = HostPin.of(pin) if pin else None
        app = make_table_page(self._table, streams, names=names, pin=hashed, listens_at=place)
        self._server = WebServer(app, streams.end_all)
        self._thread = threading.Thread(target=self._server.run, args=([listener],), name="table page")
        self._thread.start()

    def close(self) -> None:
        self._server.stop()
        self._thread.join()
        self._socket.close()


def _beside(host: str, port: int) -> socket.socket:
    try:
        return listening(host, port + 1 if 0 < port < LAST_PORT else 0, option=TABLE_PAGE_OPTION)
    except ListenError:
        return listening(host, 0, option=TABLE_PAGE_OPTION)
