"""Backups of the ledger: three SQLite files in the same directory, each brought up to date by adding rows."""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from reboard.accessories.banker_unit import schema
from reboard.accessories.banker_unit.ledger import NAME_SETTING
from reboard.accessories.banker_unit.ledger_errors import NOT_ALLOWED, DamagedLedgerError, is_damage, is_unreadable
from reboard.accessories.banker_unit.open_files import remove_database
from reboard.accessories.banker_unit.verify import balance_problem, damage_of, games_after
from reboard.atomic_write import sync

log = logging.getLogger(__name__)

KEPT = 3

EVERY_TRANSFERS = 10

MOST_ROWS = 2000
"""The maximum number of transfers that are added to a new copy at once."""

YIELD_INSTRUCTIONS = 1000
"""The number of instructions of SQLite's machine after which a backup yields: about 30 µs."""

LAST_ROWS = """
SELECT (SELECT coalesce(max(id), 0) FROM game), (SELECT coalesce(max(id), 0) FROM transfer)
"""

COLUMNS = '(game, "from", "to", amount, reason, at, undoes, press, act)'

OTHER_TRANSFERS = f"""
SELECT 1 FROM main.transfer AS mine WHERE {COLUMNS} IS NOT (
    SELECT {COLUMNS[1:-1]} FROM ledger.transfer AS its WHERE its.id = mine.id
) LIMIT 1
"""

NEW_TRANSFERS = """
INSERT INTO transfer SELECT * FROM ledger.transfer
WHERE id > (SELECT coalesce(max(id), 0) FROM transfer) AND id <= ? ORDER BY id LIMIT ?
"""

SMALL_TABLES = """
SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'transfer'
"""


class _State(NamedTuple):
    """The numbers of the last game and the last transfer, and the connection's count of changed rows."""

    game: int
    transfer: int
    changes: int


Row = tuple[Any, ...]

Tables = Mapping[str, set[Row]]
"""The rows of each table but the transfers."""


class _CancelledError(Exception):
    """The error that ends a backup of a ledger that was closed."""


class Backups:
    """The backups of the ledger *path*: files ``<name>.backup-<n>``. The file with the highest number is the newest.

    A backup has the rows of the ledger, without its rules. The file ``<name>.backup-draft`` is brought up to date and
    synced, then it gets the highest number, and the fourth backup gets its name. So three whole backups have a number
    at all times, and a backup costs two syncs, which a payment at the same moment may have to wait for. Transfers never
    change, so that only new ones are read from the ledger, and damage in old ones gets into no backup. A file that has
    no backup's form, or other transfers than the ledger, is replaced by a new copy.

    *connect* opens an SQLite file. If a backup fails, such as on a full disk, the failure is logged once, and the next
    one tries again. *breaks_rules* is whether the ledger is in use although it breaks a money rule. Its backups may
    then break money rules, too.
    """

    def __init__(self, path: Path, connect: Callable[[Path, str], sqlite3.Connection]) -> None:
        self._path = path
        self._connect = connect
        self.breaks_rules = False
        self._saved: _State | None = None
        self._has_failed = False
        self._made = 0
        self._is_cancelled = False

    def newest_first(self) -> list[Path]:
        files = (self._file(number) for number in sorted(self._numbers(), reverse=True))
        return [file for file in files if file.is_file()]

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

    def start(self, connection: sqlite3.Connection) -> Callable[[], None] | None:
        """Return a function that makes a backup of the ledger on *connection* as it is now, or later.

        The function can run on another thread. It raises `DamagedLedgerError` if the ledger is damaged. Return ``None``
        if nothing has changed since the last backup, or after an error. Without a log (WAL), make the backup at once.
        """
        with self._reporting():
            now = _state_of(connection)
            return None if now == self._saved else self._begun(connection, now, times=1)
        return None

    def renew(self, connection: sqlite3.Connection) -> Callable[[], None] | None:
        """Return a function that makes so many backups that none is older than now. For the rest, see `start`."""
        self._made = 0
        with self._reporting():
            return self._begun(connection, _state_of(connection), times=KEPT + 1)  # the draft becomes one, too
        return None

    @property
    def are_all_new(self) -> bool:
        """Whether this object has made every backup and the draft, since the last error and the last `renew`."""
        return self._made > KEPT

    def _begun(self, connection: sqlite3.Connection, now: _State, times: int) -> Callable[[], None] | None:
        ((mode,),) = connection.execute("PRAGMA journal_mode").fetchall()
        file = self._path.stat()

        def make() -> None:
            for _ in range(times):
                self._make(now, file)

        if mode == "wal":
            return make
        # without a log, a thread that reads the file would hold up the transfers
        make()
        return None

    def cancel(self) -> None:
        """End a backup that another thread makes. The other backups stay as they are."""
        self._is_cancelled = True

    def copy(self, connection: sqlite3.Connection) -> None:
        """Copy a ledger of an older version as it is, so that an older reboard can use the backup."""
        with self._reporting():
            self._clear_new()
            try:
                with closing(self._connect(self._new, "rwc")) as copy:
                    copy.execute("PRAGMA synchronous = OFF")
                    connection.backup(copy)
                    if copy.execute("SELECT 1 FROM sqlite_schema WHERE name = 'setting'").fetchone():
                        copy.execute("DELETE FROM setting WHERE name = ?", (NAME_SETTING,))
                    # one file, without a log
                    copy.execute("PRAGMA journal_mode = DELETE").fetchone()
                    self._check(self._new, copy, connection)
            except BaseException:
                remove_database(self._new)
                raise
            self._number_new()

    def _make(self, now: _State, file: os.stat_result) -> None:
        with suppress(_CancelledError), self._reporting():
            # the ledger's log cannot shrink while the connection is open
            with self._open(self._path, "ro") as ledger:
                # from the first row that is read, the connection sees one state of the file
                ledger.execute("BEGIN")
                seen = _state_of(ledger)
                if seen < now._replace(changes=seen.changes):
                    return  # another file has this name now
                checked = games_after(ledger, self._saved.transfer if self._saved else 0)
                if problem := self._problem(ledger, checked):
                    raise DamagedLedgerError(f"the ledger {self._path} is damaged: {problem}")
                self._go_on()
                tables = {table: _rows(ledger, table) for (table,) in ledger.execute(SMALL_TABLES).fetchall()}
            if not self._update(tables, seen, checked):
                self._make_new(tables, seen)
            if not os.path.samestat(file, self._path.stat()):
                remove_database(self._new)  # another file has this name now, and its rows may be in the backup
                return
            self._number_new()
            self._saved = seen._replace(changes=now.changes)
            self._has_failed = False

    def _problem(self, connection: sqlite3.Connection, games: set[int]) -> str | None:
        return None if self.breaks_rules else balance_problem(connection, games)

    def _update(self, tables: Tables, now: _State, checked: set[int]) -> bool:
        """Add what is new. Return ``False`` if a new copy has to be made and checked instead, for example because the
        file belongs to another user.

        The balances of the games *checked* are right.
        """
        if self._new.is_symlink() or not self._new.is_file():
            return False
        try:
            with self._open(self._new, "rw") as backup:
                if schema.version_of(backup) != len(schema.MIGRATIONS) or not schema.is_backup(backup):
                    return False
                self._go_on()
                self._attach(backup)
                self._go_on()
                if not self._is_part(backup):
                    return False
                backup.execute("BEGIN IMMEDIATE")
                changed = _add_rows(backup, tables)
                self._go_on()
                backup.execute(NEW_TRANSFERS, (now.transfer, -1))
                if self._problem(backup, changed - checked):
                    return False
                backup.execute("COMMIT")
        except sqlite3.Error as error:
            if not is_damage(error) and getattr(error, "sqlite_errorcode", 0) & 0xFF not in NOT_ALLOWED:
                raise
            return False
        return True

    def _make_new(self, tables: Tables, now: _State) -> None:
        self._clear_new()
        try:
            with self._open(self._new, "rwc") as backup:
                schema.begin_backup(backup)
                self._attach(backup)
                backup.execute("BEGIN IMMEDIATE")
                _add_rows(backup, tables)
                backup.execute("COMMIT")
                # some at a time: a payment that is synced meanwhile waits for their sync, too
                while _state_of(backup).transfer < now.transfer:
                    self._go_on()
                    backup.execute("BEGIN IMMEDIATE")
                    backup.execute(NEW_TRANSFERS, (now.transfer, MOST_ROWS))
                    backup.execute("COMMIT")
                    sync(self._new)
                backup.execute("DETACH ledger")
                with closing(self._connect(self._path, "ro")) as ledger:
                    self._check(self._new, backup, ledger)
        except BaseException:
            remove_database(self._new)
            raise

    def _attach(self, backup: sqlite3.Connection) -> None:
        # a row that has changed is removed and inserted
        backup.execute("PRAGMA foreign_keys = OFF")
        # a power cut may damage the file, because it has no number yet
        backup.execute("PRAGMA synchronous = OFF")
        backup.execute("PRAGMA journal_mode = MEMORY").fetchone()
        backup.execute("PRAGMA secure_delete = ON")
        backup.execute("ATTACH ? AS ledger", (f"{self._path.resolve().as_uri()}?mode=ro",))

    def _is_part(self, backup: sqlite3.Connection) -> bool:
        """Return whether the backup is intact, and its transfers are the first ones of the attached ledger.

        A file that this object has written is not read again.
        """
        if self.are_all_new:
            return True
        ((verdict,),) = backup.execute("PRAGMA main.integrity_check(1)").fetchall()
        return verdict == "ok" and not backup.execute(OTHER_TRANSFERS).fetchall()

    def _check(self, new: Path, copy: sqlite3.Connection, ledger: sqlite3.Connection) -> None:
        if damage := self._damage(new, copy):
            if self._damage(self._path, ledger):
                raise DamagedLedgerError(f"the ledger {self._path} is damaged: {damage}")
            raise sqlite3.DatabaseError(damage)

    def _damage(self, path: Path, connection: sqlite3.Connection) -> str | None:
        try:
            return damage_of(path, connection, rules=not self.breaks_rules)
        except sqlite3.Error as error:
            if not is_unreadable(error):
                raise
            return str(error)

    @contextmanager
    def _open(self, path: Path, mode: str) -> Iterator[sqlite3.Connection]:
        """Open a file. `cancel` ends its statements, with `_CancelledError`."""
        self._go_on()
        with closing(self._connect(path, mode)) as connection:
            connection.set_progress_handler(self._yield, YIELD_INSTRUCTIONS)
            try:
                yield connection
            except sqlite3.OperationalError:
                self._go_on()
                raise

    def _go_on(self) -> None:
        if self._yield():
            raise _CancelledError

    def _yield(self) -> bool:
        """Let a payment that waits for a processor go first. Return whether the backup was cancelled."""
        time.sleep(0)
        return self._is_cancelled

    @contextmanager
    def _reporting(self) -> Iterator[None]:
        """Log an error of the disk, unless the last backup failed, too. Raise `DamagedLedgerError` for damage."""
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            self._made = 0
            if isinstance(error, sqlite3.Error) and is_damage(error):
                # or only the backup is
                with closing(self._connect(self._path, "ro")) as ledger:
                    if damage := self._damage(self._path, ledger):
                        raise DamagedLedgerError(f"the ledger {self._path} is damaged: {damage}") from error
            if not self._has_failed:
                log.warning("%s: no backup could be made: %s. Check the disk and its permissions", self._path, error)
            self._has_failed = True

    @property
    def _new(self) -> Path:
        return self._path.with_name(f"{self._path.name}.backup-draft")

    @property
    def _next(self) -> Path:
        return self._file(max(self._numbers(), default=0) + 1)

    def _clear_new(self) -> None:
        """Free the name of the new backup. A directory gets a number, with which it is ignored."""
        if self._new.is_dir():
            self._new.rename(self._next)
        remove_database(self._new)

    def _number_new(self) -> None:
        """Sync the new backup, number it, and take the name from the oldest one."""
        self._go_on()
        sync(self._new)
        self._go_on()
        self._new.rename(self._next)
        for oldest in self.newest_first()[KEPT:]:
            oldest.rename(self._new)
        sync(self._path.parent)
        self._made += 1

    def _file(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.backup-{number}")

    def _numbers(self) -> list[int]:
        prefix = f"{self._path.name}.backup-"
        ends = (file.name.removeprefix(prefix) for file in self._path.parent.iterdir() if file.name.startswith(prefix))
        return [int(end) for end in ends if end.isdecimal()]


def _state_of(connection: sqlite3.Connection) -> _State:
    ((game, transfer),) = connection.execute(LAST_ROWS).fetchall()
    return _State(game, transfer, connection.total_changes)


def _rows(connection: sqlite3.Connection, table: str) -> set[Row]:
    rows = connection.execute(f'SELECT * FROM "{table}"')
    return {row for row in rows if table != "setting" or row[0] != NAME_SETTING}


def _add_rows(backup: sqlite3.Connection, tables: Tables) -> set[int]:
    """Make the rows of *tables* in *backup* the same. Return the games whose accounts have changed."""
    known = {table: _rows(backup, table) for table in tables}
    for table, rows in tables.items():
        names = backup.execute("SELECT name FROM pragma_table_info(?)", (table,)).fetchall()
        columns = ", ".join(f'"{name}"' for (name,) in names)
        values = ", ".join("?" * len(names))
        for row in known[table] - rows:
            backup.execute(f'DELETE FROM "{table}" WHERE ({columns}) IS ({values})', row)
        for row in sorted(rows - known[table], key=repr):
            backup.execute(f'INSERT INTO "{table}" VALUES ({values})', row)
    return {game for game, *_ in tables["account"] ^ known["account"]}
