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
    corner = (pen.LEFT, 3.9)
    pen.box("display", corner, (3.0, 3.15), left=TERMINALS)
    for place, terminal in enumerate(TERMINALS[:3]):
        pen.leads_to(("display", terminal), pen.row(corner, place), "left")
    pen.ground_beside(("display", "GND"), pen.row(corner, 3))


def _behind_level_shifter(pen: Pen) -> None:
    low, high = ["LV", "LV1", "LV2"], ["HV", "HV1", "HV2"]
    corner = (pen.LEFT, 3.9)
    far = (corner[0] + 5.2, corner[1])
    pen.box("level shifter", corner, (2.4, 3.15), left=[*low, "GND"], right=high)
    pen.box("display", far, (2.4, 3.15), left=TERMINALS)
    for place, terminal in enumerate(low):
        pen.leads_to(("level shifter", terminal), pen.row(corner, place), "left")
        there = pen.row(far, place)
        pen.wire([(corner[0] + 2.4, there[1]), there], ("level shifter", high[place]), ("display", TERMINALS[place]))
    pen.leads_to(("display", "VCC"), (corner[0] + 3.3, pen.row(corner, 0)[1]), "up")
    for name, at in (("level shifter", corner), ("display", far)):
        pen.ground_beside((name, "GND"), pen.row(at, 3))


CIRCUIT = DisplayCircuit()
