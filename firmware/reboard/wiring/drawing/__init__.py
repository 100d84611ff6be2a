"""Drawings of a circuit: schematics of its parts beside the header's forty pins."""
