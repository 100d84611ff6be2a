"""``spidev`` on the virtual SPI buses."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable

from reboard_sim.board.spi import SpiDev, VirtualSpiDevice
from reboard_sim.script.modules.machine import Machine, SpiPlace, VirtualModule

PLACES = {0: (0, 1), 1: (0, 1, 2)}
"""The chip selects of each SPI bus of a Raspberry Pi."""


def modules(machine: Machine) -> dict[str, VirtualModule]:
    """Return ``spidev`` for a program on *machine*."""
    places = machine.board.spi_devices

    class ProgramSpiDev(SpiDev):
        """``spidev.SpiDev``. A place without a chip answers with zeros."""

        def __init__(self, bus: int | None = None, device: int | None = None) -> None:
            super().__init__(here=machine.here)
            if bus is not None and device is not None:
                self.open(bus, device)

        def open(self, bus: int, device: int) -> None:
            """Open the place *device* on *bus*. Raises ``FileNotFoundError`` if a Raspberry Pi lacks it."""
            machine.here()
            if device not in PLACES.get(bus, ()):
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), f"/dev/spidev{bus}.{device}")
            machine.opened(SpiPlace(bus, device))
            self._place = places.setdefault((bus, device), VirtualSpiDevice())

        def open_path(self, path: str) -> None:
            """Open the place with this *path*, such as ``/dev/spidev0.0``."""
            bus, device = path.removeprefix("/dev/spidev").split(".")
            self.open(int(bus), int(device))

        xfer = xfer3 = SpiDev.xfer2

        def writebytes(self, values: Iterable[int], /) -> None:
            """Send *values*, and ignore what arrives meanwhile."""
            self.xfer2(values)

    ProgramSpiDev.__name__ = "SpiDev"
    return {"spidev": VirtualModule("spidev", {"SpiDev": ProgramSpiDev}, "use spidev.SpiDev")}
