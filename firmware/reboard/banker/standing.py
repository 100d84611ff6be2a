"""What the books say of the game that is on, all at once."""

from __future__ import annotations

from dataclasses import dataclass

from reboard.banker.ended_game import EndedGame, ended_game
from reboard.banker.game_clock import kept_clock
from reboard.banker.ledger import Game, Ledger, Transfer
from reboard.banker.names import given_names

REMEMBERED = 20
"""How many of the latest transfers are told with the balances."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How a game stands in the books."""

    balances: dict[int, int]
    retired: frozenset[int]
    pot: int
    latest: list[Transfer]
    clock: int | None

    @classmethod
    def of(cls, ledger: Ledger, game: Game) -> Standing:
        """As *game* stands now."""
        pot, latest = ledger.pot(game.id) or 0, ledger.transfers(game.id, REMEMBERED)
        return cls(ledger.balances(game.id), ledger.retired(game.id), pot, latest, kept_clock(ledger, game.id))


@dataclass(frozen=True, slots=True)
class HostsWord:
    """What the host has said that is kept: the players' names, and the game that was ended last."""

    names: dict[int, str]
    ended: EndedGame | None

    @classmethod
    def of(cls, ledger: Ledger) -> HostsWord:
        """As it was said last."""
        return cls(given_names(ledger), ended_game(ledger))
