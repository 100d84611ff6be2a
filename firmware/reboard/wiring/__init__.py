"""The wiring of a config: its netlist, its drawing and its electrical checks."""
