"""Devices: one module a kind."""
