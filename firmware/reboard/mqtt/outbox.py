"""The outbox: which transfers are on the way to the broker, which it has acknowledged, and where to continue."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reboard.aiotools import Backoff
from reboard.atomic_write import write_safely
from reboard.mqtt.broker_errors import DELIVERED, NO_SUBSCRIBER, reason
from reboard.mqtt.topics import LONGEST_TEXT, Have, Head, TransferMessage

WINDOW = 16
"""The maximum number of transfers on the way. The broker allows `MOST_IN_FLIGHT`; events and states need the rest."""
PAGE = 100
"""The number of transfers to request from the table at once."""
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0
AGAIN_S = 1.0
"""The shortest time between two returns to an earlier transfer, in seconds. A receiver may ask more often."""

RENAME = (
    "Give the ledger a new name: switch the table off, and run `sudo sqlite3 /var/lib/reboard/ledger.db "
    "\"DELETE FROM setting WHERE name = 'ledger'\"`"
)
"""What to do after an older copy of the ledger was put back."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """The last transfer of a ledger that the broker has acknowledged together with all before it."""

    ledger: str = ""
    id: int = 0

    @classmethod
    def load(cls, file: Path) -> Cursor:
        """Return the cursor in *file*. A missing or damaged file gives the beginning, and every row is sent again."""
        try:
            saved = json.loads(file.read_bytes()[:1000])
            return cls(str(saved["ledger"]), max(0, int(saved["id"])))
        except (OSError, ValueError, TypeError, LookupError, RecursionError):
            return cls()

    def save(self, file: Path) -> None:
        """Write the cursor to *file* atomically. Raises ``OSError``."""
        write_safely(file, json.dumps({"ledger": self.ledger, "id": self.id}).encode())


@dataclass(eq=False, slots=True)
class Flight:
    """A transfer on the way to the broker."""

    message: TransferMessage
    is_acknowledged: bool = False


class Outbox:
    """The transfers on the way from a table's ledger to the broker, without any input or output of its own.

    *clock* returns seconds. The owner requests the rows after `wants` from the table and passes them to `fill`,
    publishes what `next_flight` returns, and reports each reason code to `acknowledge` and each receiver's message to
    `receiver_has`. *cursor* never passes a row that the broker has not acknowledged with 0x00, and returns to where a
    receiver says that its rows end.
    """

    def __init__(self, cursor: Cursor, clock: Callable[[], float]) -> None:
        self.cursor = cursor
        self.confirmed = 0
        """The last transfer that a receiver has stored together with all before it."""
        self.problem = ""
        """Why no transfer is on the way, or ``""``."""
        self.ledger_problem = ""
        """That the table's ledger has lost transfers, and what to do, or ``""``."""
        self._clock = clock
        self._last = 0
        self._is_behind = True
        self._read: deque[TransferMessage] = deque()
        self._flights: deque[Flight] = deque()
        self._until = 0.0
        self._pauses = Backoff(FIRST_PAUSE_S, LONGEST_PAUSE_S)
        self._back_to: int | None = None
        self._may_go_back_at = 0.0

    def look_again(self) -> None:
        """Note that the table may have new transfers."""
        self._is_behind = True

    def disconnected(self) -> None:
        """Begin again after the cursor, because the connection to the broker was lost."""
        self._go_to(self.cursor.id)
        self._resume()

    @property
    def wants(self) -> int | None:
        """The transfer whose followers are wanted from the table, or ``None`` if no more are wanted now."""
        self._go_back()
        is_wanted = self._is_behind and len(self._read) < WINDOW and not self._is_paused
        return self._end if is_wanted else None

    def fill(self, after: int, answer: Mapping[str, Any]) -> None:
        """Take the table's *answer* to the request for transfers *after* a transfer. An outdated answer is ignored."""
        if answer["ledger"] != self.cursor.ledger:
            # another memory card, or a ledger from a backup: its numbers mean other transfers
            self.cursor = Cursor(answer["ledger"])
            self.confirmed = 0
            self.ledger_problem = ""
            self._back_to = None
            self._go_to(0)
            self._resume()
        self._last = answer["last"]
        if after != self._end:
            return
        if self._last < after:
            self.ledger_problem = (
                f"the ledger has fewer transfers (up to {self._last}) than were sent (up to {after}), so an older copy "
                f"was put back under its old name, and a hall ignores its new transfers. {RENAME}"
            )
            self._go_to(self._last)
            return
        previous = answer["before"]
        for row in answer["transfers"]:
            self._read.append(_message(answer, row, previous))
            previous = row["id"]
        self._is_behind = self._end < self._last

    def next_flight(self) -> Flight | None:
        """Return the next transfer to publish, or ``None`` if there is none, or enough are on the way."""
        self._go_back()
        if not self._read or len(self._flights) >= WINDOW or self._is_paused:
            return None
        flight = Flight(self._read.popleft())
        self._flights.append(flight)
        return flight

    def acknowledge(self, flight: Flight, code: int) -> None:
        """Take the broker's reason code for a published transfer.

        Any code but 0x00 means that the broker has thrown the transfer away: it is published again after a pause, with
        all after it.
        """
        if flight not in self._flights:
            return
        if code == DELIVERED:
            flight.is_acknowledged = True
            self._pauses.reset()
            self.problem = ""
            while self._flights and self._flights[0].is_acknowledged:
                self.cursor = Cursor(self.cursor.ledger, self._flights.popleft().message.id)
            return
        self._go_to(self.cursor.id)
        self._until = self._clock() + self._pauses.next()
        self.problem = (
            "no receiver listens to the transfers yet"
            if code == NO_SUBSCRIBER
            else f"the broker refuses the transfers ({reason(code)}): correct its access list"
        )

    def receiver_has(self, have: Have) -> None:
        """Take a receiver's message. With `Have.again`, continue after what it has, but at most once a second.

        A message about another ledger is ignored, and so is one about transfers that were not sent.
        """
        if have.ledger != self.cursor.ledger or have.upto > self._end:
            return
        if not have.again:
            self.confirmed = have.upto
            return
        self._back_to = have.upto if self._back_to is None else min(self._back_to, have.upto)

    @property
    def head(self) -> Head | None:
        """The head to publish, or ``None`` while transfers are being sent, which themselves show what is missing."""
        is_sending = (self._flights or self._read or self._is_behind) and not self._is_paused
        return None if is_sending or not self.cursor.ledger else Head(self.cursor.ledger, self._last)

    @property
    def due_s(self) -> float | None:
        """The seconds until the outbox can continue by itself, or ``None`` if it waits for a call."""
        times = [self._until] if self._is_paused else []
        if self._back_to is not None:
            times.append(self._may_go_back_at)
        return max(0.0, min(times) - self._clock()) if times else None

    @property
    def _is_paused(self) -> bool:
        return self._clock() < self._until

    @property
    def _sent(self) -> int:
        return self._flights[-1].message.id if self._flights else self.cursor.id

    @property
    def _end(self) -> int:
        """The last transfer that was read from the table, or else the last one sent."""
        return self._read[-1].id if self._read else self._sent

    def _go_to(self, id_: int) -> None:
        """Forget what was read and what is on the way, and continue after the transfer *id_*."""
        self._read.clear()
        self._flights.clear()
        self.cursor = Cursor(self.cursor.ledger, min(id_, self.cursor.id))
        self._is_behind = True

    def _go_back(self) -> None:
        if self._back_to is not None and self._clock() >= self._may_go_back_at:
            self._may_go_back_at = self._clock() + AGAIN_S
            back_to, self._back_to = self._back_to, None
            self._resume()
            if back_to < self._sent:
                self._go_to(back_to)

    def _resume(self) -> None:
        self._until = 0.0
        self._pauses.reset()
        self.problem = ""


def _message(answer: Mapping[str, Any], row: Mapping[str, Any], previous: int) -> TransferMessage:
    edition = str(answer["editions"][str(row["game"])])
    return TransferMessage(
        answer["ledger"],
        row["id"],
        previous,
        row["game"],
        # the name of a user's own file can be longer than a receiver takes
        "".join(letter if letter.isprintable() else "?" for letter in edition[-LONGEST_TEXT:]),
        row["from"],
        row["to"],
        row["amount"],
        row["reason"],
        max(0.0, row["at"]),
        row["undoes"],
    )
