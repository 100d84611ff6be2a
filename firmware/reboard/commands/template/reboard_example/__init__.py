"""Example, an accessory for reboard."""
