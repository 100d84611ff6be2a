"""The rows of the ledger, and the version and the contents of its file, which migrations bring up to date.

Amounts are whole numbers: 15M is 15000000. Times are seconds since 1970. The tables and views:

``game``: a game; the current one has no ``ended_at``.
``account``: a card, the bank or the pot in one game. A card that left has ``left`` 1, or 2 if its number is free.
``transfer``: a payment. ``act`` is the first transfer of an act of several, ``press`` what a user did.
``deck``: a card's tag and its number.
``sitting``: each time that a game becomes current, with its first transfer then.
``lost``: a tag of the config that does not have its number any more.
``setting``: what the unit remembers between games.
``bankruptcy``: a transfer by which a card went bankrupt, and the one that took it back.
``leaving``: a transfer by which a card left the game, and the one that brought it back.
``stretch``: the first and the last transfer of each sitting.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cache
from typing import Any

from reboard.accessories.banker_unit.migrations import MIGRATIONS as MIGRATIONS
from reboard.record import Record

APPLICATION_ID = 0x7265626F
"""The application id in the header of a ledger's SQLite file: ``rebo`` in ASCII."""


class Game(Record):
    """A game. *ended_at* is ``None`` for the current game. Times are in seconds since 1970."""

    id: int
    edition: str
    start: int
    largest: int
    may_owe: bool
    started_at: float
    ended_at: float | None


class Move(Record):
    """An amount to move from account *from_* to account *to*, and the reason."""

    from_: int
    to: int
    amount: int
    reason: str


class Transfer(Record):
    """A transfer of *amount* from account *from_* to account *to*.

    *at* is in seconds since 1970. *undoes* is the number of the transfer that this one undoes, or ``None``. *act* is
    the number of the first transfer of an act, such as one player's payment to each other player. It is ``None`` if the
    act has no other transfer.
    """

    id: int
    game: int
    from_: int
    to: int
    amount: int
    reason: str
    at: float
    undoes: int | None
    act: int | None = None

    @property
    def move(self) -> Move:
        return Move(self.from_, self.to, self.amount, self.reason)


class Booked(Record):
    """A saved *transfer*, and whether it *is_undone*."""

    transfer: Transfer
    is_undone: bool


GAME = "SELECT id, edition, start, largest, may_owe, started_at, ended_at FROM game"
TRANSFER = 'SELECT id, game, "from", "to", amount, reason, at, undoes, act FROM transfer'
NEWEST_OF_GAME = """
SELECT id, t.game, "from", "to", amount, reason, at, undoes, act
FROM stretch AS s CROSS JOIN transfer AS t ON t.id BETWEEN s.first AND s.last
WHERE s.game = :game {} ORDER BY s.first DESC, t.id DESC
"""
"""The transfers of a game, newest first. The format field is for further conditions."""


def game_of(row: Sequence[Any]) -> Game:
    """Return the game in a row that `GAME` selected."""
    number, edition, start, largest, may_owe, started_at, ended_at = row
    return Game(number, edition, start, largest, bool(may_owe), started_at, ended_at)


def version_of(connection: sqlite3.Connection) -> int:
    """Return the version number in the file, which is 0 for an empty file."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version


def migrate(connection: sqlite3.Connection) -> None:
    """Migrate a ledger, or a backup in its place, to the newest version. Each version is one transaction."""
    version = version_of(connection)
    if is_backup(connection):
        _run(connection, _script_of(contents()[version] - backup_contents()[version], version), version)
    # otherwise DROP TABLE would look for references to each row
    connection.execute("PRAGMA foreign_keys = OFF")
    for number, migration in enumerate(MIGRATIONS[version:], version + 1):
        _run(connection, migration, number)
    connection.execute("PRAGMA foreign_keys = ON")


def begin_backup(connection: sqlite3.Connection) -> None:
    """Create the tables of a backup in an empty file."""
    version = len(MIGRATIONS)
    _run(connection, _script_of(backup_contents()[version], version), version)


def _run(connection: sqlite3.Connection, script: str, version: int) -> None:
    try:
        connection.executescript(
            f"BEGIN IMMEDIATE; {script} PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {version}; "
            "COMMIT;"
        )
    except sqlite3.Error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


Contents = frozenset[tuple[str, str, str, str]]
"""The kind, name, table and SQL text of each table, index, trigger and view."""


def contents_of(connection: sqlite3.Connection) -> Contents:
    """Return the contents of an SQLite file."""
    return frozenset(connection.execute("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema"))


def is_backup(connection: sqlite3.Connection) -> bool:
    """Return whether the file has the form of a backup of its version, see `backup_contents`."""
    return (version_of(connection), contents_of(connection)) in enumerate(backup_contents())


def contents() -> tuple[Contents, ...]:
    """Return the contents of a ledger of each version, from 0 (empty) to the newest."""
    return _contents(MIGRATIONS)[0]


def backup_contents() -> tuple[Contents, ...]:
    """Return the contents of a backup of each version.

    A backup has neither rules nor the index of the presses, so that adding rows to it writes few pages. The first
    opening in place of a ledger creates them.
    """
    return _contents(MIGRATIONS)[1]


def _script_of(wanted: Contents, version: int) -> str:
    """Return the SQL text that creates *wanted* of a *version*, in the order of the migrations."""
    with _pattern(MIGRATIONS[:version]) as pattern:
        rows = pattern.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'")
        return "".join(f"{row[3]};\n" for row in rows if row in wanted)


@cache
def _contents(migrations: tuple[str, ...]) -> tuple[tuple[Contents, ...], tuple[Contents, ...]]:
    with _pattern(()) as pattern:
        versions = [contents_of(pattern)]
        for migration in migrations:
            pattern.executescript(migration)
            versions.append(contents_of(pattern))
    backups = (frozenset(row for row in version if _is_in_backups(*row[:2])) for version in versions)
    return tuple(versions), tuple(backups)


def _is_in_backups(kind: str, name: str) -> bool:
    return kind != "trigger" and name != "transfer_of_press"


@contextmanager
def _pattern(migrations: Iterable[str]) -> Iterator[sqlite3.Connection]:
    """Yield an empty ledger in memory after *migrations*."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as pattern:
        pattern.executescript("".join(migrations))
        yield pattern
