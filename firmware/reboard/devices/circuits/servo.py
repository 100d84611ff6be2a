"""The circuit of a servo, which takes its current from 5 V."""

from reboard.devices.circuits.module import ModuleCircuit

CIRCUIT = ModuleCircuit("servo", "signal", "VCC", "GND")
