"""A virtual LED ring: a chain of WS2812, which reads the signal on the data line of the SPI bus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import Any

from reboard.devices.device import FittedDevice
from reboard.devices.ring import RingConfig
from reboard_sim.devices.device import VirtualBoard, VirtualDevice

FAULTS = {"unplugged": "Its plug is out: it is dark, and the firmware cannot notice."}


class VirtualRing(VirtualDevice):
    """A chain of WS2812. Its state has the colours as the firmware dims them, scaled to full brightness."""

    def __init__(self, config: RingConfig, board: VirtualBoard) -> None:
        self._config = config
        self._spi = board.add_spi_device(config.bus, config.chip_select, self._receive)
        self._is_unplugged = False
        self._reset()

    def power_on(self) -> None:
        self._spi.has_power = True
        self._reset()

    def power_off(self) -> None:
        self._spi.has_power = False
        self._reset()

    def faults(self) -> Mapping[str, Callable[[bool], None]]:
        return {"unplugged": self._unplug}

    def state(self) -> object:
        return {"colours": self.colours}

    def shows(self) -> Collection[str]:
        """Return ``on`` or ``off``, and how many LEDs have each colour, such as ``3 × #ff0000``."""
        lit = Counter(colour for colour in self.colours if colour != "#000000")
        return ["on" if lit else "off", *(f"{count} × {colour}" for colour, count in lit.items())]

    def follow(self, kind: str, *values: Any) -> None:
        if kind == "event" and values[0]["event"] == "ring":
            self.colours = values[0]["colours"]

    def _receive(self, signal: bytes) -> None:
        """Read the bits from the lengths of the high pulses: two bits of the bus for 1, one for 0."""
        if self._is_unplugged:
            return
        pulses = "".join(f"{byte:08b}" for byte in signal).replace("0", " ").split()
        bits = "".join("1" if len(pulse) == 2 else "0" for pulse in pulses)
        parts = [int(bits[place : place + 8], 2) for place in range(0, len(bits) - 7, 8)]
        for led, place in zip(range(self._config.leds), range(0, len(parts) - 2, 3), strict=False):
            g, r, b = (min(255, round(part / self._config.brightness)) for part in parts[place : place + 3])
            self.colours[led] = f"#{r:02x}{g:02x}{b:02x}"

    def _reset(self) -> None:
        self.colours = ["#000000"] * self._config.leds

    def _unplug(self, unplugged: bool) -> None:
        self._is_unplugged = unplugged
        self._reset()


def wired(device: FittedDevice[RingConfig, Any], board: VirtualBoard) -> VirtualRing:
    """Return a ring on the SPI bus in the config of *device*."""
    assert device.config is not None
    return VirtualRing(device.config, board)
