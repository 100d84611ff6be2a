"""The ledger in a file, with a lock, migrations, checks, and recovery from a backup."""

from __future__ import annotations

import logging
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from reboard.accessories.banker_unit import schema
from reboard.accessories.banker_unit.backup import Backups
from reboard.accessories.banker_unit.ledger import Ledger
from reboard.accessories.banker_unit.ledger_errors import (
    NOT_ALLOWED,
    Cause,
    Mended,
    MovedLedgerError,
    NoLedgerError,
    cause_of,
    is_unreadable,
)
from reboard.accessories.banker_unit.log_frames import lost_commits
from reboard.accessories.banker_unit.open_files import OpenFiles, lock_of, log_of, remove_database, take_lock
from reboard.accessories.banker_unit.verify import damage_of, is_another_programs, is_newer
from reboard.atomic_write import make_directory, sync, write_safely
from reboard.board import OpenDatabase, open_database
from reboard.errors import ReboardError

log = logging.getLogger(__name__)

LEDGER_FILE = "ledger.db"
"""The name of the ledger file in the state directory."""


class LedgerFile(Ledger):
    """A ledger in a file. One process at a time can write it, and any number can read it.

    When a ledger is opened for writing, a damaged file is renamed to ``<name>.damaged-<n>``. The newest intact backup
    replaces it. If there is no intact backup, a new, empty ledger replaces the file, unless the file only breaks a
    money rule. Such a file stays in use. `mended` describes the repair.

    Raises `ReboardError` if another process has the ledger open for writing, a newer reboard wrote it, the file is not
    a ledger, or the disk fails. With *read_only*, a missing file or a file of an older version also raises this error.

    A transaction raises `MovedLedgerError` if a file of the open ledger was removed, replaced or truncated. `close`
    then writes the open ledger into a new file, which replaces the old one at the next opening.
    """

    def __init__(self, path: str | Path, *, read_only: bool = False, database: OpenDatabase = open_database) -> None:
        self.path = Path(path)
        self.mended: Mended | None = None
        self._backups = Backups(self.path, self._connect)
        self._database = database
        with ExitStack() as opened:
            try:
                if self.path.exists() and not self.path.is_file():
                    # SQLite would report an I/O error, as for a failing disk, or wait for ever
                    why = "this is a directory or a pipe, not a file: move it away"
                    raise NoLedgerError(f"{self.path}: the ledger cannot be opened: {why}", Cause.NO_LEDGER)
                super().__init__(self._open_to_read(opened) if read_only else self._open_to_write(opened))
            except (OSError, sqlite3.Error) as error:
                sentence, cause = cause_of(error, self.path)
                raise NoLedgerError(f"{self.path}: the ledger cannot be opened: {sentence}", cause) from error
            self._opened = opened.pop_all()

    @property
    def backup_is_due(self) -> bool:
        """Whether a backup is due, because enough was added since the last one."""
        return self._backups.are_due(self.connection)

    def start_backup(self) -> Callable[[], None] | None:
        """Return a function that makes a backup of the present state, or ``None``. See `Backups.start`."""
        # the next write reports files that were replaced
        with suppress(MovedLedgerError):
            self.files.check()
            return self._backups.start(self.connection)
        return None

    def start_renewal(self) -> Callable[[], None] | None:
        """Return a function that makes all backups again, of the present state, or ``None``. See `Backups.renew`."""
        with suppress(MovedLedgerError):
            self.files.check()
            return self._backups.renew(self.connection)
        return None

    @property
    def has_only_new_backups(self) -> bool:
        """Whether this object has made every backup, since the last error and the last call of `start_renewal`."""
        return self._backups.are_all_new

    def close(self) -> None:
        self._backups.cancel()
        files, self.files = self.files, OpenFiles()
        try:
            files.check()
        except MovedLedgerError as moved:
            self._write_again(files, moved)
        self._opened.close()

    def _open_to_read(self, opened: ExitStack) -> sqlite3.Connection:
        if not self.path.exists():
            raise ReboardError(f"{self.path}: there is no ledger yet: start the table to create it")
        connection = opened.enter_context(closing(self._connect_to_read(opened)))
        if schema.version_of(connection) < len(schema.MIGRATIONS):
            raise ReboardError(f"{self.path}: an older reboard wrote this ledger: start the table to update the ledger")
        return connection

    def _connect_to_read(self, opened: ExitStack) -> sqlite3.Connection:
        """Connect for reading, even if the user has no permission to write to the directory.

        Without that permission, SQLite cannot read its log. On a read-only disk, as Linux makes a failing memory card,
        copies are read. Otherwise raises `ReboardError` in that case if there is a log.
        """
        try:
            return self._checked(self._connect(self.path, "ro"))
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF not in NOT_ALLOWED:
                raise
        if not log_of(self.path).exists():
            return self._checked(self._connect(self.path, "ro&immutable=1"))
        if os.statvfs(self.path).f_flag & os.ST_RDONLY:
            copy = Path(opened.enter_context(TemporaryDirectory())) / self.path.name
            shutil.copyfile(self.path, copy)
            shutil.copyfile(log_of(self.path), log_of(copy))
            return self._checked(self._connect(copy, "ro"))
        raise ReboardError(
            f"{self.path}: the latest transfers are in a log that only the owner can read while the table is off; "
            "run the command as the owner (`sudo -u reboard …`), or start the table"
        )

    def _checked(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        try:
            check_owner(self.path, connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _open_to_write(self, opened: ExitStack) -> sqlite3.Connection:
        make_directory(self.path.parent)
        take_lock(self.path, opened)
        if self._finish_recovery():
            self._say_mended(f"{self.path} was lost or damaged; its recovered copy is now in use")
        if damage := self._damage(self.path) or self._missing():
            self._repair(damage)
        elif self._new.exists():
            # a user put another ledger in its place, or the power was cut before it got there
            kept = self._kept(self._latest_kept() + 1)
            self._new.rename(kept)
            log.warning("%s is intact; the recovered copy beside it is kept as %s", self.path, kept.name)
        elif not self.path.exists() and log_of(self.path).exists() and log_of(self.path).stat().st_size:
            # SQLite would drop the log, and the transfers in it
            kept = log_of(self._kept(self._latest_kept() + 1))
            log_of(self.path).rename(kept)
            sentence = f"{self.path} was removed while the table was off; its log is kept as {kept.name}"
            self._say_mended(sentence, is_new=True)
        log_file = log_of(self.path)
        logged = log_file.read_bytes() if log_file.exists() else b""
        connection = opened.enter_context(closing(self._connect(self.path, "rwc")))
        _make_durable(connection)
        self._report_lost(logged, connection)
        if 0 < schema.version_of(connection) < len(schema.MIGRATIONS):
            self._backups.copy(connection)
        schema.migrate(connection)
        self._catch_up(connection)
        self._backups.begin()
        # beside the file that a link leads to
        log_file = log_of(self.path.resolve())
        self.files = OpenFiles(path for path in (self.path, log_file, lock_of(self.path)) if path.exists())
        return connection

    def _report_lost(self, logged: bytes, connection: sqlite3.Connection) -> None:
        """Report the transactions in the log that *connection* drops, and keep the log, which was *logged*."""
        with suppress(sqlite3.Error):  # `_catch_up` reports what it means
            ((_, valid, _),) = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
            if lost := lost_commits(logged, max(valid, 0)):
                kept = log_of(self._kept(self._latest_kept() + 1))
                write_safely(kept, logged)
                what = f"the log of {self.path} was damaged: its last {lost} changes, such as payments, are lost"
                self._say_mended(f"{what}; the log is kept as {kept.name}")

    def _catch_up(self, connection: sqlite3.Connection) -> None:
        """Sync the ledger. A killed process or a failing disk can leave data that is readable but not synced."""
        try:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.Error as error:
            # on a full disk, the log is synced, and stays where it is
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_FULL:
                raise
        sync(self.path.parent)

    def _damage(self, path: Path, *, rules: bool = True) -> str | None:
        """Return what is wrong with the ledger or backup *path*, or ``None``. Without *rules*, skip the money rules.

        Raises `ReboardError` if another program or a newer reboard wrote the file.
        """
        if not path.exists():
            return "it is missing" if self._backups.newest_first() else None
        # a transaction without a log that a power cut interrupted has to be rolled back before the file can be read
        mode = "rwc" if path.with_name(f"{path.name}-journal").exists() else "ro"
        try:
            with closing(self._connect(path, mode)) as connection:
                check_owner(self.path, connection)
                if not schema.contents_of(connection) and self._backups.newest_first():
                    return "it is empty"
                return damage_of(path, connection, rules=rules)
        except sqlite3.Error as error:
            if not is_unreadable(error):
                raise
            return str(error)

    def _missing(self) -> str | None:
        """Return a sentence that names an intact backup with later games or transfers than the ledger, or ``None``.

        There is such a backup if the log was removed, or if an older file replaced the ledger.
        """
        if not self.path.exists():
            return None
        with closing(self._connect(self.path, "ro")) as connection:
            if schema.version_of(connection) == 0:
                return None
            newer = next(filter(self._is_sound, self._backups.newer_than(connection)), None)
        return f"{newer.name} has later transfers" if newer else None

    @property
    def _new(self) -> Path:
        return self.path.with_name(f"{self.path.name}.recovering")

    def _repair(self, damage: str) -> None:
        """Replace the damaged ledger with its newest intact copy, or with an empty ledger if there is none.

        Without an intact copy, a ledger that only breaks a money rule stays in use. Raises ``OSError`` or
        ``sqlite3.Error`` if a copy cannot be read from the disk, because that copy may be the newest intact one.
        """
        copies = [copy for copy in (self._new, *self._backups.newest_first()) if copy.exists()]
        copy = next(filter(self._is_sound, copies), None)
        if copy is None and self.path.exists() and self._damage(self.path, rules=False) is None:
            self._backups.breaks_rules = True
            self._say_mended(f"{self.path}: {damage}. There is no intact backup, so the ledger stays in use")
            return
        if copy != self._new:
            remove_database(self._new)
        if copy is None:
            with closing(self._connect(self._new, "rwc")) as new:
                _make_durable(new)
                schema.migrate(new)
        elif copy != self._new:
            write_safely(self._new, copy.read_bytes())
        kept = self._kept(self._latest_kept() + 1)
        done = "a new, empty ledger was created"
        if copy:
            lost = "nothing is lost" if copy == self._new else "later transfers are lost"
            done = f"{copy.name} was restored: {lost}"
        if self.path.exists():
            self.path.rename(kept)
            done = f"the old file is kept as {kept.name}; {done}"
        # otherwise a power cut could leave the old ledger in its place, without its log or over the kept one
        sync(self.path.parent)
        self._finish_recovery()
        self._say_mended(f"{self.path} was lost or damaged ({damage}): {done}", is_new=copy is None)

    def _is_sound(self, copy: Path) -> bool:
        try:
            damage = self._damage(copy)
        except ReboardError as error:
            damage = str(error)
        if damage:
            log.warning("the copy %s cannot replace the ledger: %s", copy, damage)
        return damage is None

    def _say_mended(self, sentence: str, *, is_new: bool = False) -> None:
        self.mended = Mended(sentence, is_new)
        log.error("%s", sentence)

    def _finish_recovery(self) -> bool:
        """Rename a recovered file to the ledger's name, if the old ledger is gone. Return whether the file was renamed.

        The recovered file is complete then, because a repair completes it before it renames the old ledger.
        """
        if not self._new.exists() or self.path.exists():
            return False
        old = log_of(self.path)
        if old.exists():
            kept = self._kept(self._latest_kept())
            if not kept.exists() or log_of(kept).exists():
                kept = self._kept(self._latest_kept() + 1)
            old.rename(log_of(kept))
        remove_database(self.path)
        # otherwise a power cut could leave the new ledger beside the old one's log, which SQLite would replay into it
        sync(self.path.parent)
        self._new.rename(self.path)
        remove_database(self._new)  # what SQLite kept beside it
        sync(self.path.parent)
        return True

    def _write_again(self, files: OpenFiles, moved: MovedLedgerError) -> None:
        """Write the open ledger into a new file, which replaces the ledger at the next opening.

        Nothing is written if only the lock file has a problem. An error is logged, not raised.
        """
        if files.is_only_without(lock_of(self.path)):
            return
        log_file = log_of(self.path.resolve())
        copy = self.path.with_name(f"{self.path.name}.copy")
        try:
            with ExitStack() as opened:
                make_directory(self.path.parent)
                if not files.has(lock_of(self.path)):
                    take_lock(self.path, opened)
                remove_database(copy)
                with closing(self._connect(copy, "rwc")) as new:
                    self.connection.backup(new)
                    (verdict,) = new.execute("PRAGMA integrity_check(1)").fetchone()
                    if verdict != "ok":
                        raise sqlite3.DatabaseError(verdict)
                copy.rename(self._new)
                sync(self.path.parent)
                if files.has(log_file) or not self.path.exists():
                    log_file.unlink(missing_ok=True)
                if self.path.exists():
                    self.path.rename(self._kept(self._latest_kept() + 1))
                sync(self.path.parent)
        except (OSError, sqlite3.Error, ReboardError) as error:
            log.error("%s. The open ledger could not be copied to a new file: %s", moved, error)
        else:
            log.error("%s. The open ledger was copied to a new file", moved)

    def _connect(self, path: Path, mode: str) -> sqlite3.Connection:
        # psow=0: on a memory card, a write that is cut off may harm bytes beside its own
        connection = self._database(f"{path.resolve().as_uri()}?mode={mode}&psow=0")
        # a text with a damaged letter can still be read
        connection.text_factory = partial(str, encoding="utf-8", errors="replace")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA recursive_triggers = ON")
        return connection

    def _kept(self, number: int) -> Path:
        return self.path.with_name(f"{self.path.name}.damaged-{number}")

    def _latest_kept(self) -> int:
        kept = self.path.parent.glob(f"{self.path.name}.damaged-*")
        numbers = (file.suffix.removeprefix(".damaged-").removesuffix("-wal") for file in kept)
        return max((int(number) for number in numbers if number.isdecimal()), default=0)


def check_owner(path: Path, connection: sqlite3.Connection) -> None:
    """Raise `ReboardError` if another program or a newer reboard wrote the file *path*, open on *connection*."""
    if is_another_programs(connection):
        raise ReboardError(
            f"{path} is another program's file, not a ledger of reboard: move the file, or set another "
            "`directory` in [state]. Then restart the table"
        )
    if is_newer(connection):
        raise NoLedgerError(
            f"{path}: a newer reboard wrote this ledger (version {schema.version_of(connection)}; this "
            f"reboard supports versions up to {len(schema.MIGRATIONS)}). The file was not changed: update reboard",
            Cause.LEDGER_IS_NEWER,
        )


def _make_durable(connection: sqlite3.Connection) -> None:
    """Set the journal mode and the sync level so that each commit survives a power cut.

    Measurements show that FULL is enough with a write-ahead log (WAL), and that EXTRA is needed without one. See
    docs/decisions/durability.md.
    """
    (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    connection.execute(f"PRAGMA synchronous = {'FULL' if mode == 'wal' else 'EXTRA'}")
    # some builds of SQLite shorten the log by themselves, which would look like another program's doing
    connection.execute("PRAGMA journal_size_limit = -1")
    # nothing is left in the file of a player's name that was deleted
    connection.execute("PRAGMA secure_delete = ON")
