"""A card reader at the machine: an RDM6300 on a serial line."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress

from reboard.devices.readers.em4100 import RDM6300_END
from reboard.devices.readers.kinds.rdm6300 import KIND
from reboard_sim.devices.readers.em4100 import frame_of


class Reader:
    """The reader at a serial line of QEMU, a socket. It sends from a thread of its own."""

    def __init__(self, connection: socket.socket) -> None:
        self._line = connection
        # as with a UART, frames are lost that the machine does not read
        self._line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
        self._line.setblocking(False)
        self._changed = threading.Condition()
        self._frame: bytes | None = None
        self._is_closed = False
        self._thread = threading.Thread(target=self._send_frames, name="reader", daemon=True)
        self._thread.start()

    def put(self, card: str) -> None:
        """Put a card in, ten hex digits, after taking out the one that is there."""
        with self._changed:
            self._frame = frame_of(card, RDM6300_END)
            self._changed.notify()

    def take(self) -> None:
        """Take the card out, if there is one."""
        with self._changed:
            self._frame = None

    def close(self) -> None:
        with self._changed:
            self._is_closed = True
            self._changed.notify()
        self._thread.join()
        self._line.close()

    def _send_frames(self) -> None:
        with self._changed:
            while not self._is_closed:
                if self._frame is not None:
                    with suppress(OSError):  # the machine does not read, or is off
                        self._line.send(self._frame)
                self._changed.wait(None if self._frame is None else KIND.period_s)
