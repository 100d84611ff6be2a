"""A virtual slot for the original cards: three switches that a card's bumps push one after the other."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence

from reboard.parts.slots.bumps import WEIGHTS
from reboard_sim.deck import DECK
from reboard_sim.readers.virtual_reader import NoSuchCardError
from reboard_sim.switch import Switch

SLIDE_S = 0.05
"""A usual hand pushes a card past two switches within this time of each other."""

FLICKER_EVERY_S = (0.5, 3.0)
FLICKER_S = (0.001, 0.02)
"""How often a flickering contact opens, and for how long."""


class VirtualBumps:
    """Three *switches* that count 1, 2 and 4; a `reboard_sim.readers.virtual_reader.VirtualReader`.

    The deck's cards 1 to 7 are the cards with these codes. Pulled out, its wires are off and no switch is felt.
    """

    speaks_once = False

    def __init__(self, switches: Sequence[Switch], *, rng: random.Random) -> None:
        self._loop = asyncio.get_running_loop()
        self._switches = switches
        self._rng = rng
        self._is_plugged = True
        self._flickering: asyncio.TimerHandle | None = None
        self._moves: list[asyncio.TimerHandle] = []
        self.card: str | None = None

    @staticmethod
    def says(card: str) -> str:
        """Its code, as the tag of an original card."""
        return f"bumps-{_code_of(card)}"

    def put(self, card: str) -> None:
        """Push a card in: in any order its bumps push their switches."""
        self._push(_code_of(card))
        self.card = card

    def take(self) -> None:
        """Pull the card out, if one is in."""
        self._push(0)
        self.card = None

    def noise(self, on: bool) -> None:
        """Let the contacts open and close by themselves while a bump pushes them."""
        for switch in self._switches:
            switch.chatter = on

    def flicker(self, on: bool) -> None:
        """Let a contact open for an instant, now and then."""
        if self._flickering is not None:
            self._flickering.cancel()
            self._flickering = None
        if on:
            self._flickering = self._loop.call_later(self._rng.uniform(*FLICKER_EVERY_S), self._flick)

    def plug(self) -> None:
        """Put the wires on."""
        self._is_plugged = True
        self._push(_code_of(self.card) if self.card else 0)

    def unplug(self) -> None:
        """Take the wires off: whatever the card does, no contact is closed."""
        self._is_plugged = False
        self._push(0)

    def close(self) -> None:
        """Let everything go. May be called twice."""
        self.noise(False)
        self.flicker(False)
        self.unplug()
        self.card = None

    def _push(self, code: int) -> None:
        for move in self._moves:
            move.cancel()
        self._moves = []
        for weight, switch in zip(WEIGHTS, self._switches, strict=True):
            is_pushed = bool(code & weight) and self._is_plugged
            self._later(self._rng.uniform(0, SLIDE_S), switch.close if is_pushed else switch.open)

    def _flick(self) -> None:
        closed = [switch for switch in self._switches if switch.is_closed]
        if closed:
            switch = self._rng.choice(closed)
            switch.open()
            self._later(self._rng.uniform(*FLICKER_S), switch.close)
        self.flicker(True)

    def _later(self, after_s: float, move: Callable[[], None]) -> None:
        self._moves.append(self._loop.call_later(after_s, move))


def _code_of(card: str) -> int:
    if card not in DECK[: sum(WEIGHTS)]:
        raise NoSuchCardError("an original card has a code from 1 to 7: put in one of the deck's cards 1 to 7")
    return DECK.index(card) + 1
