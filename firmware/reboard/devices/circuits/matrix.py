"""The circuit of an LED matrix: its modules, and the buffer before them if there is one.

``matrix.levels``: LED modules without a buffer: a MAX7219 needs 3.5 V for high, and a Pi gives 3.3 V. Source: MAX7219.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from reboard.devices.circuits.device_circuit import CircuitDrawing, Device, DeviceCircuit
from reboard.devices.matrix import MatrixWiring
from reboard.finding import Finding, note
from reboard.netlist.circuit import Circuit
from reboard.netlist.hardware_data import Model
from reboard.netlist.netlist_builder import Fact

if TYPE_CHECKING:
    from reboard.netlist.schematic import Pen

MODULE_MA = 330
"""The largest current of a module, with all LEDs lit at full brightness, in mA (data sheet)."""

SIGNALS = ("DIN", "CS", "CLK")
MATRIX_SIDE = (*SIGNALS, "VCC", "GND")
GATES = 4
"""The number of gates of a buffer."""
BOX_WIDTH = 2.4


class MatrixCircuit(DeviceCircuit):
    """The circuit of a row of MAX7219 modules."""

    def facts(self, device: Device, wiring: MatrixWiring) -> dict[str, Fact]:
        modules = device.config.modules if device.config else 1
        # the data sheet's intensity is in sixteenths
        share = (device.config.brightness + 1) / 16 if device.config else 1
        return super().facts(device, wiring) | {"takes_ma": modules * MODULE_MA * share}

    def rules(self, circuit: Circuit, device: Device, wiring: MatrixWiring, model: Model) -> Iterator[Finding]:
        if device.config is not None and not wiring.buffer:
            yield note(
                "matrix.levels",
                f"The {device.title} gets signals of 3.3 V. A MAX7219 needs 3.5 V (data sheet), although many work.",
                "If glyphs flicker or are wrong, add a buffer such as a 74AHCT125.",
            )

    def drawing(self, kinds: Collection[str]) -> CircuitDrawing:
        return CircuitDrawing(
            partial(behind_buffer, name="matrix", signals=SIGNALS) if "buffer" in kinds else _matrix, (11.0, 7.1)
        )


def _matrix(pen: Pen) -> None:
    corner = (pen.LEFT, 5.3)
    box(pen, "matrix", corner, MATRIX_SIDE)
    for place, terminal in enumerate(SIGNALS):
        pen.leads_to(("matrix", terminal), pen.row(corner, place), "left")
    pen.leads_to(("matrix", "VCC"), pen.row(corner, 3), "left")


def behind_buffer(pen: Pen, *, name: str, signals: Sequence[str]) -> None:
    """Draw the part *name*, the buffer before its *signals*, and the buffer's capacitor."""
    corner = (pen.LEFT, 6.0)
    far = (corner[0] + 5.5, corner[1])
    inputs = [f"{gate + 1}A" for gate in range(GATES)]
    used = len(signals)
    grounded = ["OE", *inputs[used:]]
    outputs = [f"{gate + 1}Y" for gate in range(used)]
    box(pen, "buffer", corner, [*inputs[:used], "VCC", *grounded, "GND"], outputs)
    box(pen, name, far, (*signals, "VCC", "GND"))
    for place, (a, y, signal) in enumerate(zip(inputs, outputs, signals, strict=False)):
        pen.leads_to(("buffer", a), pen.row(corner, place), "left")
        there = pen.row(far, place)
        pen.wire([(corner[0] + BOX_WIDTH, there[1]), there], ("buffer", y), (name, signal))
    pen.leads_to(("buffer", "VCC"), pen.row(corner, used), "left")
    ground = pen.row(corner, used + 1 + len(grounded))
    beside = ground[0] - 0.5
    for place, terminal in enumerate(grounded, start=used + 1):
        at = pen.row(corner, place)
        pen.wire([at, (beside, at[1])], ("buffer", terminal))
        if place > used + 1:
            pen.dot((beside, at[1]))
    top = pen.row(corner, used + 1)[1]
    pen.wire([(beside, top), (beside, ground[1])], ("buffer", "OE"), ("buffer", "GND"))
    pen.leads_to((name, "VCC"), pen.row(far, used), "left")
    x, high, low = corner[0] + BOX_WIDTH + 1.1, 1.7, 0.7
    pen.leads_to(("buffer capacitor", "a"), (x, high), "up")
    pen.part("buffer capacitor", ("a", "b"), (x, high), (x, low), beside="right")
    pen.leads_to(("buffer capacitor", "b"), (x, low), "down")


def box(
    pen: Pen,
    name: str,
    corner: tuple[float, float],
    left: Sequence[str],
    right: Sequence[str] = (),
    *,
    pitch: float = 0.7,
) -> None:
    """Draw the module *name*, whose last terminal on the left is ground."""
    pen.box(name, corner, (BOX_WIDTH, 0.35 + pitch * len(left)), left=left, right=right, pitch=pitch)
    pen.ground_beside((name, "GND"), pen.row(corner, len(left) - 1, pitch))


CIRCUIT = MatrixCircuit()
