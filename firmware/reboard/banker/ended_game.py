"""A game that is over, and what each player was worth at its end."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from reboard.banker.ledger import Ledger
from reboard.banker.names import Names
from reboard.banker.ranking import ranking
from reboard.money import Money

SETTING = "ended"
"""The ledger's setting for the game that was ended last."""

NOT_ENDED = ((SETTING, ""),)
"""The settings that are kept when a game goes on."""


@dataclass(frozen=True, slots=True)
class EndedGame:
    """Game *game*, ended after its transfer number *transfer*; *worths*: of who was in it then, deeds included."""

    game: int
    transfer: int
    worths: Mapping[int, int]

    def is_still_ended(self, game: int | None, transfer: int, players: Collection[int]) -> bool:
        """Whether nothing has happened since, when *transfer* is the last of *game*, with *players* still in it."""
        return self.game == game and self.transfer == transfer and self.worths.keys() == set(players)

    def as_json(self, names: Names, money: Money) -> dict[str, object]:
        """Return the game and its ranking: best first, equals share a place."""
        return {
            "game": self.game,
            "ranking": [
                {
                    "place": ranked.place,
                    "number": ranked.card,
                    "name": names.of(ranked.card),
                    "worth": ranked.worth,
                    "shown": money.shown(ranked.worth),
                }
                for ranked in ranking(self.worths)
            ],
        }


def keep_ended(ledger: Ledger, ended: EndedGame) -> None:
    """Keep in *ledger* that a game was ended."""
    worths = {str(card): worth for card, worth in ended.worths.items()}
    ledger.set_setting(SETTING, json.dumps({"game": ended.game, "transfer": ended.transfer, "worths": worths}))


def ended_game(ledger: Ledger) -> EndedGame | None:
    """The game that was ended last, if none went on since. What a damaged file says otherwise is nothing."""
    try:
        kept = json.loads(ledger.setting(SETTING) or "null")
        worths = {int(card): int(worth) for card, worth in kept["worths"].items()}
        return EndedGame(int(kept["game"]), int(kept["transfer"]), worths)
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError):
        return None
