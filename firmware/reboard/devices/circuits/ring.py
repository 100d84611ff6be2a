"""The circuit of an LED ring: its LEDs, and the buffer before them if there is one.

``ring.levels``: an LED ring without a buffer, which needs more than 3.3 V for high. Source: WS2812B.
"""

from __future__ import annotations

from reboard.devices.circuits.device_circuit import Device
from reboard.devices.circuits.matrix import LedCircuit
from reboard.devices.spi_bus import BufferWiring
from reboard.finding import Finding, note
from reboard.netlist.netlist_builder import Fact

LED_MA = 60
"""The current of a white LED at full brightness, in mA: 20 for each colour (data sheet of the WS2812B)."""


class RingCircuit(LedCircuit):
    """The circuit of a chain of WS2812 LEDs."""

    def facts(self, device: Device, wiring: BufferWiring) -> dict[str, Fact]:
        leds, brightness = (device.config.leds, device.config.brightness) if device.config else (12, 0.2)
        return super().facts(device, wiring) | {"takes_ma": leds * LED_MA * brightness}

    def too_low(self, title: str) -> Finding:
        return note(
            "ring.levels",
            f"The {title} gets a signal of 3.3 V. A WS2812 needs 3.5 V (data sheet), although many work.",
            "If colours flicker, add a buffer such as a 74AHCT125.",
        )


CIRCUIT = RingCircuit("ring", "DIN")
