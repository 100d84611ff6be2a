"""A virtual chip on an SPI bus, as the firmware sees it."""

from __future__ import annotations

from collections.abc import Callable


class VirtualSpiDevice:
    """A virtual `reboard.board.SpiDevice`. *receive* takes the bytes that arrive while the chip is selected."""

    def __init__(self, receive: Callable[[bytes], None]) -> None:
        self._receive = receive
        self.has_power = True
        """Whether the Pi has power. Without it, a program from before the power cut reaches no chip."""

    def writebytes2(self, values: bytes, /) -> None:
        """Pass *values* to the chip."""
        if self.has_power:
            self._receive(bytes(values))

    def close(self) -> None:
        """Do nothing, because the next program to open the bus gets the same object."""
