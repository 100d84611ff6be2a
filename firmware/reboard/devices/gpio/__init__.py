"""Drivers for the GPIO pins of a real Pi."""
