"""The circuit of a display on the I²C bus, with a level shifter if there is one.

``display.unknown``: a display on another bus than 1, or without a parts file: not checked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from reboard.devices.circuits.device_circuit import CircuitDrawing, Device, DeviceCircuit, without_parts
from reboard.devices.display import DisplayWiring
from reboard.finding import Finding, note
from reboard.netlist.circuit import Circuit
from reboard.netlist.hardware_data import Model, circuit_of_kind, with_kind

if TYPE_CHECKING:
    from reboard.netlist.schematic import Pen

TERMINALS = ("VCC", "SDA", "SCL", "GND")


class DisplayCircuit(DeviceCircuit):
    """The circuit of a display on I²C bus 1. A display on another bus is not checked."""

    def file(self, device: Device) -> Mapping[str, Any]:
        return with_kind(super().file(device), "displays", device.config and device.config.driver)

    def rules(self, circuit: Circuit, device: Device, wiring: DisplayWiring, model: Model) -> Iterator[Finding]:
        if device.config is None:
            return
        if circuit_of_kind("displays", device.config.driver) is None:
            advice = (
                "Compare its supply and the pull-ups of SDA and SCL in its data sheet with the 3.3 V of the Pi's pins."
            )
            yield without_parts(device, device.config.driver, device.title, advice)
        elif device.config.bus != 1:
            yield note(
                "display.unknown",
                f"The display is on I²C bus {device.config.bus}. Its supply, pins and signal levels are not checked, "
                "because the check covers only bus 1.",
                "Run `dtoverlay -h` with the name of the overlay to list the pins of that bus, and use them for "
                "nothing else. A display with a 5 V supply also needs a level shifter on that bus.",
            )

    def drawing(self, kinds: Collection[str]) -> CircuitDrawing:
        return CircuitDrawing(_behind_level_shifter if "level-shifter" in kinds else _display, (11.0, 5.0))


def _display(pen: Pen) -> None:
    pen.module("display", (pen.LEFT, 3.9), 3.0, TERMINALS)


def _behind_level_shifter(pen: Pen) -> None:
    high, corner = ["HV", "HV1", "HV2"], (pen.LEFT, 3.9)
    far = (corner[0] + 5.2, corner[1])
    pen.module("level shifter", corner, 2.4, ["LV", "LV1", "LV2", "GND"], high)
    pen.module("display", far, 2.4, TERMINALS, is_on_header=False)
    for place, (terminal, end) in enumerate(zip(high, TERMINALS, strict=False)):
        there = pen.row(far, place)
        pen.wire([(corner[0] + 2.4, there[1]), there], ("level shifter", terminal), ("display", end))
    pen.leads_to(("display", "VCC"), (corner[0] + 3.3, pen.row(corner, 0)[1]), "up")


CIRCUIT = DisplayCircuit()
