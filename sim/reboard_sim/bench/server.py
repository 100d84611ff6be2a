"""The bench's web server: one port of this machine, until somebody has enough."""

from __future__ import annotations

import contextlib
import errno
import signal
import socket
import threading
from collections.abc import Iterator
from types import FrameType

import uvicorn

from reboard.errors import ReboardError
from reboard_sim.bench.app import Streams, make_app
from reboard_sim.bench.hands_on_table import HandsOnTable

HOST = "127.0.0.1"

LAST_WORDS_S = 2
"""How long answers that are under way may take once the bench is to stop."""


class PortError(ReboardError, OSError):
    """The bench cannot listen on the port that it was given."""


class BenchServer:
    """The bench of one table on one *port* of this machine, 0 to 65535; 0 is any that is free.

    Raises `PortError` when the port cannot be had. From then on the port is ours; `run` answers it.
    """

    def __init__(self, virtual: HandsOnTable, *, port: int) -> None:
        self._socket = _listening(port)
        self.url = f"http://{HOST}:{self._socket.getsockname()[1]}/"
        streams = Streams()
        app = make_app(virtual, streams)
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=LAST_WORDS_S
        )
        self._server = _Server(config, streams)

    def run(self) -> None:
        """Serve until Ctrl-C, SIGTERM or `stop`. Signals are heard only in the main thread."""
        self._server.run(sockets=[self._socket])

    def stop(self) -> None:
        """Have enough. From any thread."""
        self._server.should_exit = True


class _Server(uvicorn.Server):
    """uvicorn, which by itself waits for streams that never end, and raises its signal again when it is done."""

    def __init__(self, config: uvicorn.Config, streams: Streams) -> None:
        super().__init__(config)
        self._streams = streams

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._streams.end_all()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def have_enough(_signal: int, _frame: FrameType | None) -> None:
            self.should_exit = True

        before = {number: signal.signal(number, have_enough) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _listening(port: int) -> socket.socket:
    try:
        return socket.create_server((HOST, port))
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise PortError(f"port {port} is taken by another program; choose another with --port") from None
        raise PortError(f"{HOST}:{port} cannot be listened on: {error.strerror}") from None
