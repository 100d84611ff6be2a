"""A family that plays at a virtual table, with the acts of a play, until it is cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import Any

from reboard.accessories.banker_unit.player_names import LONGEST_ON_DISPLAY
from reboard.editions.edition import Edition
from reboard.errors import RequestError
from reboard_sim.accessories.banker_unit.acts import hold_key, insert, key, remove, type_amount
from reboard_sim.accessories.question_block.acts import press
from reboard_sim.accessories.worm_apple.acts import pull, release
from reboard_sim.devices.readers.virtual_reader import DECK
from reboard_sim.virtual_pi import VirtualPi
from reboard_sim.virtual_table import VirtualTable

NAMES = (
    "Anna", "Ben", "Clara", "Dad", "Mum", "Emil", "Finn", "Greta", "Hanna", "Ida", "Jonas", "Lea", "Mats", "Nora",
    "Oskar", "Paula", "Quinn", "Rosa", "Simon", "Tilda", "Ulla", "Vera", "Willi", "Yara", "Zoe", "Anton", "Bella",
    "Carl", "Dora", "Elsa", "Felix", "Gero", "Ivan", "Karla", "Luis",
)  # fmt: skip
"""Names whose first three letters differ."""
MOST_PLAYERS = 5
THINKS_S = (3.0, 18.0)
"""The shortest and the longest time between two acts of a family. A table then has about 300 transfers an hour."""
TURNS = (40, 90)
"""The fewest and the most turns of a game."""
GAVEL_S = 51.0
SHOWN_S = 8.0
"""The time for which a family looks at a ranking, in seconds."""
MOST_ESCAPES = 6
"""The number of keys that wake the unit and leave its dialogs, at most."""
PRICES = (0.01, 0.02, 0.04, 0.06, 0.1, 0.15)
"""The amounts that change hands, as shares of the starting balance."""


class Family:
    """A family of *players* at *table*, whose every choice *chance* makes. It is also the `User` of its acts."""

    has_copies = False

    def __init__(self, table: VirtualTable, players: int, chance: Random) -> None:
        self._table = table
        self._cards = DECK[:players]
        self._chance = chance

    async def play(self) -> None:
        """Play one game after the other until cancelled."""
        await self._think()
        while True:
            await self._game()
            await self._count()
            await self._new_game()

    # The acts of a `User`.

    @property
    def pi(self) -> VirtualPi:
        return self._table.pi

    def hold(self, device: str, *what: str, line: str, release: str) -> None:
        self.pi[device].acts()["press"](*what)

    def release(self, device: str, *what: str, line: str) -> None:
        self.pi[device].acts()["release"](*what)

    def did(self, line: str) -> None:
        pass  # the acts of a family are not recorded

    def snapshot(self) -> dict[str, Any]:
        return self._table.snapshot()

    async def request(self, do: str, **args: object) -> object:
        raise RequestError("a family makes no requests")

    async def let_pass(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    # The game.

    async def _game(self) -> None:
        for card in self._cards:
            await insert(self, "left", card)
            await remove(self, "left")
        for _ in range(self._chance.randint(*TURNS)):
            for card in self._cards:
                await self._think()
                await self._turn(card)

    async def _turn(self, card: str) -> None:
        turns: dict[Callable[[], Any], int] = {
            partial(self._pass_go, card): 25,
            partial(self._pay, card): 35,
            partial(self._pay_rent, card): 20,
            partial(self._receive, card): 8,
            partial(self._press, card): 40 if "block" in self._table.config.sections else 0,
            partial(self._auction, card): 2,
            self._wind_up: 2 if "apple" in self._table.config.sections else 0,
        }
        [turn] = self._chance.choices(list(turns), list(turns.values()))
        await turn()

    async def _pass_go(self, card: str) -> None:
        await insert(self, "left", card)
        await key(self, "GO")
        await remove(self, "left")

    async def _pay(self, card: str) -> None:
        await insert(self, "right", card)
        await self._enter()
        if self._chance.random() < 0.05:  # a mistake, or the end of what the bank did not like
            await key(self, "C")
            if self.snapshot()["dialog"]:
                await key(self, "GO")
        await remove(self, "right")

    async def _receive(self, card: str) -> None:
        await insert(self, "left", card)
        await self._enter()
        await remove(self, "left")

    async def _pay_rent(self, card: str) -> None:
        owner = self._chance.choice([other for other in self._cards if other != card])
        await insert(self, "right", card)
        await insert(self, "left", owner)
        await self._enter()
        await remove(self, "right")
        await remove(self, "left")

    async def _press(self, card: str) -> None:
        """Press the block, with the card in a slot: if the block is linked, the bank books what it says."""
        await insert(self, "left", card)
        await press(self)
        await self.let_pass(4)
        await remove(self, "left")

    async def _auction(self, card: str) -> None:
        await key(self, "DEAL")
        await self.let_pass(GAVEL_S)
        await self._pay(card)

    async def _wind_up(self) -> None:
        await pull(self)
        await self.let_pass(1)
        await release(self)

    async def _count(self) -> None:
        """End the game with a final count of each player's property."""
        await hold_key(self, "GO", 1.7)
        await key(self, "1")
        await key(self, "GO")
        for card in self._cards:
            await insert(self, "left", card)
            await self._enter(share=self._chance.uniform(0.2, 1.5))
            await remove(self, "left")
            await self.let_pass(2)
        await key(self, "1")
        await key(self, "GO")

    async def _new_game(self) -> None:
        await self.let_pass(SHOWN_S)
        for _ in range(MOST_ESCAPES):
            if self.snapshot()["dialog"] or self.snapshot()["asleep"]:
                await key(self, "GO" if self.snapshot()["dialog"] == "offer" else "C")
        await hold_key(self, "C", 3.3)

    async def _enter(self, share: float | None = None) -> None:
        """Type an amount, by default one of the `PRICES`, and enter it."""
        text = amount(self._edition, share or self._chance.choice(PRICES) * self._chance.uniform(0.6, 1.4))
        await type_amount(self, text)

    @property
    def _edition(self) -> Edition:
        assert self._table.table
        return self._table.table.edition

    async def _think(self) -> None:
        await self.let_pass(self._chance.uniform(*THINKS_S))


def family_names(table: int, seed: int) -> Sequence[str]:
    """Return the names of the family at a table, counted from 1. No two families share a name.

    When all `NAMES` are taken, the table's number follows the name.
    """
    end = table * MOST_PLAYERS
    if end <= len(NAMES):
        return Random(seed).sample(NAMES, len(NAMES))[end - MOST_PLAYERS : end]
    names = Random(f"{seed} {table}").sample(NAMES, MOST_PLAYERS)
    return [f"{name[: LONGEST_ON_DISPLAY - 1 - len(str(table))]} {table}" for name in names]


def amount(edition: Edition, share: float) -> str:
    """Return the keys for about *share* of the starting balance, with two digits that count."""
    exact = edition.start * share
    step = max(10 ** (len(str(int(exact))) - 2), edition.money.smallest, 1)
    return edition.money.shown(max(int(exact // step * step), int(step))) + ("" if edition.money.units else "M")
