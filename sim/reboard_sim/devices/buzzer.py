"""A virtual buzzer, which sounds while its line has pulses."""

from __future__ import annotations

from typing import Any

from reboard.devices.device import FittedDevice
from reboard_sim.devices.device import VirtualBoard
from reboard_sim.devices.lamp import VirtualLamp


def wired(device: FittedDevice[int, Any], board: VirtualBoard) -> VirtualLamp:
    """Return a buzzer on the pin of *device*. Its tone is only in the event ``buzzer``."""
    assert device.config is not None
    return VirtualLamp(board.pins.line(device.config))
