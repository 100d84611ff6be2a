"""A virtual slot for the original cards, whose bumps close up to three contacts."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from reboard.devices.readers.kinds.bumps import WEIGHTS
from reboard_sim.devices.contact import VirtualContact
from reboard_sim.devices.device import VirtualBoard
from reboard_sim.devices.readers.virtual_reader import DECK, NoSuchCardError, VirtualReader

SLIDE_S = 0.05
"""The maximum delay of each contact after the user inserts or removes a card, in seconds."""

FLICKER_EVERY_S = (0.5, 3.0)
"""The range of the time between two flickers, in seconds."""

FLICKER_S = (0.001, 0.02)
"""The range of the time for which a flickering contact opens, in seconds."""


class VirtualBumps(VirtualReader):
    """A slot with three *contacts*, whose weights are 1, 2 and 4. While the slot is unplugged, all contacts are open.

    Cards 1 to 7 of the deck are the original cards with the codes 1 to 7.
    """

    def __init__(self, contacts: Sequence[VirtualContact], *, rng: random.Random) -> None:
        self._loop = asyncio.get_running_loop()
        self._contacts = contacts
        self._rng = rng
        self._is_plugged = True
        self._flickering: asyncio.TimerHandle | None = None
        self._moves: list[asyncio.TimerHandle] = []

    @classmethod
    def wired(cls, config: Any, board: VirtualBoard) -> Self:
        pins = board.pins
        contacts = [VirtualContact(pins.line(pin), pins.ground, rng=board.rng) for pin in config.pins]
        return cls(contacts, rng=board.rng)

    @staticmethod
    def says(card: str) -> str:
        return f"bumps-{_code_of(card)}"

    def put(self, card: str) -> None:
        self._push(_code_of(card))
        self.card = card

    def take(self) -> None:
        self._push(0)
        self.card = None

    def noise(self, on: bool) -> None:
        for contact in self._contacts:
            contact.chatter(on)

    def flicker(self, on: bool) -> None:
        if self._flickering is not None:
            self._flickering.cancel()
            self._flickering = None
        if on:
            self._flickering = self._loop.call_later(self._rng.uniform(*FLICKER_EVERY_S), self._flick)

    def plug(self) -> None:
        self._is_plugged = True
        self._push(_code_of(self.card) if self.card else 0)

    def unplug(self) -> None:
        self._is_plugged = False
        self._push(0)

    def faults(self) -> Mapping[str, Callable[[bool], None]]:
        return {**super().faults(), "bounce": self._bounce_heavily}

    def close(self) -> None:
        self.noise(False)
        self.flicker(False)
        self.unplug()
        self.card = None

    def _bounce_heavily(self, on: bool) -> None:
        for contact in self._contacts:
            contact.bounce_heavily(on)

    def _push(self, code: int) -> None:
        for move in self._moves:
            move.cancel()
        self._moves = []
        for weight, contact in zip(WEIGHTS, self._contacts, strict=True):
            is_pushed = bool(code & weight) and self._is_plugged
            self._later(self._rng.uniform(0, SLIDE_S), contact.press if is_pushed else contact.release)

    def _flick(self) -> None:
        closed = [contact for contact in self._contacts if contact.is_closed]
        if closed:
            contact = self._rng.choice(closed)
            contact.release()
            self._later(self._rng.uniform(*FLICKER_S), contact.press)
        self.flicker(True)

    def _later(self, after_s: float, move: Callable[[], None]) -> None:
        self._moves.append(self._loop.call_later(after_s, move))


def _code_of(card: str) -> int:
    if card not in DECK[: sum(WEIGHTS)]:
        raise NoSuchCardError("This slot reads only the original cards, 1 to 7 of the deck. Insert one of them.")
    return DECK.index(card) + 1


READER = VirtualBumps
