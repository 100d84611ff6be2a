"""`Receiver`, which sorts the messages of all tables, knows what is missing, and asks the tables for it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from reboard.hall.games import GameKey
from reboard.hall.store import Batch, LastState, Store
from reboard.hall.table_state import NO_STATE, ranking_of, table_state
from reboard.mqtt.topics import (
    OFFLINE,
    ONLINE,
    Have,
    Head,
    MessageError,
    OfLedger,
    TopicLevel,
    TransferMessage,
    decoded,
    parse_topic,
    topic,
)

log = logging.getLogger(__name__)

LEVELS = (TopicLevel.AVAILABILITY, TopicLevel.STATE, TopicLevel.TRANSFER, TopicLevel.HEAD, TopicLevel.EVENT)
"""The levels of the topics that a receiver reads."""

MOST_TABLES = 10_000
MOST_LEDGERS = 100
"""The maximum number of a table's ledgers. A table gets a new one with a new memory card."""

SILENT_S = 15.0
"""The time without a message after which a table counts as stale, in seconds. Its head comes every 5 s."""
GRACE_S = 1.0
"""The time that missing rows have to arrive before the table is asked for them, in seconds."""
ASK_AGAIN_S = 3.0
LONGEST_ASK_S = 30.0
RECEIPT_S = 10.0
"""The shortest time between two receipts to a table, in seconds."""
COMPLAIN_S = 60.0
"""The shortest time between two log lines about messages that are left out, in seconds."""


@dataclass
class WatchedTable:
    """What the hall knows of a table. *seen_at* is in seconds since 1970, the other times are of the receiver's clock.

    *upto* is up to where the store has every row of *ledger*, and *most* is the newest row that is known to exist. It
    is shown and stored once it has sent a state or a row (*is_known*): a name is soon made up.
    """

    name: str
    is_known: bool = False
    ledger: str | None = None
    state: Mapping[str, Any] = field(default_factory=lambda: NO_STATE)
    is_online: bool = False
    is_stale: bool = True
    seen_at: float | None = None
    heard_at: float | None = None
    upto: int = 0
    most: int = 0
    receipt: int = 0
    receipt_at: float = 0.0
    ask_at: float | None = None
    ask_pause_s: float = ASK_AGAIN_S

    def as_json(self) -> dict[str, object]:
        if not self.is_known:
            return {"name": self.name, "gone": True}
        return {"name": self.name, "stale": self.is_stale, "seen_at": self.seen_at, **self.state}


class Receiver:
    """The receiver of the messages of all tables, without network and without waiting.

    For each batch of messages: `sort` them, write the result to the store, call `stored` with the answer, and then
    acknowledge the messages. `due` returns what to publish. *now* is a clock that never goes back, in seconds, and
    *wall_time* the calendar, in seconds since 1970.
    """

    def __init__(self, store: Store, *, now: Callable[[], float], wall_time: Callable[[], float]) -> None:
        self._now = now
        self._wall_time = wall_time
        self._chains = store.chains()
        self._ledgers: dict[str, set[str]] = {}
        for name, ledger in self._chains:
            self._ledgers.setdefault(name, set()).add(ledger)
        self.tables = {
            name: WatchedTable(name, is_known=True, ledger=last.ledger, state=last.state, seen_at=last.seen_at)
            for name, last in store.last_states().items()
        }
        for table in self.tables.values():
            table.upto = table.receipt = self._upto(table)
        self._unknown: dict[str, None] = {}
        self._removed = store.removed()
        self.is_full = False
        self._changed: set[str] = set()
        self._unstored: set[str] = set()
        self._names: dict[str, tuple[GameKey, Mapping[int, str]]] = {}
        self._ended: dict[str, tuple[GameKey, Mapping[int, int]]] = {}
        self._complained_at = -COMPLAIN_S

    def connected(self) -> None:
        """Ask every table for what is missing, after a new connection to the broker."""
        now = self._now()
        for table in self.tables.values():
            table.ask_at, table.ask_pause_s = now, ASK_AGAIN_S

    def sort(self, messages: Iterable[tuple[str, bytes, bool]]) -> Batch:
        """Return what must be stored of *messages*, each with its topic, its payload and whether it was retained."""
        batch = Batch()
        for name, payload, is_retained in messages:
            found = parse_topic(name)
            if found is None or found[1] not in LEVELS or found[0] in self._removed:
                continue
            table_name, level = found
            if not payload:
                # an empty state retires a table, whose games stay. It comes back with its next message.
                # Other empty messages are the doctor's, who tests the broker's rights
                if level == TopicLevel.STATE and table_name in self.tables:
                    del self.tables[table_name]
                    self._unknown.pop(table_name, None)
                    self._changed.add(table_name)
                    self.is_full = False
                    batch.retired.add(table_name)
                continue
            if (table := self._table(table_name)) is None:
                self.is_full = True
                continue
            try:
                self._take(table, level, payload, batch)
            except MessageError as error:
                self._complain(f"a message at {name} cannot be read and is left out: {error}")
                continue
            if not is_retained:
                table.heard_at, table.seen_at = self._now(), self._wall_time()
                self._unstored.add(table.name)
        return batch

    def remove(self, tables: frozenset[str]) -> None:
        """Forget *tables*, which the organiser has removed from the store, and ignore their messages from now on.

        A table that is not among them any more comes back with its next message, and sends all its rows again.
        """
        for name in tables - self._removed:
            if self.tables.pop(name, None):
                self._changed.add(name)
            for kept in (self._unknown, self._ledgers, self._names, self._ended):
                kept.pop(name, None)
            for chain in [chain for chain in self._chains if chain[0] == name]:
                del self._chains[chain]
        self._removed = tables

    def states(self) -> dict[str, LastState]:
        """Return the states of the tables that have been heard of since the last call, for the store."""
        unstored, self._unstored = self._unstored, set()
        found = (table for name in unstored if (table := self.tables.get(name)) and table.is_known)
        return {table.name: LastState(table.ledger, table.state, table.seen_at) for table in found}

    def stored(self, chains: Mapping[tuple[str, str], int]) -> None:
        """Take over the changed *chains* of the store."""
        self._chains.update({chain: upto for chain, upto in chains.items() if chain[0] not in self._removed})
        for name, ledger in chains:
            table = self.tables.get(name)
            if table and ledger == table.ledger and table.upto != self._upto(table):
                table.upto = self._upto(table)
                # if more is missing, it is on its way
                table.ask_at, table.ask_pause_s = None, ASK_AGAIN_S

    def due(self) -> list[tuple[str, bytes]]:
        """Return the messages to publish now, each with its topic: requests to send rows again, and receipts."""
        now = self._now()
        return [
            (topic(table.name, TopicLevel.HAVE), have.encoded())
            for table in self.tables.values()
            if (have := self._due(table, now))
        ]

    def _due(self, table: WatchedTable, now: float) -> Have | None:
        if table.ledger is None:
            return None
        is_behind = table.most > table.upto
        if is_behind and table.ask_at is None:
            table.ask_at = now + GRACE_S
        if table.ask_at is not None and now >= table.ask_at:
            # a table that is away is asked when it is back
            table.ask_at = now + table.ask_pause_s if is_behind else None
            table.ask_pause_s = min(2 * table.ask_pause_s, LONGEST_ASK_S)
            return Have(table.ledger, table.upto, again=True)
        if table.upto != table.receipt and now >= table.receipt_at + RECEIPT_S:
            table.receipt, table.receipt_at = table.upto, now
            return Have(table.ledger, table.upto, again=False)
        return None

    def changed(self) -> list[WatchedTable]:
        """Return the tables whose `WatchedTable.as_json` has changed since the last call."""
        now = self._now()
        for table in self.tables.values():
            # a table without a banker unit sends no head, and can be silent for long
            sends_heads = table.ledger is not None or table.state["game"] is not None
            is_heard = not sends_heads or (table.heard_at is not None and now < table.heard_at + SILENT_S)
            if table.is_known and table.is_stale == (is_heard and table.is_online):
                table.is_stale = not table.is_stale
                self._changed.add(table.name)
        changed, self._changed = self._changed, set()
        return [self.tables.get(name) or WatchedTable(name) for name in sorted(changed)]

    def _table(self, name: str) -> WatchedTable | None:
        if name not in self.tables:
            if len(self.tables) >= MOST_TABLES:
                if not self._unknown:
                    return None
                oldest = next(iter(self._unknown))
                del self._unknown[oldest], self.tables[oldest]
            self.tables[name] = WatchedTable(name)
            self._unknown[name] = None
        return self.tables[name]

    def _take(self, table: WatchedTable, kind: TopicLevel, payload: bytes, batch: Batch) -> None:
        match kind:
            case TopicLevel.AVAILABILITY:
                self._take_availability(table, payload)
            case TopicLevel.TRANSFER:
                self._take_transfer(table, TransferMessage.parse(payload), batch)
            case TopicLevel.HEAD:
                self._take_head(table, Head.parse(payload))
            case TopicLevel.STATE:
                message = decoded(payload)
                if (state := table_state(message)) != table.state:
                    table.state = state
                    self._changed.add(table.name)
                    self._unstored.add(table.name)
                if (ledger := OfLedger.of(message).ledger) and self._accepts(table, ledger):
                    self._file_state(table, ledger, batch)
            case TopicLevel.EVENT:
                message = decoded(payload)
                ended = ranking_of(message) if message.get("event") == "game.ended" else None
                if ended and (ledger := OfLedger.of(message).ledger) and self._accepts(table, ledger):
                    self._file_ranking(table, ended, ledger, batch)
        if kind in (TopicLevel.STATE, TopicLevel.TRANSFER) and not table.is_known:
            table.is_known = True
            self._unknown.pop(table.name, None)
            self._changed.add(table.name)

    def _take_availability(self, table: WatchedTable, payload: bytes) -> None:
        if payload not in (ONLINE, OFFLINE):
            raise MessageError('it is neither "online" nor "offline"')
        table.is_online = payload == ONLINE
        if table.is_online and table.most > table.upto:
            table.ask_at, table.ask_pause_s = self._now(), ASK_AGAIN_S

    def _take_head(self, table: WatchedTable, head: Head) -> None:
        if not self._accepts(table, head.ledger, is_stored=False):
            return
        self._set_ledger(table, head.ledger)
        table.most = head.last
        if head.last < table.upto:
            self._complain(
                f"the ledger of {table.name} ends at row {head.last}, but the hall has its rows up to {table.upto}, so "
                "it leaves out new ones with these numbers. Probably an older copy of the ledger was put back: give "
                "it a new name, with the command in docs/ledger.md"
            )

    def _accepts(self, table: WatchedTable, ledger: str, *, is_stored: bool = True) -> bool:
        """Return whether a message about *ledger* is taken. If *is_stored*, the ledger counts from now on."""
        known = self._ledgers.get(table.name, set())
        if ledger in known or len(known) < MOST_LEDGERS:
            if is_stored:
                self._ledgers[table.name] = known | {ledger}
            return True
        self._complain(
            f"{table.name} has had {MOST_LEDGERS} ledgers already, so its new one is left out: give the table another "
            "name, or the hall a new file (--store)"
        )
        return False

    def _take_transfer(self, table: WatchedTable, row: TransferMessage, batch: Batch) -> None:
        if not self._accepts(table, row.ledger):
            return
        if table.ledger is None:
            self._set_ledger(table, row.ledger)
        if row.ledger == table.ledger:
            table.most = max(table.most, row.id)
        batch.transfers.append((table.name, row))

    def _file_state(self, table: WatchedTable, ledger: str, batch: Batch) -> None:
        """Add to *batch* the names and the ranking that the table's state has of its game in *ledger*."""
        state = table.state
        if state["game"] is None:
            return
        key = GameKey(table.name, ledger, state["game"])
        names = {card["number"]: card["name"] for card in state["cards"] if card["name"]}
        if self._names.get(table.name) != (key, names):
            batch.names[key] = names
            self._names[table.name] = (key, names)
        ended = state["ended"]
        if ended and ended["game"] == state["game"]:
            self._file_ranking(table, ended, ledger, batch)
        elif self._ended.get(table.name) != (key, {}):
            # a game that continues has no ranking any more
            batch.worths[key] = {}
            self._ended[table.name] = (key, {})

    def _file_ranking(self, table: WatchedTable, ended: Mapping[str, Any], ledger: str, batch: Batch) -> None:
        key = GameKey(table.name, ledger, ended["game"])
        worths = {ranked["number"]: ranked["worth"] for ranked in ended["ranking"]}
        if self._ended.get(table.name) != (key, worths):
            batch.worths[key] = worths
            self._ended[table.name] = (key, worths)

    def _set_ledger(self, table: WatchedTable, ledger: str) -> None:
        if ledger == table.ledger:
            return
        table.ledger = ledger
        table.upto = table.receipt = self._upto(table)
        table.most = 0
        table.ask_at, table.ask_pause_s = self._now(), ASK_AGAIN_S
        self._unstored.add(table.name)

    def _upto(self, table: WatchedTable) -> int:
        return self._chains.get((table.name, table.ledger or ""), 0)

    def _complain(self, sentence: str) -> None:
        if self._now() >= self._complained_at + COMPLAIN_S:
            self._complained_at = self._now()
            log.warning("%s. For the next minute, no other message that is left out is reported", sentence)
