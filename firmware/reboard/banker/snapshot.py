"""What is told of the till, as JSON."""

from __future__ import annotations

from reboard.banker.ended_game import EndedGame
from reboard.banker.ranking import ranking
from reboard.banker.till import Till


def snapshot(till: Till) -> dict[str, object]:
    """The game, whether it was ended, its cards and latest transfers (newest first), and what else can be begun."""
    return {
        "game": till.game,
        "ended": till.ended and ending(till, till.ended),
        "cards": [
            {
                "number": number,
                "balance": balance,
                "shown": till.edition.money.shown(balance),
                "name": till.names.of(number),
                "retired": number in till.retired,
            }
            for number, balance in sorted(till.balances.items())
        ],
        "transfers": [transfer.as_json() for transfer in till.latest],
        "editions": [
            {"name": edition.name, "title": edition.title, "titles": edition.titles} for edition in till.editions()
        ],
    }


def ending(till: Till, ended: EndedGame) -> dict[str, object]:
    """A game that the host has ended, and who has won it: best first, equals sharing a place."""
    return {
        "game": ended.game,
        "ranking": [
            {
                "place": ranked.place,
                "number": ranked.card,
                "name": till.names.of(ranked.card),
                "worth": ranked.worth,
                "shown": till.edition.money.shown(ranked.worth),
            }
            for ranked in ranking(ended.worths)
        ],
    }
