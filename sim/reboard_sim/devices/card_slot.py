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
from reboard_sim.accessories.accessory import Form, User
from reboard_sim.devices.contact import VirtualContact
from reboard_sim.devices.device import VirtualBoard
from reboard_sim.devices.readers.bumps import VirtualBumps
from reboard_sim.devices.readers.em4100 import VirtualId12, VirtualRdm6300
from reboard_sim.devices.readers.keyboard import VirtualKeyboard
from reboard_sim.devices.readers.pn532 import VirtualPn532
from reboard_sim.devices.readers.virtual_reader import VirtualReader, card_name

READERS: dict[type[SlotConfig], type[VirtualReader]] = {
    Rdm6300Config: VirtualRdm6300,
    Id12Config: VirtualId12,
    Pn532Config: VirtualPn532,
    KeyboardConfig: VirtualKeyboard,
    BumpsConfig: VirtualBumps,
}


CARD_S = 0.3
"""The time that a user needs to insert a card, in seconds."""
TAKE_S = 0.7
"""The time that a user waits after removing a card, in seconds.

A reader that repeats a card's frame signals the removal only by going silent.
"""


async def insert(user: User, device: str, card: str) -> None:
    """Insert *card* into the slot *device*."""
    user.pi[device].acts()["insert"](card)
    user.did(f"insert {device} {card_name(card)}")
    await user.let_pass(CARD_S)


async def remove(user: User, device: str) -> None:
    """Remove the card from the slot *device*."""
    user.pi[device].acts()["remove"]()
    user.did(f"remove {device}")
    await user.let_pass(TAKE_S)


FORMS = (
    Form("insert_card", "insert DEVICE CARD", "insert a card: 1 to 8 of the deck, or `tag 62E3086CED`", insert),
    Form("remove_card", "remove DEVICE", "remove the card from a slot", remove),
)
FAULTS = {
    "reader": "Its reader is unplugged.",
    "noise": "Its reader's signal is noisy.",
    "flicker": "Its reader sometimes loses its card.",
    "garbled": "Its reader sends damaged data, in which there is no card. Not for `bumps`.",
    "shared": "Its port is also read by another program. For readers on a serial line.",
    "once": "Its reader sends a card once and does not repeat it. For `rdm6300`.",
    "stops": "Its reader stops repeating a card after two seconds. For `rdm6300`.",
}


def wired(device: FittedDevice[SlotConfig, Any], board: VirtualBoard) -> VirtualReader:
    """Return the virtual reader for the card slot *device*. Raises ``ValueError`` if the slot has no reader."""
    match device.config:
        case Rdm6300Config(port=port, sends_once=sends_once):
            return VirtualRdm6300(board.add_serial_line(port), rng=board.rng, sends_once=sends_once)
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
