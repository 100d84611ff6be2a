"""The virtual card slot, which is a virtual card reader of the kind in the config."""

from __future__ import annotations

from typing import Any

from reboard.config.kinds import ByKind
from reboard.devices.device import FittedDevice
from reboard.devices.readers.card_slot import CARD_SLOT
from reboard.devices.readers.reader_kind import SLOT_KINDS, SlotConfig
from reboard_sim.devices.device import VirtualBoard, VirtualDevice
from reboard_sim.devices.readers.virtual_reader import NoVirtualReader, card_name, meanings, virtual_reader
from reboard_sim.forms import Form, User

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
    **dict(meanings()),
}

SETTINGS = CARD_SLOT, ByKind("reader", SLOT_KINDS)


def wired(device: FittedDevice[SlotConfig, Any], board: VirtualBoard) -> VirtualDevice:
    """Return the virtual reader for the card slot *device*.

    Raises ``ValueError`` if the slot has no reader.
    """
    if device.config is None:
        raise ValueError(f"{device.label} has no reader")
    if board.wiring_of(device).protected:
        for pin in () if device.files() else device.kind.pins(device.config).values():
            board.pins.line(pin).pull_outside = "up"
    reader = virtual_reader(device.config.reader)
    return reader.wired(device.config, board) if reader else NoVirtualReader(device.config.reader)
