"""A virtual chip on an SPI bus, as the firmware sees it."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Sequence

Transfer = Callable[[bytes], bytes | None]
"""A function of a chip: it takes the bytes of a selection, and returns those that it sends meanwhile, if any."""


class VirtualSpiDevice:
    """The place of a chip on an SPI bus. *transfer* is that of the chip."""

    def __init__(self, transfer: Transfer) -> None:
        self._transfer = transfer
        self.has_power = True
        """Whether the Pi has power. Without it, a program from before the power cut reaches no chip."""

    def open(self) -> OpenSpiDevice:
        """Open the bus for a program."""
        return OpenSpiDevice(self)

    def transfer(self, values: bytes) -> bytes:
        """Send *values* to the chip, and return what arrives meanwhile."""
        return (self._transfer(values) if self.has_power else None) or bytes(len(values))


class OpenSpiDevice:
    """A virtual `reboard.board.SpiDevice`."""

    def __init__(self, device: VirtualSpiDevice) -> None:
        self._device: VirtualSpiDevice | None = device

    def writebytes2(self, values: bytes, /) -> None:
        self.xfer2(values)

    def xfer2(self, values: bytes, /) -> Sequence[int]:
        if self._device is None:  # as spidev does
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        return self._device.transfer(bytes(values))

    def close(self) -> None:
        self._device = None
