"""The hall's store: an SQLite file with every transfer of every table, once, and the last state of each table."""

from __future__ import annotations

import errno
import fcntl
import json
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from reboard.accessories.banker_unit.accounts import NO_CARDS, Reason
from reboard.errors import ReboardError
from reboard.hall.games import GameKey, GameReader
from reboard.mqtt.topics import LARGEST_AMOUNT, TransferMessage
from reboard.sqlite_connection import Connection

APPLICATION_ID = 0x7265686C
"""The application id in the header of the SQLite file: ``rehl`` in ASCII."""
VERSION = 1

LARGEST_BALANCE = 1000 * LARGEST_AMOUNT
"""Balances are limited to this value, so that no table can make SQLite's integers overflow."""

SQLITE = b"SQLite format 3\0"
"""The first bytes of each SQLite file."""
BUSY_S = 10.0

SCHEMA = f"""
CREATE TABLE transfer (
    table_name TEXT NOT NULL,
    ledger TEXT NOT NULL,
    id INTEGER NOT NULL,
    prev INTEGER NOT NULL,
    game INTEGER NOT NULL,
    edition TEXT NOT NULL,
    "from" INTEGER NOT NULL,
    "to" INTEGER NOT NULL,
    amount INTEGER NOT NULL,
    reason TEXT NOT NULL,
    at REAL NOT NULL,
    undoes INTEGER,
    PRIMARY KEY (table_name, ledger, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX transfer_of_game ON transfer (table_name, ledger, game, id);

-- up to where all rows of a ledger are here; number: a table's ledgers in the order in which they came
CREATE TABLE chain (
    table_name TEXT NOT NULL,
    ledger TEXT NOT NULL,
    number INTEGER NOT NULL,
    upto INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (table_name, ledger)
) STRICT, WITHOUT ROWID;

-- is_played: more than starting money has moved
CREATE TABLE game (
    table_name TEXT NOT NULL,
    ledger TEXT NOT NULL,
    game INTEGER NOT NULL,
    edition TEXT NOT NULL,
    began_at REAL NOT NULL,
    is_played INTEGER NOT NULL,
    PRIMARY KEY (table_name, ledger, game)
) STRICT, WITHOUT ROWID;

CREATE INDEX game_began ON game (began_at);

-- worth: of cash and property, if the game was ended
CREATE TABLE seat (
    table_name TEXT NOT NULL,
    ledger TEXT NOT NULL,
    game INTEGER NOT NULL,
    card INTEGER NOT NULL,
    balance INTEGER NOT NULL DEFAULT 0,
    name TEXT,
    worth INTEGER,
    PRIMARY KEY (table_name, ledger, game, card)
) STRICT, WITHOUT ROWID;

-- its only row: a random name, by which the broker knows the hall
CREATE TABLE hall (client_id TEXT NOT NULL) STRICT;
INSERT INTO hall VALUES ('reboard-hall-' || lower(hex(randomblob(8))));

CREATE TABLE last_state (
    table_name TEXT PRIMARY KEY,
    ledger TEXT,
    state TEXT NOT NULL,
    seen_at REAL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER transfer_counts AFTER INSERT ON transfer
BEGIN
    INSERT INTO game VALUES (NEW.table_name, NEW.ledger, NEW.game, NEW.edition, NEW.at, NEW.reason <> '{Reason.START}')
    ON CONFLICT DO UPDATE SET
        began_at = min(began_at, excluded.began_at), is_played = max(is_played, excluded.is_played);
    INSERT INTO seat (table_name, ledger, game, card, balance)
    SELECT NEW.table_name, NEW.ledger, NEW.game, NEW."from", -NEW.amount WHERE NEW."from" NOT IN ({NO_CARDS})
    UNION ALL
    SELECT NEW.table_name, NEW.ledger, NEW.game, NEW."to", NEW.amount WHERE NEW."to" NOT IN ({NO_CARDS})
    ON CONFLICT DO UPDATE SET
        balance = max(-{LARGEST_BALANCE}, min({LARGEST_BALANCE}, balance + excluded.balance));
END;
"""

# a store of an older version has none of these; removed: the tables that the organiser has removed
ADDED = """
CREATE TABLE IF NOT EXISTS removed (table_name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS transfer_undone ON transfer (table_name, ledger, undoes) WHERE undoes IS NOT NULL;
CREATE INDEX IF NOT EXISTS transfer_of_start ON transfer (table_name, ledger, game, "to") WHERE reason = 'start';
"""

# not OR IGNORE, which the statements of the trigger would take over
INSERT_TRANSFER = "INSERT INTO transfer VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"

FULL = "the disk is full: free some space. Until then nothing is stored, and the tables keep it"
DAMAGED = "the file is damaged: stop the hall, run `mv {file} {file}.damaged`, and start it: the tables send all again"
FOREIGN = "{file} is not a store of the hall: name another file with --store"
IN_USE = "another hall uses this file: stop it, or name another file with --store"
OTHERWISE = "the file cannot be used: check the path, the disk, and that this user may write there"


class StoreError(ReboardError, OSError):
    """The error raised if the store cannot be opened, read or written. The text says why, and what to do."""


class LastState(NamedTuple):
    """The last state of a table as its JSON object, the name of its ledger, and when it was heard of."""

    ledger: str | None
    state: Mapping[str, Any]
    seen_at: float | None


@dataclass
class Batch:
    """What is stored in one transaction.

    *names* has the shared names of all cards of a game, and *worths* those of an ended game. Empty worths mean that the
    game continues. *retired* has the tables that are not shown any more.
    """

    transfers: list[tuple[str, TransferMessage]] = field(default_factory=list)
    names: dict[GameKey, Mapping[int, str]] = field(default_factory=dict)
    worths: dict[GameKey, Mapping[int, int]] = field(default_factory=dict)
    retired: set[str] = field(default_factory=set)
    states: dict[str, LastState] = field(default_factory=dict)

    def without(self, tables: Collection[str]) -> Batch:
        """Return the batch without what belongs to *tables*."""
        if not tables:
            return self
        return Batch(
            [row for row in self.transfers if row[0] not in tables],
            {key: names for key, names in self.names.items() if key.table not in tables},
            {key: worths for key, worths in self.worths.items() if key.table not in tables},
            self.retired,
            {name: state for name, state in self.states.items() if name not in tables},
        )

    def __bool__(self) -> bool:
        return bool(self.transfers or self.names or self.worths or self.retired or self.states)


class Store:
    """The store in the SQLite file at *file*, which is created if it is missing. Raises `StoreError`.

    One thread at a time may use a store. Other threads read the same file through `reading`.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        with store_errors(self.file), ExitStack() as opened:
            file.parent.mkdir(parents=True, exist_ok=True)
            # two halls with one store would have one client id, and the broker would disconnect them in turn
            lock = opened.enter_context(Path(f"{file}-lock").open("w"))
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with suppress(FileNotFoundError), file.open("rb") as content:
                if content.read(len(SQLITE)) not in (b"", SQLITE):
                    raise StoreError(FOREIGN.format(file=file))
            # used in one thread at a time, but not always in the same one
            connection = sqlite3.connect(
                file, timeout=BUSY_S, isolation_level=None, check_same_thread=False, factory=Connection
            )
            self._connection = opened.enter_context(closing(connection))
            self._prepare()
            self._inode = file.stat().st_ino
            self.client_id: str = connection.execute("SELECT client_id FROM hall").fetchone()[0]
            self._opened = opened.pop_all()

    def _prepare(self) -> None:
        """Check the file, and create the tables in a new one."""
        connection = self._connection
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        version, application = (
            connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("user_version", "application_id")
        )
        if not connection.execute("SELECT 1 FROM sqlite_schema").fetchone():
            connection.executescript(
                f"BEGIN IMMEDIATE; {SCHEMA} PRAGMA application_id = {APPLICATION_ID}; "
                f"PRAGMA user_version = {VERSION}; COMMIT;"
            )
        elif application != APPLICATION_ID:
            raise StoreError(FOREIGN.format(file=self.file))
        elif version != VERSION:
            raise StoreError(f"{self.file} was written by another version of reboard: name another file with --store")
        elif (problem := connection.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
            raise StoreError(f"{self.file}: {DAMAGED.format(file=self.file)} ({problem})")
        connection.executescript(ADDED)

    def chains(self) -> dict[tuple[str, str], int]:
        """Return up to which id the store has every row, keyed by table and ledger."""
        with store_errors(self.file):
            return {
                (table, ledger): upto
                for table, ledger, upto in self._connection.execute("SELECT table_name, ledger, upto FROM chain")
            }

    def last_states(self) -> dict[str, LastState]:
        with store_errors(self.file):
            rows = self._connection.execute("SELECT table_name, ledger, state, seen_at FROM last_state").fetchall()
        states = {}
        for table, ledger, state, seen_at in rows:
            with suppress(ValueError):
                states[table] = LastState(ledger, json.loads(state), seen_at)
        return states

    def removed(self) -> frozenset[str]:
        """Return the tables that the organiser has removed. Can be called in any thread."""
        with self.reading() as store:
            return store.removed()

    def write(self, batch: Batch) -> dict[tuple[str, str], int]:
        """Store *batch* in one transaction. Return the new value of each chain that has changed.

        After the return, the batch survives a power cut. Raises `StoreError`, and nothing is stored.
        """
        connection = self._connection
        with store_errors(self.file):
            if self.file.stat().st_ino != self._inode:
                raise FileNotFoundError(errno.ENOENT, "the file was replaced", str(self.file))
            try:
                connection.execute("BEGIN IMMEDIATE")
                changed = self._write(batch.without(GameReader(connection).removed()))
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
        return changed

    def _write(self, batch: Batch) -> dict[tuple[str, str], int]:
        connection = self._connection
        connection.executemany(
            INSERT_TRANSFER,
            (
                (table, row.ledger, row.id, row.prev, row.game, row.edition, row.from_, row.to, row.amount, row.reason,
                 row.at, row.undoes)
                for table, row in batch.transfers
            ),
        )  # fmt: skip
        for key, names in batch.names.items():
            self._set(key, "name", names)
        for key, worths in batch.worths.items():
            self._set(key, "worth", worths)
        connection.executemany("DELETE FROM last_state WHERE table_name = ?", ((name,) for name in batch.retired))
        connection.executemany(
            "INSERT OR REPLACE INTO last_state VALUES (?, ?, ?, ?)",
            ((table, last.ledger, stored(last.state), last.seen_at) for table, last in batch.states.items()),
        )
        touched = {(table, row.ledger) for table, row in batch.transfers}
        # a ledger of which only names are known counts, too, also after a restart
        touched |= {(key.table, key.ledger) for key in (*batch.names, *batch.worths)}
        return {chain: upto for chain in touched if (upto := self._advanced(chain)) is not None}

    def _set(self, key: GameKey, column: str, values: Mapping[int, object]) -> None:
        """Set *column* of each seat of a game, to ``NULL`` for a card without a value."""
        where = "WHERE table_name = ? AND ledger = ? AND game = ?"
        self._connection.execute(f"UPDATE seat SET {column} = NULL {where}", key)
        self._connection.executemany(
            f"INSERT INTO seat (table_name, ledger, game, card, {column}) VALUES (?, ?, ?, ?, ?) "
            f"ON CONFLICT DO UPDATE SET {column} = excluded.{column}",
            ((*key, card, value) for card, value in values.items()),
        )

    def _advanced(self, chain: tuple[str, str]) -> int | None:
        """Move *chain* over the rows that follow one another. Return its value if it has changed or is new."""
        added = self._connection.execute(
            "INSERT INTO chain (table_name, ledger, number) SELECT ?1, ?2, count(*) FROM chain WHERE table_name = ?1 "
            "ON CONFLICT DO NOTHING",
            chain,
        )
        found = self._connection.execute("SELECT upto FROM chain WHERE table_name = ? AND ledger = ?", chain)
        before = upto = int(found.fetchone()[0])
        rows = self._connection.execute(
            "SELECT id, prev FROM transfer WHERE table_name = ? AND ledger = ? AND id > ? ORDER BY id", (*chain, upto)
        )
        for number, prev in rows:
            if prev != upto:
                break
            upto = number
        if upto == before:
            # new also after its table was removed and brought back at once
            return upto if added.rowcount else None
        self._connection.execute("UPDATE chain SET upto = ? WHERE table_name = ? AND ledger = ?", (upto, *chain))
        return upto

    def close(self) -> None:
        self._opened.close()

    @contextmanager
    def reading(self) -> Iterator[GameReader]:
        """Open the store for reading, in any thread. Raises `StoreError`."""
        with (
            store_errors(self.file),
            closing(
                sqlite3.connect(f"{self.file.absolute().as_uri()}?mode=ro", uri=True, factory=Connection)
            ) as connection,
        ):
            yield GameReader(connection)


def stored(state: Mapping[str, Any]) -> str:
    """Return the last state of a table as the store has it."""
    return json.dumps(state, separators=(",", ":"))


@contextmanager
def store_errors(file: Path) -> Iterator[None]:
    """Turn errors of SQLite and the disk into a `StoreError` for the store *file*."""
    try:
        yield
    except StoreError:
        raise
    except (sqlite3.Error, OSError) as error:
        raise StoreError(f"{file}: {_sentence(error).format(file=file)} ({error})") from error


def _sentence(error: sqlite3.Error | OSError) -> str:
    """Return what is wrong with the store, and what to do."""
    code = getattr(error, "sqlite_errorcode", 0)
    number = error.errno if isinstance(error, OSError) else None
    if code == sqlite3.SQLITE_IOERR_SHMSIZE or code & 0xFF == sqlite3.SQLITE_FULL or number == errno.ENOSPC:
        return FULL
    if code & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return DAMAGED
    if code & 0xFF == sqlite3.SQLITE_BUSY or isinstance(error, BlockingIOError):
        return IN_USE
    return OTHERWISE
