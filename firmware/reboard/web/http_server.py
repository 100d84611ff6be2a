"""An HTTP server: uvicorn with more limits and timeouts. It runs until a signal."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import FrameType

import h11
import uvicorn
from anyio import to_thread
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

from reboard.config.pins_and_ports import Listen
from reboard.errors import ReboardError
from reboard.service.systemd import notify
from reboard.web.invitation import invitation_text
from reboard.web.responses import EventStreams

LONGEST_HEAD_S = 15.0
"""The time limit for the head of a request, in seconds. uvicorn has no such limit."""
PIECE_BYTES = 1024
"""The maximum size of data passed to h11 at once, because h11 checks the length only of an incomplete head."""
LONGEST_SILENCE_MS = 60_000
"""The TCP user timeout in ms: a connection is closed if sent data is not acknowledged for this time."""
MOST_UNSENT_BYTES = 128 * 1024
"""The send buffer of a connection, in bytes. For a slow client, the kernel's default grows to megabytes."""


class HeadTimeoutProtocol(H11Protocol):
    """The HTTP protocol of uvicorn, with a time limit for the head of a request."""

    _timeout: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._start_timeout()

    def data_received(self, data: bytes) -> None:
        for begin in range(0, len(data), PIECE_BYTES):
            if self.transport.is_closing() or self.transport.get_protocol() is not self:
                return
            super().data_received(data[begin : begin + PIECE_BYTES])
        if self.conn.our_state is h11.DONE and self.conn.their_state is h11.SEND_BODY:
            self.transport.close()  # it was answered already: the rest of the body is not read
        elif self.conn.their_state is not h11.IDLE:
            self._stop_timeout()
        elif self._timeout is None:
            self._start_timeout()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timeout()
        super().connection_lost(exc)

    def _start_timeout(self) -> None:
        self._timeout = self.loop.call_later(LONGEST_HEAD_S, self.transport.close)

    def _stop_timeout(self) -> None:
        if self._timeout:
            self._timeout.cancel()
            self._timeout = None


MOST_CONNECTIONS = 600
LONGEST_HEAD_BYTES = 16 * 1024
LONGEST_SOCKET_MESSAGE_BYTES = 1024
"""The maximum size of a message from a page through a WebSocket, in bytes."""
MOST_THREADS = 4
"""The size of each of the two thread pools, of asyncio and of Starlette, whose default is 40.

Each thread has a stack of 8 MB, which counts towards the ``LimitDATA=`` of the service."""
SHUTDOWN_S = 2
"""The time limit for unfinished responses when the server stops, in seconds."""


class ListenError(ReboardError, OSError):
    """The error raised if a server cannot listen on an address and port."""


def listening(host: str, port: int, *, option: str) -> socket.socket:
    """Return a socket that listens on *host* and *port*. Port 0 chooses a free port.

    Raises `ListenError`, whose text names the command-line *option* for another port.
    """
    where = Listen(host, port)
    try:
        family, _, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        # all addresses of a machine include those of IPv4
        is_both = host == "::" and socket.has_dualstack_ipv6()
        taken = socket.create_server(place, family=family, dualstack_ipv6=is_both)
    except socket.gaierror:
        raise ListenError(
            f"cannot listen on {where}: {host!r} is not an address of this machine. Use 127.0.0.1 or 0.0.0.0"
        ) from None
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise ListenError(f"{where} is in use by another program. Choose another port with {option}") from None
        raise ListenError(f"cannot listen on {where}: {error.strerror}") from None
    # each accepted connection inherits these
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, MOST_UNSENT_BYTES)
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux
        taken.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, LONGEST_SILENCE_MS)
    return taken


class WebServer(uvicorn.Server):
    """A uvicorn server with limits. It stops when `stop` is called and, in the main thread, on SIGTERM or SIGINT.

    When the server stops, it calls *end_streams* to end the event streams, because uvicorn would wait for them. A
    server *with_sockets* accepts WebSockets, which need the package wsproto. *proxy* is the IP address of a reverse
    proxy. Only its ``X-Forwarded-For`` counts, because others could choose their address, and guess the PIN from many.
    """

    def __init__(
        self, app: Starlette, end_streams: Callable[[], None], *, with_sockets: bool = False, proxy: str | None = None
    ) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=HeadTimeoutProtocol,
                ws="wsproto" if with_sockets else "none",
                ws_max_size=LONGEST_SOCKET_MESSAGE_BYTES,
                ws_per_message_deflate=False,
                h11_max_incomplete_event_size=LONGEST_HEAD_BYTES,
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=proxy is not None,
                # a socket for IPv4 and IPv6 shows addresses of IPv4 in the second form
                forwarded_allow_ips=[proxy, f"::ffff:{proxy}"] if proxy else [],
                limit_concurrency=MOST_CONNECTIONS,
                timeout_graceful_shutdown=SHUTDOWN_S,
            )
        )
        self._end_streams = end_streams

    def stop(self) -> None:
        """Stop the server. Can be called from any thread."""
        self.should_exit = True

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until the server stops, with few threads."""
        to_thread.current_default_thread_limiter().total_tokens = MOST_THREADS
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(MOST_THREADS, "web"))
        await super().serve(sockets)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the event streams, shut uvicorn down, and then abort the remaining connections."""
        self._end_streams()
        await super().shutdown(sockets)
        # a connection whose client reads nothing would stay half closed
        for connection in tuple(self.server_state.connections):
            connection.transport.abort()
        await asyncio.sleep(0)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle SIGTERM and SIGINT in the main thread by stopping the server. uvicorn would raise the signal again."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def handle(_number: int, _frame: FrameType | None) -> None:
            self.stop()

        before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


async def serve(
    app: Starlette, taken: socket.socket, streams: EventStreams, what: str, proxy: str | None = None
) -> None:
    """Serve *app*, *what* such as ``The table page``, on the socket *taken*, until SIGTERM or SIGINT.

    *streams* are its event streams. *proxy* is the IP address of a reverse proxy.
    """
    place = Listen(*taken.getsockname()[:2])
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    if text := invitation_text(place, sys.stdout):
        print(text, flush=True)
    # connections wait in the backlog of the socket from now on
    notify(f"READY=1\nSTATUS={what} is listening at {place}.")
    await WebServer(app, streams.end_all, proxy=proxy).serve(sockets=[taken])
