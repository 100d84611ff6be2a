"""A table that does what a test says, at a real control socket."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reboard.accessories.question_block.outcomes import Odds, Outcome, by_kind
from reboard.control.signal_watch import SignalWatch
from reboard.control.socket_server import ControlSocket
from reboard.devices.signal_tap import SignalTap
from reboard.events import Events

PLAYS = {"retired": False, "left": False, "playing": True}
"""The part of a card in the snapshot that is the same for every card that plays."""

DOLLARS = {"units": False, "currency": "$"}

SNAPSHOT: dict[str, Any] = {
    "edition": "world",
    "title": "Monopoly Here & Now: The World Edition",
    "titles": {"en": "Monopoly Here & Now: The World Edition", "de": "Monopoly Here & Now: The World Edition"},
    "counts_from": None,
    "ledger": "9f86d081884c7d65",
    "game": 3,
    "units": True,
    "rules": {
        "start": "15M",
        "salary": "2M",
        "jail_fee": "500K",
        "auction": {"opening": None, "step": None},
        "mortgage_interest_percent": 10,
        "ends_at_bankruptcy": None,
        "hotel_houses": 0,
        "players": {"fewest": 2, "most": 6},
        "currency": "",
        "notes": {"en": ["An auction opens with any bid."], "de": []},
        "outcomes": {},
    },
    "display": ["+1 16.5M", "-2 13.5M"],
    "cards": [
        {"number": 1, "balance": 16_500_000, "shown": "16.5M", "name": "Anna", **PLAYS},
        {"number": 2, "balance": 13_500_000, "shown": "13.5M", "name": "", **PLAYS},
    ],
    "pot": None,
    "slots": {"left": 1, "right": None},
    "deal": {"running": False},
    "transfers": [
        {
            "id": 9,
            "game": 3,
            "from": 2,
            "to": 1,
            "amount": 1_500_000,
            "reason": "players",
            "at": 1.0,
            "undoes": None,
            "act": None,
        }
    ],
    "last_transfer": None,
    "payments": [],
    "phones": {"pay": "off", "cards": {}},
    "fitted": ["left", "right", "keypad", "display"],
    "editions": [
        {
            "name": "world",
            "title": "Monopoly Here & Now: The World Edition",
            "titles": {"en": "Monopoly Here & Now: The World Edition", "de": "Monopoly Here & Now: The World Edition"},
            "units": True,
            "currency": "",
        },
        {"name": "nintendo", "title": "Nintendo", "titles": {"en": "Nintendo", "de": "Nintendo"}, **DOLLARS},
        {
            "name": "nintendo/short",
            "title": "Nintendo, short game",
            "titles": {"en": "Nintendo, short game", "de": "Nintendo, kurzes Spiel"},
            **DOLLARS,
        },
    ],
    "ended": None,
    "clock": None,
    "block": {
        "last": {"outcome": "coins", "coins": 3},
        "quiet": False,
        "odds": by_kind(dict(Odds().weighted())),
        "tally": by_kind({Outcome("coins", 1): 1, Outcome("coins", 3): 2, Outcome("laugh"): 3, Outcome("power_up"): 1}),
    },
    "apple": {"running": False, "wound": False, "seconds": 13.0, "started_at": None},
    "die": None,
    "volume": 3,
    "faults": {},
}
"""Without ``t``, which changes."""


def without_time(snapshot: Mapping[str, object] | None) -> dict[str, object]:
    """Return what can be compared with `SNAPSHOT`."""
    return {key: value for key, value in (snapshot or {}).items() if key != "t"}


class FakeTable:
    """Tests change its snapshot, its answers and what it refuses, and open and close its socket."""

    def __init__(self, path: Path) -> None:
        self.events = Events(asyncio.get_running_loop().time)
        self.tap = SignalTap(self.events.now)
        self.now = dict(SNAPSHOT)
        self.snapshots = 0
        self.requests: list[tuple[str, dict[str, object]]] = []
        self.answer: object = None
        self.answer_s = 0.0
        self.rejection: Exception | None = None
        self.history: dict[str, object] = {"game": None, "before": {}, "transfers": []}
        self.readers: dict[str, object] = {}
        self.reads = 0
        self.socket = ControlSocket(self, path)

    def snapshot(self) -> dict[str, object]:
        self.snapshots += 1
        return {**self.now, "t": self.events.now()}

    def watch_signals(self) -> SignalWatch:
        return SignalWatch(self.tap, self.events, config={}, snapshot=self.snapshot)

    async def read(self, do: str, /, **args: object) -> object:
        if do == "readers":
            return self.readers
        self.reads += 1
        if self.rejection:
            raise self.rejection
        return self.history

    async def request(self, do: str, /, **args: object) -> object:
        self.requests.append((do, args))
        await asyncio.sleep(self.answer_s)
        if self.rejection:
            raise self.rejection
        return self.now["phones"] if do == "join" else self.answer

    async def open(self) -> None:
        self.socket.claim()
        await self.socket.open()
