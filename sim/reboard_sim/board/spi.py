"""A virtual chip on an SPI bus, as the firmware sees it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Transfer = Callable[[bytes], bytes | None]
"""A function of a chip: it takes the bytes of a selection, and returns those that it sends meanwhile, if any."""


class VirtualSpiDevice:
    """A virtual `reboard.board.SpiDevice`. *transfer* is that of the chip."""

    def __init__(self, transfer: Transfer) -> None:
        self._transfer = transfer
        self.has_power = True
        """Whether the Pi has power. Without it, a program from before the power cut reaches no chip."""

    def writebytes2(self, values: bytes, /) -> None:
        if self.has_power:
            self._transfer(bytes(values))

    def xfer2(self, values: bytes, /) -> Sequence[int]:
        return (self._transfer(bytes(values)) if self.has_power else None) or bytes(len(values))

    def close(self) -> None:
        """Do nothing, because the next program to open the bus gets the same object."""
