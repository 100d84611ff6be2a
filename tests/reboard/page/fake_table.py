"""A table that does what a test says, behind a real door."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reboard.door.server import TableDoor
from reboard.events import Events

SNAPSHOT: dict[str, Any] = {
    "edition": "world",
    "title": "Monopoly Here & Now: The World Edition",
    "titles": {"en": "Monopoly Here & Now: The World Edition", "de": "Monopoly Here & Now: The World Edition"},
    "game": 3,
    "units": True,
    "rules": {
        "start": "15M",
        "salary": "2M",
        "jail_fee": "500K",
        "auction": {"opening": None, "step": None},
        "mortgage_interest_percent": 10,
        "ends_at_bankruptcy": None,
        "players": {"fewest": 2, "most": 6},
        "currency": "",
        "notes": {"en": ["An auction opens with any bid."], "de": []},
        "block": None,
    },
    "display": ["+1 16.5M", "-2 13.5M"],
    "cards": [
        {"number": 1, "balance": 16_500_000, "shown": "16.5M", "name": "Anna", "retired": False},
        {"number": 2, "balance": 13_500_000, "shown": "13.5M", "name": "", "retired": False},
    ],
    "pot": None,
    "slots": {"left": 1, "right": None},
    "deal": {"running": False},
    "transfers": [
        {"id": 9, "game": 3, "from": 2, "to": 1, "amount": 1_500_000, "reason": "players", "at": 1.0, "undoes": None}
    ],
    "editions": [
        {
            "name": "world",
            "title": "Monopoly Here & Now: The World Edition",
            "titles": {"en": "Monopoly Here & Now: The World Edition", "de": "Monopoly Here & Now: The World Edition"},
        },
        {"name": "nintendo", "title": "Nintendo", "titles": {"en": "Nintendo", "de": "Nintendo"}},
        {
            "name": "nintendo/short",
            "title": "Nintendo, short game",
            "titles": {"en": "Nintendo, short game", "de": "Nintendo, kurzes Spiel"},
        },
    ],
    "ended": None,
    "clock": None,
    "block": {
        "last": {"outcome": "coins", "coins": 3},
        "quiet": False,
        "odds": {"coins": [2, 2, 2, 2, 2, 2], "laugh": 12, "power_up": 6, "game_over": 6},
        "tally": {"coins": [1, 0, 2, 0, 0, 1], "laugh": 3, "power_up": 1, "game_over": 2},
    },
    "apple": {"running": False, "wound": False, "seconds": 13.0, "started_at": None},
    "volume": 3,
    "faults": {},
}
"""All but ``t``, which moves."""


def but_its_time(snapshot: Mapping[str, object] | None) -> dict[str, object]:
    """What can be compared with `SNAPSHOT`."""
    return {key: value for key, value in (snapshot or {}).items() if key != "t"}


class FakeTable:
    """Its snapshot, what it answers and what it refuses can be changed, and its door opened and shut."""

    def __init__(self, path: Path) -> None:
        self.events = Events(asyncio.get_running_loop().time)
        self.now = dict(SNAPSHOT)
        self.looks = 0
        self.asked: list[tuple[str, dict[str, object]]] = []
        self.answer: object = None
        self.refusal: Exception | None = None
        self.past: dict[str, object] = {"game": None, "before": {}, "transfers": []}
        self.looks_back = 0
        self.door = TableDoor(self, path)

    def snapshot(self) -> dict[str, object]:
        self.looks += 1
        return {**self.now, "t": self.events.now()}

    async def history(self) -> str:
        self.looks_back += 1
        if self.refusal:
            raise self.refusal
        return json.dumps(self.past)

    async def request(self, do: str, **args: object) -> object:
        self.asked.append((do, args))
        if self.refusal:
            raise self.refusal
        return self.answer

    async def open(self) -> None:
        self.door.claim()
        await self.door.open()
