"""The circuit of a piezo disc behind a resistor."""

from reboard.devices.circuits.module import ModuleCircuit

CIRCUIT = ModuleCircuit("buzzer", "signal", "GND")
