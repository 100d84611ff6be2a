"""The circuits of LEDs on the SPI bus: their modules, and the buffer before them if there is one.

``matrix.levels``: LED modules without a buffer: a MAX7219 needs 3.5 V for high, and a Pi gives 3.3 V. Source: MAX7219.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from reboard.devices.circuits.device_circuit import CircuitDrawing, Device, DeviceCircuit
from reboard.devices.spi_bus import BufferWiring
from reboard.finding import Finding, note
from reboard.netlist.circuit import Circuit
from reboard.netlist.hardware_data import Model
from reboard.netlist.netlist_builder import Fact

if TYPE_CHECKING:
    from reboard.netlist.schematic import Pen

MODULE_MA = 330
"""The largest current of a module, with all LEDs lit at full brightness, in mA (data sheet)."""

GATES = 4
"""The number of gates of a buffer."""
BOX_WIDTH = 2.4


class LedCircuit(DeviceCircuit):
    """The circuit of the part *name* with *signals* of 5 V."""

    def __init__(self, name: str, *signals: str) -> None:
        self._name, self._signals = name, signals
        self._terminals = (*signals, "VCC", "GND")

    def rules(self, circuit: Circuit, device: Device, wiring: BufferWiring, model: Model) -> Iterator[Finding]:
        if device.config is not None and not wiring.buffer:
            yield self.too_low(device.title)

    @abstractmethod
    def too_low(self, title: str) -> Finding:
        """Return the finding on the device *title*, which gets signals of 3.3 V."""

    def drawing(self, kinds: Collection[str]) -> CircuitDrawing:
        if "buffer" in kinds:
            return CircuitDrawing(self._behind_buffer, (11.0, 7.1))
        return CircuitDrawing(self._direct, (11.0, 2.9 + 0.7 * len(self._terminals)))

    def _direct(self, pen: Pen) -> None:
        pen.module(self._name, (pen.LEFT, 1.8 + 0.7 * len(self._terminals)), BOX_WIDTH, self._terminals)

    def _behind_buffer(self, pen: Pen) -> None:
        corner = (pen.LEFT, 6.0)
        far = (corner[0] + 5.5, corner[1])
        inputs = [f"{gate + 1}A" for gate in range(GATES)]
        used = len(self._signals)
        grounded = ["OE", *inputs[used:]]
        outputs = [f"{gate + 1}Y" for gate in range(used)]
        left = [*inputs[:used], "VCC", *grounded, "GND"]
        pen.module("buffer", corner, BOX_WIDTH, left, outputs, is_on_header=False)
        pen.module(self._name, far, BOX_WIDTH, self._terminals, is_on_header=False)
        for place, (a, y, signal) in enumerate(zip(inputs, outputs, self._signals, strict=False)):
            pen.leads_to(("buffer", a), pen.row(corner, place), "left")
            there = pen.row(far, place)
            pen.wire([(corner[0] + BOX_WIDTH, there[1]), there], ("buffer", y), (self._name, signal))
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
        pen.leads_to((self._name, "VCC"), pen.row(far, used), "left")
        x, high, low = corner[0] + BOX_WIDTH + 1.1, 1.7, 0.7
        pen.leads_to(("buffer capacitor", "a"), (x, high), "up")
        pen.part("buffer capacitor", ("a", "b"), (x, high), (x, low), beside="right")
        pen.leads_to(("buffer capacitor", "b"), (x, low), "down")


class MatrixCircuit(LedCircuit):
    """The circuit of a row of MAX7219 modules."""

    def facts(self, device: Device, wiring: BufferWiring) -> dict[str, Fact]:
        modules = device.config.modules if device.config else 1
        # the data sheet's intensity is in sixteenths
        share = (device.config.brightness + 1) / 16 if device.config else 1
        return super().facts(device, wiring) | {"takes_ma": modules * MODULE_MA * share}

    def too_low(self, title: str) -> Finding:
        return note(
            "matrix.levels",
            f"The {title} gets signals of 3.3 V. A MAX7219 needs 3.5 V (data sheet), although many work.",
            "If glyphs flicker or are wrong, add a buffer such as a 74AHCT125.",
        )


CIRCUIT = MatrixCircuit("matrix", "DIN", "CS", "CLK")
