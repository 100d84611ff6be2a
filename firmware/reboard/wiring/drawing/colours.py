"""Colours of wires. Whatever they tell is written beside them too: on paper without colour nothing is lost."""

from __future__ import annotations

from collections.abc import Mapping

from reboard.wiring.pi import GROUND, POWER_3V3, POWER_5V

INK = "#1d1d1f"
PALE = "#8a8a90"
PAPER = "#ffffff"

RAILS: Mapping[str, str] = {GROUND: "#1d1d1f", POWER_3V3: "#b45f06", POWER_5V: "#b3261e"}
ACCESSORIES: Mapping[str, str] = {"block": "#1a56b0", "apple": "#1b6e3c", "bank": "#6a2c91", "speaker": "#00666f"}
