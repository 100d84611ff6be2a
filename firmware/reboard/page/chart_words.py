"""What stands on the charts, in the languages of the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one language."""

    balances: str
    card: str
    weekdays: tuple[str, ...]
    odds: str
    came: str
    expected: str
    outcomes: Mapping[str, str]


WORDS: Mapping[str, Words] = {
    "en": Words(
        balances="Balances over the game",
        card="card {}",
        weekdays=("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
        odds="What came of the question block ({} in all), and what the odds promise",
        came="came",
        expected="expected",
        outcomes={
            "coins 1": "1 coin",
            **{f"coins {n}": f"{n} coins" for n in range(2, 7)},
            "laugh": "laugh",
            "power_up": "power-up",
            "game_over": "game over",
        },
    ),
    "de": Words(
        balances="Guthaben im Lauf des Spiels",
        card="Karte {}",
        weekdays=("Mo", "Di", "Mi", "Do", "Fr", "Sa", "So"),
        odds="Was der Fragezeichenblock brachte ({} insgesamt), und was zu erwarten war",
        came="gekommen",
        expected="zu erwarten",
        outcomes={
            "coins 1": "1 Münze",
            **{f"coins {n}": f"{n} Münzen" for n in range(2, 7)},
            "laugh": "Lachen",
            "power_up": "Power-up",
            "game_over": "Game over",
        },
    ),
}
