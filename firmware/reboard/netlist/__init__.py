"""The netlist: parts, nets, pins of the header, electrical rules and schematics."""
