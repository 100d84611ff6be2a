"""The virtual display, which is a virtual text display of the kind in the config."""

from __future__ import annotations

from typing import Any

from reboard.devices.device import FittedDevice
from reboard.devices.display import DISPLAY, DISPLAY_SECTION
from reboard.devices.displays.display_controller import DisplayConfig
from reboard_sim.devices.device import VirtualBoard, VirtualDevice
from reboard_sim.devices.displays.virtual_display import NoVirtualDisplay, virtual_display

FAULTS = {
    "unplugged": "Its plug is loose: it does not answer.",
    "garbled": "One spark reaches its wires: its controller reads wrong bits.",
    "reset": "Its controller loses power for a moment.",
    "blank": "Its contrast is wrong: it answers and is lit, but cannot be read.",
}

SETTINGS = DISPLAY, DISPLAY_SECTION


def wired(device: FittedDevice[DisplayConfig, Any], board: VirtualBoard) -> VirtualDevice:
    """Return a display on the I²C bus in the config of *device*."""
    config = device.config
    assert config is not None
    made = virtual_display(config.driver)
    return made(config.address, lambda: board.i2c_bus(config.bus)) if made else NoVirtualDisplay(config.driver)
