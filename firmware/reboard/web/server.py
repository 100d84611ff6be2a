"""A small web server with open streams that ends when it is told to: the table page's, and the bench's."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from types import FrameType

import uvicorn
from starlette.applications import Starlette

from reboard.errors import ReboardError
from reboard.web.patience import PatientProtocol, limit

MOST_CONNECTIONS = 600
LONGEST_HEAD_BYTES = 16 * 1024
LAST_WORDS_S = 2
"""How long answers that are under way may take once the server is to stop."""


class ListenError(ReboardError, OSError):
    """A page cannot listen where it was told to."""


def listening(host: str, port: int, *, option: str) -> socket.socket:
    """A socket that listens there; port 0 is any that is free.

    Raises `ListenError` in plain words, naming the command line's *option* for another place.
    """
    where = address(host, port)
    try:
        family, _, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        # on every address of a machine means on the old kind, too
        is_both = host == "::" and socket.has_dualstack_ipv6()
        taken = socket.create_server(place, family=family, dualstack_ipv6=is_both)
    except socket.gaierror:
        raise ListenError(f"{where} cannot be listened on: {host!r} is no address of this machine") from None
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise ListenError(f"{where} is taken by another program; choose another port with {option}") from None
        raise ListenError(f"{where} cannot be listened on: {error.strerror}") from None
    limit(taken)
    return taken


def address(host: str, port: int) -> str:
    """``host:port`` as a browser takes it."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


class WebServer(uvicorn.Server):
    """uvicorn, which by itself waits for streams that never end, and raises its signal again when it is done.

    It stops on SIGTERM and SIGINT, if it runs in the main thread, and on `stop`; *end_streams* is then called.
    """

    def __init__(self, app: Starlette, end_streams: Callable[[], None]) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=PatientProtocol,
                ws="none",
                h11_max_incomplete_event_size=LONGEST_HEAD_BYTES,
                log_config=None,
                access_log=False,
                server_header=False,
                # who says to ask for somebody else says so to be taken for another
                proxy_headers=False,
                limit_concurrency=MOST_CONNECTIONS,
                timeout_graceful_shutdown=LAST_WORDS_S,
            )
        )
        self._end_streams = end_streams

    def stop(self) -> None:
        """Have enough. From any thread."""
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams first, as uvicorn would wait for them, and at last every line that is still there."""
        self._end_streams()
        await super().shutdown(sockets)
        # a line whose other side takes nothing any more would stay half closed for ever
        for line in tuple(self.server_state.connections):
            line.transport.abort()
        await asyncio.sleep(0)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop on the first signal; signals are heard only in the main thread."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def heard(_number: int, _frame: FrameType | None) -> None:
            self.stop()

        before = {number: signal.signal(number, heard) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
