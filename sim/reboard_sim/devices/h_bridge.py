"""A virtual motor behind an H-bridge, which turns it forward and backward."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from reboard.devices.device import FittedDevice
from reboard_sim.devices.device import VirtualBoard
from reboard_sim.devices.motor import VirtualMotor
from reboard_sim.devices.opened import Opening

BRIDGES: Mapping[tuple[str, ...], Callable[..., float]] = {
    ("forward", "backward"): lambda forward, backward: forward - backward,
    ("forward", "backward", "enable"): lambda forward, backward, enable: (forward - backward) * enable,
    ("phase", "enable"): lambda phase, enable: -enable if phase else enable,
}
"""The power of the motor by the duty cycles of the bridge's terminals: those of an L298N, an L293D, a DRV8835."""

TERMINALS = tuple(BRIDGES)


def widget(_: FittedDevice[Opening, Any]) -> str:
    """Return the name of the control."""
    return "motor"


def opened(opening: Opening, board: VirtualBoard) -> VirtualMotor:
    """Return a motor behind a bridge with the terminals of one of the `BRIDGES`."""
    terminals = max((names for names in BRIDGES if {*names} <= {*opening.pins}), key=len)
    return VirtualMotor(*(board.pins.line(opening.pins[name]) for name in terminals), power=BRIDGES[terminals])
