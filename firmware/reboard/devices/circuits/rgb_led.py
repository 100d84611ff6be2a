"""The circuit of an RGB LED with a common cathode, and a resistor for each colour."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from reboard.devices.circuits.device_circuit import Device
from reboard.devices.circuits.lamp import glows_at_start, on_pin_ma
from reboard.devices.circuits.module import ModuleCircuit
from reboard.devices.lamp import LampWiring
from reboard.finding import Finding
from reboard.netlist.circuit import Circuit
from reboard.netlist.hardware_data import Model

LEDS_V = {"red": 2.0, "green": 3.0, "blue": 3.0}
"""The forward voltages of the three LEDs, in volts."""


class RgbLedCircuit(ModuleCircuit):
    """The circuit of three LEDs with a common cathode."""

    def rules(self, circuit: Circuit, device: Device, wiring: Any, model: Model) -> Iterator[Finding]:
        for pin in device.pins().values():
            yield from glows_at_start(device, pin)

    def pin_ma(self, circuit: Circuit, device: Device, wiring: Any) -> float:
        parts = circuit.of_device(device.label)
        resistors = {colour: int(parts[f"{colour} resistor"].ohm or 0) for colour in LEDS_V}
        leds = [LampWiring(led_v=volts, resistor_ohm=resistors[colour]) for colour, volts in LEDS_V.items()]
        return sum(map(on_pin_ma, leds))


CIRCUIT = RgbLedCircuit("RGB LED", "red", "green", "blue", "GND")
