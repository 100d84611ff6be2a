"""A reader on a serial line."""

from __future__ import annotations

import errno
from collections.abc import Callable

from reboard.board import Devices, SerialLine
from reboard.parts.slots.watched_line import LINE_ERRORS, WatchedLine

CAUSES = {
    errno.ENOENT: "is not there: plug the reader in, or correct its port in the config",
    errno.ENXIO: "has no device behind it: switch this serial port on, or correct the port in the config",
    errno.EACCES: "may not be opened: add the user that runs reboard to the group dialout",
    errno.EBUSY: "is in use: give each reader a line of its own and switch the serial console off",
    errno.EAGAIN: "is in use: give each reader a line of its own and switch the serial console off",
}
"""What is said of a line that cannot be opened."""


class SerialReader(WatchedLine[SerialLine]):
    """A `WatchedLine` that is serial line *port*, and can be written to."""

    def __init__(
        self,
        port: str,
        baud_rate: int,
        *,
        board: Devices,
        received: Callable[[bytes], None],
        opened: Callable[[], object],
        lost: Callable[[str], object],
    ) -> None:
        super().__init__(
            port,
            lambda: board.open_serial(port, baud_rate),
            causes=CAUSES,
            received=received,
            opened=opened,
            lost=lost,
        )

    def write(self, data: bytes) -> None:
        """Send *data* without waiting. While the line is away, or stuck with what was sent before, it is lost."""
        if self._line is None:
            return
        try:
            if not self._line.out_waiting:
                self._line.write(data)
        except LINE_ERRORS:
            self._hung_up()
