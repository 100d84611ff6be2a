"""The circuit of an LED ring: its LEDs, and the buffer before them if there is one.

``ring.levels``: an LED ring without a buffer, which needs more than 3.3 V for high. Source: WS2812B.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import partial
from typing import TYPE_CHECKING

from reboard.devices.circuits.device_circuit import CircuitDrawing, Device, DeviceCircuit
from reboard.devices.circuits.matrix import behind_buffer, box
from reboard.devices.ring import RingWiring
from reboard.finding import Finding, note
from reboard.netlist.circuit import Circuit
from reboard.netlist.hardware_data import Model
from reboard.netlist.netlist_builder import Fact

if TYPE_CHECKING:
    from reboard.netlist.schematic import Pen

LED_MA = 60
"""The current of a white LED at full brightness, in mA: 20 for each colour (data sheet of the WS2812B)."""


class RingCircuit(DeviceCircuit):
    """The circuit of a chain of WS2812 LEDs."""

    def facts(self, device: Device, wiring: RingWiring) -> dict[str, Fact]:
        leds, brightness = (device.config.leds, device.config.brightness) if device.config else (12, 0.2)
        return super().facts(device, wiring) | {"takes_ma": leds * LED_MA * brightness}

    def rules(self, circuit: Circuit, device: Device, wiring: RingWiring, model: Model) -> Iterator[Finding]:
        if device.config is not None and not wiring.buffer:
            yield note(
                "ring.levels",
                f"The {device.title} gets a signal of 3.3 V. A WS2812 needs 3.5 V (data sheet), although many work.",
                "If colours flicker, add a buffer such as a 74AHCT125.",
            )

    def drawing(self, kinds: Collection[str]) -> CircuitDrawing:
        if "buffer" in kinds:
            return CircuitDrawing(partial(behind_buffer, name="ring", signals=["DIN"]), (11.0, 7.1))
        return CircuitDrawing(_ring, (11.0, 5.0))


def _ring(pen: Pen) -> None:
    corner = (pen.LEFT, 3.9)
    box(pen, "ring", corner, ("DIN", "VCC", "GND"))
    pen.leads_to(("ring", "DIN"), pen.row(corner, 0), "left")
    pen.leads_to(("ring", "VCC"), pen.row(corner, 1), "left")


CIRCUIT = RingCircuit()
