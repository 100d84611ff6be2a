"""Pins of a real Pi."""
