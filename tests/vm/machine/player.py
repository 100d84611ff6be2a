"""Hands at the machine that do what a play says, in the time that hands take."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from reboard_sim.accessories.banker_unit.acts import CARD_S, TAKE_S
from reboard_sim.accessories.worm_apple.acts import PULL_S
from reboard_sim.devices.readers.virtual_reader import DECK
from reboard_sim.plays.play_language import Line
from tests.vm.machine.table import Table


class Player:
    """Carries out the acts of a play that a person does with both hands at the table."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def perform(self, lines: Iterable[Line]) -> None:
        """Carry out each line in turn; one that hands cannot do here raises ``AttributeError``."""
        for line in lines:
            act: Callable[..., None] = getattr(self, line.form.name)
            act(**line.values)

    def insert(self, slot: str, card: str) -> None:
        """Put a card in."""
        self._table.insert(slot, DECK.index(card) + 1)
        self._table.pass_time(CARD_S)

    def remove(self, slot: str) -> None:
        """Take the card out."""
        self._table.remove(slot)
        self._table.pass_time(TAKE_S)

    def type_amount(self, amount: str) -> None:
        """Type an amount key by key."""
        self._table.type_keys(*amount)

    def key(self, key: str) -> None:
        """Tap one key."""
        self._table.type_keys(key)

    def press_block(self) -> None:
        """Press the question block."""
        self._table.press_block()

    def pull_lever(self) -> None:
        """Pull the lever all the way back, and hold it there."""
        self._table.machine.header.close_contact(self._table.apple.lever)
        self._table.pass_time(PULL_S)

    def release_lever(self) -> None:
        """Let the lever go."""
        self._table.machine.header.open_contact(self._table.apple.lever)

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self._table.pass_time(seconds)
