"""Which virtual reader stands for which real one."""

from __future__ import annotations

from collections.abc import Iterator

from reboard.config import BankConfig, BumpsConfig, Id12Config, KeyboardConfig, Pn532Config, Rdm6300Config, SlotConfig
from reboard_sim.deck import DECK
from reboard_sim.readers.bumps import VirtualBumps
from reboard_sim.readers.id12 import VirtualId12
from reboard_sim.readers.keyboard import VirtualKeyboard
from reboard_sim.readers.pn532 import VirtualPn532
from reboard_sim.readers.rdm6300 import VirtualRdm6300
from reboard_sim.readers.virtual_reader import NoSuchCardError, VirtualReader

TWINS: dict[type[SlotConfig], type[VirtualReader]] = {
    Rdm6300Config: VirtualRdm6300,
    Id12Config: VirtualId12,
    Pn532Config: VirtualPn532,
    KeyboardConfig: VirtualKeyboard,
    BumpsConfig: VirtualBumps,
}


def tags_of_the_deck(bank: BankConfig) -> Iterator[str]:
    """The tags of cards 1, 2, … as the left slot's reader says them, or the right one's when there is no left."""
    slot = bank.left or bank.right
    if slot is None:
        return
    for card in DECK:
        try:
            yield TWINS[type(slot)].says(card)
        except NoSuchCardError:
            return
