"""The electrical simulation: the netlist as SPICE text, what is measured in it, and ngspice, which simulates it."""
