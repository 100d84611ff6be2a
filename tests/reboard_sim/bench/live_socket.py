"""A WebSocket to the bench, as a page opens it."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, CloseConnection, Message, RejectConnection, Request

from tests.waiting import PATIENCE_S


class LiveSocket:
    """`status` is the HTTP status of the handshake, and `closed` the code with which the bench has closed it."""

    def __init__(self, connection: socket.socket, host: str, path: str, headers: dict[str, str]) -> None:
        self.status = 0
        self.closed: int | None = None
        self._socket = connection
        self._protocol = WSConnection(ConnectionType.CLIENT)
        self._parts: list[Any] = []
        self._received: list[str | bytes] = []
        encoded = [(name.encode(), value.encode()) for name, value in headers.items()]
        self._write(self._protocol.send(Request(host=host, target=path, extra_headers=encoded)))
        while not self.status:
            self._read()

    def send(self, message: Any) -> None:
        self._write(self._protocol.send(Message(data=message)))

    def receive(self) -> str | bytes | None:
        """Return the next message; ``None`` when the bench has closed the socket."""
        while self.closed is None and not self._received:
            self._read()
        return self._received.pop(0) if self._received else None

    def messages(self, kind: str) -> Iterator[Any]:
        """Yield the value of *kind* in each message in JSON that has it."""
        while (message := self.receive()) is not None:
            if isinstance(message, str) and kind in (data := json.loads(message)):
                yield data[kind]

    def sounds(self) -> Iterator[bytes]:
        while (message := self.receive()) is not None:
            if isinstance(message, bytes):
                yield message

    def _read(self) -> None:
        try:
            data = self._socket.recv(65_536)
        except ConnectionError:
            data = b""
        self._protocol.receive_data(data or None)
        for event in self._protocol.events():
            match event:
                case AcceptConnection():
                    self.status = 101
                case RejectConnection(status_code=status):
                    self.status = status
                case CloseConnection(code=code):
                    self.closed = code
                case Message(data=part, message_finished=is_finished):
                    self._parts.append(part)
                    if is_finished:
                        self._received.append(part[:0].join(self._parts))
                        self._parts.clear()

    def _write(self, data: bytes) -> None:
        self._socket.sendall(data)


@contextmanager
def live(url: str, query: str = "", **headers: str) -> Iterator[LiveSocket]:
    """Open a WebSocket to the bench at *url*. The header ``host`` replaces that of the URL."""
    host = url.split("/")[2]
    name, _, port = host.partition(":")
    with socket.create_connection((name, int(port)), timeout=PATIENCE_S) as connection:
        yield LiveSocket(connection, headers.pop("host", host), f"/api/bench/live{query}", headers)
