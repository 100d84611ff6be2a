"""A reader on a serial line that may be pulled out and put back at any time."""

from __future__ import annotations

import asyncio
import errno
import logging
import termios
from collections.abc import Callable

from reboard.board import Board, SerialLine

log = logging.getLogger(__name__)

RETRY_S = 0.5
"""How often a lost line is looked for: often enough to work again within two seconds, seldom enough to cost nothing."""

AT_ONCE = 256
"""At most this many bytes are read before the loop gets its turn again."""

# pyserial lets its terminal calls fail in their own way when the line goes while it is being opened or closed
LINE_ERRORS = (OSError, termios.error)

CAUSES = {
    errno.ENOENT: "is not there: plug the reader in, or correct its port in the config",
    errno.ENXIO: "has no device behind it: switch this serial port on, or correct the port in the config",
    errno.EACCES: "may not be opened: add the user that runs reboard to the group dialout",
    errno.EBUSY: "is in use: give each reader a line of its own and switch the serial console off",
    errno.EAGAIN: "is in use: give each reader a line of its own and switch the serial console off",
}
"""What is said of a line that cannot be opened."""


class SerialReader:
    """Hands on what comes in on a serial line, and takes the line up again when it was lost.

    All three are called on the loop: *received* with what was read, never with nothing; *lost* with the cause, once for
    each time that the line goes away or is not there at the start; *opened* each time it can be used from now on. The
    loop watches the line; nothing polls it.
    """

    def __init__(
        self,
        port: str,
        baud_rate: int,
        *,
        board: Board,
        received: Callable[[bytes], None],
        opened: Callable[[], object],
        lost: Callable[[str], object],
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._port = port
        self._baud_rate = baud_rate
        self._board = board
        self._received = received
        self._opened = opened
        self._lost = lost
        self._line: SerialLine | None = None
        self._retry: asyncio.TimerHandle | None = None
        self._is_lost = False

    def start(self) -> None:
        """Open the line, or begin to look for it."""
        try:
            self._line = self._board.open_serial(self._port, self._baud_rate)
            self._loop.add_reader(self._line.fileno(), self._read, self._line)
        except LINE_ERRORS as error:
            reason = CAUSES.get(error.args[0]) if error.args else None
            self._look_again(f"the line {self._port} {reason or f'cannot be opened: {error}'}")
            return
        self._is_lost = False
        self._opened()

    def write(self, data: bytes) -> None:
        """Send *data* without waiting. While the line is away, or stuck with what was sent before, it is lost."""
        if self._line is None:
            return
        try:
            if not self._line.out_waiting:
                self._line.write(data)
        except LINE_ERRORS:
            self._hung_up()

    def close(self) -> None:
        """Give the line back and look for it no more. May be called twice."""
        self._drop_line()
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None

    def _read(self, line: SerialLine) -> None:
        try:
            data = line.read(AT_ONCE)
        except LINE_ERRORS:
            data = b""
        if data:
            self._received(data)
        else:  # a line that is ready and has nothing has hung up, and would be ready for ever
            self._hung_up()

    def _hung_up(self) -> None:
        self._look_again(f"the reader on {self._port} went away: look at its plug and its wires")

    def _look_again(self, cause: str) -> None:
        self._drop_line()
        self._retry = self._loop.call_later(RETRY_S, self.start)
        if not self._is_lost:  # what is pulled out "went away", and then "is not there"
            self._is_lost = True
            self._lost(cause)

    def _drop_line(self) -> None:
        line, self._line = self._line, None
        if line is None:
            return
        try:
            self._loop.remove_reader(line.fileno())
            line.close()
        except LINE_ERRORS as error:
            log.warning("the line %s could not be closed: %s", self._port, error)
