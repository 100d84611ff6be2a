"""The circuit of an RGB LED with a common cathode, and a resistor for each colour."""

from reboard.devices.circuits.module import ModuleCircuit

CIRCUIT = ModuleCircuit("RGB LED", "red", "green", "blue", "GND")
