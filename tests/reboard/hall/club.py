"""Tables at a broker without a broker: their ledgers, and the messages of their bridges."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reboard.hall.games import GameKey
from reboard.hall.receiver import Receiver
from reboard.hall.store import Store
from reboard.mqtt.topics import ONLINE, Have, Head, TopicLevel, TransferMessage, parse_topic, topic
from reboard.strict_json import encoded

Sent = tuple[str, bytes, bool]

BEGAN_AT = 1_700_000_000.0


@dataclass
class PlayedTable:
    """A table with its ledger, whose ids have holes. It answers the hall as the bridge does."""

    name: str
    ledger: str = "0123456789abcdef"
    rows: list[TransferMessage] = field(default_factory=list)

    def add(self, **fields: Any) -> Sent:
        """Add a row to the ledger, and return its message."""
        last = self.rows[-1].id if self.rows else 0
        row: dict[str, Any] = {
            "id": last + 1 + len(self.rows) % 3 // 2, "game": 1, "edition": "world", "from_": 0, "to": 1,
            "amount": 1_500_000, "reason": "received", "at": BEGAN_AT + last, "undoes": None, **fields,
        }  # fmt: skip
        self.rows.append(TransferMessage(ledger=self.ledger, prev=last, **row))
        return self.message(self.rows[-1])

    def message(self, row: TransferMessage) -> Sent:
        """Return the message of a row."""
        return topic(self.name, TopicLevel.TRANSFER), row.encoded(), False

    def head(self) -> Sent:
        """Return the message with the newest row."""
        last = self.rows[-1].id if self.rows else 0
        return topic(self.name, TopicLevel.HEAD), Head(self.ledger, last).encoded(), False

    def online(self) -> Sent:
        """Return the message that the table is there."""
        return topic(self.name, TopicLevel.AVAILABILITY), ONLINE, False

    def state(self, *, names_ledger: bool = True, **changes: Any) -> Sent:
        """Return the message with the table's state."""
        ledger = {"ledger": self.ledger} if names_ledger else {}
        return topic(self.name, TopicLevel.STATE), encoded({**STATE, **ledger, **changes}), False

    def answer(self, have: Have) -> list[Sent]:
        """Return the rows that the hall asks for."""
        if not have.again or have.ledger != self.ledger:
            return []
        return [self.message(row) for row in self.rows if row.id > have.upto]


STATE: dict[str, Any] = {
    "edition": "world",
    "title": "Monopoly Here & Now: The World Edition",
    "titles": {"en": "Monopoly Here & Now: The World Edition", "de": "Monopoly Here & Now: The World Edition"},
    "units": True,
    "game": 1,
    "ended": None,
    "clock": None,
    "cards": [
        {"number": 1, "balance": 16_500_000, "shown": "16.5M", "retired": False},
        {"number": 2, "balance": 13_500_000, "shown": "13.5M", "retired": False},
    ],
    "pot": None,
    "slots": {"left": None, "right": None},
    "deal": {"running": False},
    "faults": {},
}


class Desk:
    """A hall without a network: its store in *file*, its receiver, and its clock."""

    def __init__(self, file: Path) -> None:
        self.now = 0.0
        self._file = file
        self._open()

    def _open(self) -> None:
        self.store = Store(self._file)
        self.receiver = Receiver(self.store, now=lambda: self.now, wall_time=lambda: BEGAN_AT + self.now)

    def take(self, *messages: Sent) -> None:
        """Process messages as the hall does."""
        self.receiver.stored(self.store.write(self.receiver.sort(messages)))

    def restart(self, *unfinished: Sent, is_written: bool = False) -> None:
        """End without notice while messages are processed, before or after they are written, and start again."""
        batch = self.receiver.sort(unfinished)
        if is_written:
            self.store.write(batch)
        self.store.close()
        self._open()
        self.receiver.connected()

    def asked(self) -> list[tuple[str, Have]]:
        """Return what the hall sends to tables now."""
        sent = []
        for name, payload in self.receiver.due():
            found = parse_topic(name)
            assert found
            assert found[1] == TopicLevel.HAVE
            sent.append((found[0], Have.parse(payload)))
        return sent

    def rows(self, table: PlayedTable, game: int = 1) -> list[int]:
        """Return the ids of the stored rows of a game, oldest first."""
        with self.store.reading() as store:
            rows = store.transfers(GameKey(table.name, table.ledger, game), 2**63 - 1, 10_000)
        return [int(str(row["id"])) for row in rows][::-1]

    def settle(self, tables: list[PlayedTable]) -> None:
        """Let time pass until every table has answered. The network still loses a third of the messages."""
        network = random.Random(1)
        by_name = {table.name: table for table in tables}
        for _ in range(200):
            self.now += 1
            heads = [table.head() for table in tables if self.now % 5 == 0]
            answers = [row for name, have in self.asked() for row in by_name[name].answer(have)]
            self.take(*(message for message in [*heads, *answers] if network.random() > 0.33))

    def close(self) -> None:
        self.store.close()
