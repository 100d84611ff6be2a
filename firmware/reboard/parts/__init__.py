"""Drivers: one small file for each thing that is wired to the Pi. They know wires and nothing of games."""
