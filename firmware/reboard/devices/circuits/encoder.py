"""The circuit of a rotary encoder on a board with pull-up resistors to 3.3 V."""

from reboard.devices.circuits.module import ModuleCircuit

CIRCUIT = ModuleCircuit("encoder", "A", "B", "VCC", "GND")
