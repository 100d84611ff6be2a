"""How long the server waits for whoever does not get to the point."""

from __future__ import annotations

import asyncio
import socket

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

LONGEST_HEAD_S = 15.0
"""How long the first lines of a request may be on their way. uvicorn would wait for ever, and for hundreds of them."""
PIECE_BYTES = 1024
"""h11 looks at a head's length only while the head is incomplete, so it gets what arrives in pieces of this size."""
LONGEST_SILENCE_MS = 60_000
"""A line is given up when the other side has taken nothing of what it was sent for so long: a phone that was carried
off, or one that never reads."""
MOST_UNSENT_BYTES = 128 * 1024
"""What the system may keep for one line; by itself it would keep megabytes for somebody who does not read."""


class PatientProtocol(H11Protocol):
    """uvicorn's HTTP with an end to waiting for a request."""

    _giving_up: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait."""
        super().connection_made(transport)
        self._wait_no_longer_than()

    def data_received(self, data: bytes) -> None:
        """Wait no more when a request is there, and anew when another has begun behind it."""
        for begin in range(0, len(data), PIECE_BYTES):
            if self.transport.is_closing():
                return
            super().data_received(data[begin : begin + PIECE_BYTES])
        if self.conn.our_state is h11.DONE and self.conn.their_state is h11.SEND_BODY:
            self.transport.close()  # it was answered already: nobody will read the rest
        elif self.conn.their_state is not h11.IDLE:
            self._stop_waiting()
        elif self._giving_up is None:
            self._wait_no_longer_than()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody is waited for."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait_no_longer_than(self) -> None:
        self._giving_up = self.loop.call_later(LONGEST_HEAD_S, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._giving_up:
            self._giving_up.cancel()
            self._giving_up = None


def limit(listening: socket.socket) -> None:
    """Have the system itself bound what every line that is accepted there can keep it busy with."""
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, MOST_UNSENT_BYTES)
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, LONGEST_SILENCE_MS)
