"""The virtual hardware below the drivers: lines, ports, a bus, a disk and a sound card."""
