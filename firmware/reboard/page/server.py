"""The page's web server: one address, until a signal."""

from __future__ import annotations

import logging
from pathlib import Path

from reboard.host_pin import HostPin
from reboard.page.app import make_app
from reboard.service_manager import notify
from reboard.web.event_stream import EventStreams
from reboard.web.known_hosts import own_names
from reboard.web.server import WebServer, address, listening

log = logging.getLogger(__name__)


def serve_page(door: Path, host: str, port: int, *, pin: HostPin | None = None) -> None:
    """Show the table behind *door* at *host* and *port* until SIGTERM or SIGINT. Raises `ListenError`.

    Whoever knows the *pin* may change it, too.
    """
    with listening(host, port, option="--listen") as taken:
        streams = EventStreams()
        app = make_app(door, streams, names=own_names() | {host}, pin=pin)
        logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
        where = address(*taken.getsockname()[:2])
        log.info("the table page is at http://%s", where)
        # whoever comes from now on waits in the socket's queue for a moment, and is served
        notify(f"READY=1\nSTATUS=The table page listens at {where}.")
        WebServer(app, streams.end_all).run(sockets=[taken])
