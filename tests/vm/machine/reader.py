"""A card reader at the machine: an RDM6300 that speaks on a serial line."""

from __future__ import annotations

import socket
import threading
from pathlib import Path

from reboard.devices.readers.em4100 import RDM6300_END
from reboard_sim.devices.readers.rdm6300 import PERIOD_S
from reboard_sim.devices.readers.virtual_reader import frame_of


class Reader:
    """The reader at the end of a serial line of QEMU's, the socket *path*.

    Cards are put in and taken out from any thread; it speaks on one of its own.
    """

    def __init__(self, path: Path) -> None:
        self._line = socket.socket(socket.AF_UNIX)
        # what nobody reads is lost after a few frames, as with a UART
        self._line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
        self._line.connect(str(path))
        self._line.setblocking(False)
        self._changed = threading.Condition()
        self._frame: bytes | None = None
        self._is_closed = False
        self._thread = threading.Thread(target=self._speak, name=f"reader {path.name}", daemon=True)
        self._thread.start()

    def put(self, card: str) -> None:
        """Put a card in, ten hex digits, instead of one that is there."""
        with self._changed:
            self._frame = frame_of(card, RDM6300_END)
            self._changed.notify()

    def take(self) -> None:
        """Take the card out, if one is there."""
        with self._changed:
            self._frame = None

    def close(self) -> None:
        """Fall silent, and hang up."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()
        self._thread.join()
        self._line.close()

    def _speak(self) -> None:
        with self._changed:
            while not self._is_closed:
                if self._frame is None:
                    self._changed.wait()
                else:
                    self._send(self._frame)
                    self._changed.wait(PERIOD_S)

    def _send(self, data: bytes) -> None:
        try:
            self._line.send(data)
        except OSError:  # nobody reads, or the machine is off
            return
