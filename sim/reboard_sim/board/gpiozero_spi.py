"""gpiozero's hardware SPI on the virtual Pi's SPI buses."""

from __future__ import annotations

from typing import Any

from gpiozero import SPI, SharedMixin
from gpiozero.pins.local import LocalPiHardwareSPI
from gpiozero.pins.pi import spi_port_device

from reboard_sim.board.spi import VirtualSpiDevice

HZ = 500_000
"""The clock that gpiozero sets, in hertz."""


class HardwareSpi(LocalPiHardwareSPI):  # type: ignore[misc]
    """gpiozero's hardware SPI, which opens a place on a virtual bus instead of the machine's own."""

    def __init__(self, clock_pin: Any, mosi_pin: Any, miso_pin: Any, select_pin: Any, pin_factory: Any) -> None:
        self._bus = None  # what the destructor asks for
        self._port, self._device = spi_port_device(clock_pin, mosi_pin, miso_pin, select_pin)
        SPI.__init__(self, pin_factory=pin_factory)
        pin_factory.reserve_pins(self, *{clock_pin, mosi_pin, miso_pin, select_pin} - {None})
        # an empty place answers with zeros, as a bus without a chip does
        place = pin_factory.spi_devices.setdefault((self._port, self._device), VirtualSpiDevice())
        self._bus = place.open(pin_factory.here)
        self._bus.max_speed_hz = HZ


class SharedHardwareSpi(SharedMixin, HardwareSpi):  # type: ignore[misc]
    """A `HardwareSpi` that several devices share, such as the channels of an MCP3008."""

    @classmethod
    def _shared_key(cls, clock_pin: Any, mosi_pin: Any, miso_pin: Any, select_pin: Any, pin_factory: Any) -> Any:
        return clock_pin, select_pin

    def __del__(self) -> None:
        # that of gpiozero closes the device a second time, and so forgets the next one with this key
        pass
