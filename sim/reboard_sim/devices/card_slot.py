"""The virtual card slot, which is a virtual card reader of the kind in the config."""

from __future__ import annotations

from typing import Any

from reboard.devices.device import FittedDevice
from reboard.devices.readers.card_slot import (
    BumpsConfig,
    Id12Config,
    KeyboardConfig,
    Pn532Config,
    Rdm6300Config,
    SlotConfig,
)
from reboard_sim.devices.contact import VirtualContact
from reboard_sim.devices.device import VirtualBoard
from reboard_sim.devices.readers.bumps import VirtualBumps
from reboard_sim.devices.readers.em4100 import VirtualId12, VirtualRdm6300
from reboard_sim.devices.readers.keyboard import VirtualKeyboard
from reboard_sim.devices.readers.pn532 import VirtualPn532
from reboard_sim.devices.readers.virtual_reader import VirtualReader

READERS: dict[type[SlotConfig], type[VirtualReader]] = {
    Rdm6300Config: VirtualRdm6300,
    Id12Config: VirtualId12,
    Pn532Config: VirtualPn532,
    KeyboardConfig: VirtualKeyboard,
    BumpsConfig: VirtualBumps,
}


def wired(device: FittedDevice[SlotConfig, Any], board: VirtualBoard) -> VirtualReader:
    """Return the virtual reader for the card slot *device*. Raises ``ValueError`` if the slot has no reader."""
    match device.config:
        case Rdm6300Config(port=port):
            return VirtualRdm6300(board.add_serial_line(port), rng=board.rng)
        case Id12Config(port=port):
            return VirtualId12(board.add_serial_line(port), rng=board.rng)
        case Pn532Config(port=port):
            return VirtualPn532(board.add_serial_line(port), rng=board.rng)
        case KeyboardConfig(device=path):
            return VirtualKeyboard(board.add_input_device(path), rng=board.rng)
        case BumpsConfig(pins=pins):
            lines = [board.pins.line(pin) for pin in pins]
            return VirtualBumps(
                [VirtualContact(line, board.pins.ground, rng=board.rng) for line in lines], rng=board.rng
            )
        case None:
            raise ValueError(f"{device.label} has no reader")
