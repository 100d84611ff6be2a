"""A virtual LED ring: a chain of WS2812, which reads the signal on the data line of the SPI bus."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from reboard.devices.device import FittedDevice
from reboard.devices.ring import RING, RING_SETTING, RingConfig
from reboard_sim.devices import spi_chip
from reboard_sim.devices.device import VirtualBoard

FAULTS = spi_chip.FAULTS
SETTINGS = RING, RING_SETTING


class VirtualRing(spi_chip.VirtualSpiChip[RingConfig]):
    """A chain of WS2812. Its state has the colours as the firmware dims them, scaled to full brightness."""

    event = "ring"

    def state(self) -> object:
        return {"colours": self.colours}

    def shows(self) -> Collection[str]:
        """Return ``on`` or ``off``, and how many LEDs have each colour, such as ``3 × #ff0000``."""
        lit = Counter(colour for colour in self.colours if colour != "#000000")
        return ["on" if lit else "off", *(f"{count} × {colour}" for colour, count in lit.items())]

    def reset(self) -> None:
        self.colours = ["#000000"] * self.config.leds

    def receive(self, values: bytes) -> None:
        """Read the bits: a pulse is 1 if it is high for at least half of the time until the next one."""
        signal = "".join(f"{byte:08b}" for byte in values)
        pulses = [(len(high), len(high) + len(low)) for high, low in re.findall("(1+)(0*)", signal)]
        period = min((length for _, length in pulses[:-1]), default=0)
        bits = "".join("1" if 2 * high >= period else "0" for high, _ in pulses)
        parts = [int(bits[place : place + 8], 2) for place in range(0, len(bits) - 7, 8)]
        for led, place in zip(range(self.config.leds), range(0, len(parts) - 2, 3), strict=False):
            g, r, b = (min(255, round(part / self.config.brightness)) for part in parts[place : place + 3])
            self.colours[led] = f"#{r:02x}{g:02x}{b:02x}"

    def show(self, event: Mapping[str, Any]) -> None:
        self.colours = event["colours"]


def wired(device: FittedDevice[RingConfig, Any], board: VirtualBoard) -> VirtualRing:
    """Return a ring on the SPI bus in the config of *device*."""
    assert device.config is not None
    return VirtualRing(device.config, board)
