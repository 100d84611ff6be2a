"""The page's web server: one address, until a signal."""

from __future__ import annotations

import contextlib
import errno
import logging
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import uvicorn

from reboard.errors import ReboardError
from reboard.page.app import make_app
from reboard.page.event_stream import EventStreams
from reboard.page.known_hosts import own_names

log = logging.getLogger(__name__)

MOST_CONNECTIONS = 600
LAST_WORDS_S = 2
"""How long answers that are under way may take once the page is to stop."""


class ListenError(ReboardError, OSError):
    """The page cannot listen where it was told to."""


def serve_page(door: Path, host: str, port: int) -> None:
    """Show the table behind *door* at *host* and *port* until SIGTERM or SIGINT. Raises `ListenError`."""
    with listening(host, port) as taken:
        streams = EventStreams()
        app = make_app(door, streams, names=own_names() | {host})
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            limit_concurrency=MOST_CONNECTIONS,
            timeout_graceful_shutdown=LAST_WORDS_S,
        )
        logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
        log.info("the table page is at http://%s", _shown(*taken.getsockname()[:2]))
        _Server(config, streams).run(sockets=[taken])


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens there; port 0 is any that is free. Raises `ListenError` in plain words."""
    where = _shown(host, port)
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        return socket.create_server(address, family=family)
    except socket.gaierror:
        raise ListenError(f"{where} cannot be listened on: {host!r} is no address of this machine") from None
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise ListenError(f"{where} is taken by another program; choose another port with --listen") from None
        raise ListenError(f"{where} cannot be listened on: {error.strerror}") from None


def _shown(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


class _Server(uvicorn.Server):
    """uvicorn, which by itself waits for streams that never end, and raises its signal again when it is done."""

    def __init__(self, config: uvicorn.Config, streams: EventStreams) -> None:
        super().__init__(config)
        self._streams = streams

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._streams.end_all()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        def stop(_number: int, _frame: FrameType | None) -> None:
            self.should_exit = True

        before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
