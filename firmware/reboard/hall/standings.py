"""The standings of a tournament: each player's shares of the worth at their tables, over several rounds."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from io import StringIO
from typing import NamedTuple

from reboard.accessories.banker_unit.csv_export import as_cell
from reboard.hall.games import MOST_NAMED, Seat, StoredGame
from reboard.languages import Texts

DECIMALS = 4

MOST_PLAYERS = 5_000
"""The maximum number of players in the standings."""


class Player(NamedTuple):
    """A player: the shared name or, if the table keeps its names, the *table* and the *card*."""

    name: str
    table: str = ""
    card: int = 0

    def __str__(self) -> str:
        return self.name or f"{self.table} · {self.card}"


@dataclass
class Standing:
    """A player's *place*, and the share in each round, by the round's number from 1."""

    player: Player
    place: int = 0
    shares: dict[int, Fraction] = field(default_factory=dict)

    @property
    def total(self) -> Fraction:
        return sum(self.shares.values(), Fraction())


@dataclass(frozen=True, slots=True)
class Standings:
    """The standings, best first, the number of *rounds*, and the names that had two seats in one round.

    Two people with one name would be one player here, so such names must be reported. *left_out* is the number of
    players after the first `MOST_PLAYERS`.
    """

    players: Sequence[Standing]
    rounds: int
    doubled: Sequence[str]
    left_out: int = 0

    def as_json(self) -> dict[str, object]:
        """Return the standings for the page. A share of ``None`` means that the player did not play in that round.

        A player's shares end with the last round of this player.
        """
        return {
            "rounds": self.rounds,
            "doubled": self.doubled,
            "left_out": self.left_out,
            "players": [
                {
                    "place": one.place,
                    **one.player._asdict(),
                    "total": _rounded(one.total),
                    "shares": [_rounded(one.shares.get(number)) for number in range(1, max(one.shares) + 1)],
                }
                for one in self.players
            ],
        }

    def as_csv(self, say: Texts) -> str:
        """Return the standings as CSV in a language. In one with a decimal comma, semicolons separate the cells."""
        text = StringIO()
        writer = csv.writer(text, delimiter=";" if say.amount(".") == "," else ",", lineterminator="\r\n")
        rounds = (say("round {round}", round=number) for number in self._numbers)
        writer.writerow([say("place"), say("player"), say("total"), *rounds])
        for one in self.players:
            shares = (one.total, *(one.shares.get(number) for number in self._numbers))
            cells = ("" if share is None else say.amount(f"{_rounded(share)}") for share in shares)
            writer.writerow([one.place, as_cell(str(one.player)), *cells])
        return text.getvalue()

    @property
    def _numbers(self) -> range:
        return range(1, self.rounds + 1)


def standings(games: Iterable[StoredGame]) -> Standings:
    """Return the standings after *games*. A table's games are in the order in which they were played.

    A table's n-th game is its round n. Players with equal totals share a place.
    """
    played: Counter[str] = Counter()
    seats: Counter[tuple[int, Player]] = Counter()
    players: dict[Player, Standing] = {}
    for game in games:
        played[game.key.table] += 1
        number = played[game.key.table]
        worths = {seat: max(0, seat.balance if seat.worth is None else seat.worth) for seat in game.seats}
        total = sum(worths.values())
        for seat, worth in worths.items():
            player = _player(game.key.table, seat)
            one = players.setdefault(player, Standing(player))
            share = Fraction(worth, total) if total else Fraction()
            one.shares[number] = one.shares.get(number, Fraction()) + share
            seats[number, player] += 1
    # among equals table-2 comes before table-10
    ordered = sorted(players.values(), key=lambda one: (-one.total, len(one.player.table), one.player))
    for index, one in enumerate(ordered):
        is_equal = index > 0 and ordered[index - 1].total == one.total
        one.place = ordered[index - 1].place if is_equal else index + 1
    doubled = sorted({player.name for (_, player), count in seats.items() if count > 1})
    left_out = max(0, len(ordered) - MOST_PLAYERS)
    return Standings(ordered[:MOST_PLAYERS], max(played.values(), default=0), doubled[:MOST_NAMED], left_out)


def _player(table: str, seat: Seat) -> Player:
    return Player(seat.name) if seat.name else Player("", table, seat.card)


def _rounded(share: Fraction | None) -> float | None:
    return None if share is None else round(float(share), DECIMALS)
