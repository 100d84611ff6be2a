"""Drivers of the card readers."""
