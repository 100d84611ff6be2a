"""Backups of the ledger: SQLite copies the open file, and the last three copies are kept in the same directory."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

from reboard.accessories.banker_unit.ledger import NAME_SETTING
from reboard.accessories.banker_unit.ledger_errors import DamagedLedgerError, is_unreadable
from reboard.accessories.banker_unit.verify import damage_of
from reboard.atomic_write import replace_safely

log = logging.getLogger(__name__)

KEPT = 3

EVERY_TRANSFERS = 10

LAST_ROWS = """
SELECT (SELECT coalesce(max(id), 0) FROM game), (SELECT coalesce(max(id), 0) FROM transfer)
"""


class _State(NamedTuple):
    """The numbers of the last game and the last transfer, and the connection's count of changed rows."""

    game: int
    transfer: int
    changes: int


class Backups:
    """The backups of the ledger *path*: files ``<name>.backup-<n>``. The file with the highest number is the newest.

    *connect* opens an SQLite file. If a backup fails, such as on a full disk, the failure is logged once, and the next
    `make` tries again. *breaks_rules* is whether the ledger is in use although it breaks a money rule. Its backups may
    then break money rules, too.
    """

    def __init__(self, path: Path, connect: Callable[[Path, str], sqlite3.Connection]) -> None:
        self._path = path
        self._connect = connect
        self.breaks_rules = False
        self._saved: _State | None = None
        self._has_failed = False

    def newest_first(self) -> list[Path]:
        """Return the files of the backups, newest first."""
        return [self._file(number) for number in sorted(self._numbers(), reverse=True)]

    def begin(self) -> None:
        """Read the state of the newest backup. `are_due` compares it with the state of the ledger."""
        with suppress(OSError, sqlite3.Error):
            for newest in self.newest_first()[:1]:
                with closing(self._connect(newest, "ro")) as backup:
                    # a name, say, may have changed since: the next time without play makes a backup
                    self._saved = _state_of(backup)._replace(changes=-1)

    def newer_than(self, connection: sqlite3.Connection) -> Iterator[Path]:
        """Yield the backups with later games or transfers than the ledger on *connection*, newest first."""
        now = _state_of(connection)
        for file in self.newest_first():
            with suppress(sqlite3.DatabaseError), closing(self._connect(file, "ro")) as backup:
                saved = _state_of(backup)
                if saved.game > now.game or saved.transfer > now.transfer:
                    yield file

    def are_due(self, connection: sqlite3.Connection) -> bool:
        """Return whether a game or `EVERY_TRANSFERS` transfers were added since the last backup.

        Return ``True`` if there is no backup, and ``False`` if the ledger cannot be read.
        """
        try:
            now = _state_of(connection)
        except sqlite3.Error:
            return False
        saved = self._saved
        return saved is None or now.game != saved.game or not 0 <= now.transfer - saved.transfer < EVERY_TRANSFERS

    def make(self, connection: sqlite3.Connection) -> None:
        """Make a backup of the ledger on *connection*, if anything has changed since the last backup.

        Raises `DamagedLedgerError` if the ledger is damaged. A damaged copy never becomes a backup.
        """
        try:
            now = _state_of(connection)
            if now == self._saved:
                return
            self._make(connection)
            self._saved = now
        except (OSError, sqlite3.Error) as error:
            if not self._has_failed:
                log.warning("%s: no backup could be made: %s. Check the disk and its permissions", self._path, error)
            self._has_failed = True
        else:
            self._has_failed = False

    def _make(self, connection: sqlite3.Connection) -> None:
        new = self._path.with_name(f"{self._path.name}.backup-new")
        remove_database(new)
        try:
            with closing(self._connect(new, "rwc")) as copy:
                # the file gets its name only after it is synced
                copy.execute("PRAGMA synchronous = OFF")
                connection.backup(copy)
                if copy.execute("SELECT 1 FROM sqlite_schema WHERE name = 'setting'").fetchone():
                    copy.execute("DELETE FROM setting WHERE name = ?", (NAME_SETTING,))
                # one file, without a log
                copy.execute("PRAGMA journal_mode = DELETE").fetchone()
                if damage := self._damage(new, copy):
                    if self._damage(self._path, connection):
                        raise DamagedLedgerError(f"the ledger {self._path} is damaged: {damage}")
                    raise sqlite3.DatabaseError(damage)
            replace_safely(self._file(max(self._numbers(), default=0) + 1), new)
        except BaseException:
            remove_database(new)
            raise
        for old in self.newest_first()[KEPT:]:
            old.unlink()

    def _damage(self, path: Path, connection: sqlite3.Connection) -> str | None:
        try:
            return damage_of(path, connection, rules=not self.breaks_rules)
        except sqlite3.Error as error:
            if not is_unreadable(error):
                raise
            return str(error)

    def _file(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.backup-{number}")

    def _numbers(self) -> list[int]:
        prefix = f"{self._path.name}.backup-"
        ends = (file.name.removeprefix(prefix) for file in self._path.parent.iterdir() if file.name.startswith(prefix))
        return [int(end) for end in ends if end.isdecimal()]


def remove_database(path: Path) -> None:
    """Remove an SQLite file, and the files that SQLite keeps beside it."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _state_of(connection: sqlite3.Connection) -> _State:
    game, transfer = connection.execute(LAST_ROWS).fetchone()
    return _State(game, transfer, connection.total_changes)
