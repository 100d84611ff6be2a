"""The banker's book: one SQLite file, opened so that what was written survives the plug."""

from __future__ import annotations

import fcntl
import logging
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from pathlib import Path

from reboard.banker import schema
from reboard.banker.damage import damage_of, is_another_programs, is_newer, is_unreadable
from reboard.banker.no_ledger import MovedLedgerError, NoLedgerError, cause_of
from reboard.banker.recovery import recover
from reboard.banker.texts import Text
from reboard.database import OpenDatabase, open_database
from reboard.durable import make_directory, sync_directory
from reboard.errors import ReboardError

log = logging.getLogger(__name__)

LEDGER_FILE = "ledger.db"
"""What the book is called in a table's state directory."""

NOT_ALLOWED = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)


class _OpenFiles:
    """The names of files that SQLite has open, with the device, inode and size that each had when it was last checked.

    A process can write to an open file after it was removed, renamed or replaced, and gets no error.
    """

    def __init__(self, paths: Iterable[Path] = ()) -> None:
        self._files = {str(path): os.stat(path) for path in paths}  # noqa: PTH116 - text is checked faster than a Path

    def check(self) -> None:
        """Raise `MovedLedgerError` unless each name still leads to its file, and no file became shorter."""
        for path in self._files:
            if why := self.problem(path):
                raise MovedLedgerError(
                    f"{path} {why} while the table had it open. Nothing more is confirmed until the table has opened "
                    "the ledger again. Change its files only while the table is off"
                )

    def problem(self, path: str) -> str | None:
        """What happened to the file that had the name *path*, or ``None``."""
        before = self._files[path]
        try:
            now = os.stat(path)  # noqa: PTH116
        except OSError as error:
            return f"cannot be found any more ({error.strerror})"
        if (now.st_ino, now.st_dev) != (before.st_ino, before.st_dev):
            return "was replaced by another file"
        if now.st_size < before.st_size:
            return "was cut off"
        self._files[path] = now
        return None

    def has(self, path: Path) -> bool:
        """Whether *path* is such a name and leads to its file, whole or not."""
        before = self._files.get(str(path))
        return before is not None and path.exists() and os.path.samestat(before, path.stat())

    def is_only_without(self, path: Path) -> bool:
        """Whether nothing happened to any file but that which had the name *path*."""
        return not any(self.problem(other) for other in self._files if other != str(path))


class Book:
    """An open book. One process at a time may write; any number may read. What can be read in a book that is open to
    be written is on the disk.

    A damaged file is kept beside as ``<name>.damaged-<n>``, and what is readable of it is in the new one; `mended` says
    so. Raises `ReboardError` when another process keeps this book, a newer reboard wrote it, it is no book, or the disk
    refuses.

    When a commit fails, the book is `in_doubt`: on the disk, what it was to keep may be there all the same. Close such
    a book, and open it anew to see.

    When a file of an open book was removed, replaced or cut, `writing` raises `MovedLedgerError` and nothing may be
    confirmed. `close` then writes what the book has into a new file. The next opening puts that in the old one's place.
    """

    def __init__(self, path: Path, *, read_only: bool = False, database: OpenDatabase = open_database) -> None:
        self.path = path
        self.mended = ""
        self.in_doubt = False
        self._database = database
        self._files = _OpenFiles()
        with ExitStack() as given_back:
            try:
                self.connection = self._open_to_read(given_back) if read_only else self._open_to_write(given_back)
            except (OSError, sqlite3.Error) as error:
                cause, shown = cause_of(error)
                raise NoLedgerError(f"{path}: the ledger cannot be opened: {cause}", shown) from error
            self._open = given_back.pop_all()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: on the disk when the block is left, or undone when it is left by an exception."""
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            self._files.check()
            yield self.connection
            self.in_doubt = True
            self.connection.execute("COMMIT")
            self._files.check()
            self.in_doubt = False
        except BaseException:
            # a full disk may have ended the transaction already
            with suppress(sqlite3.Error):
                self.connection.execute("ROLLBACK")
            raise

    def close(self) -> None:
        """Give the file back. May be called twice."""
        files, self._files = self._files, _OpenFiles()
        try:
            files.check()
        except MovedLedgerError as moved:
            self._write_again(files, moved)
        self._open.close()

    def abandon(self) -> None:
        """Give a file that was found damaged back as it lies: what is in its log stays there."""
        # SQLite does not write the log into a file that has gone elsewhere; into one on a read-only disk it cannot
        self._files = _OpenFiles()
        with suppress(OSError):
            self.path.rename(self._abandoned)
        try:
            self.connection.close()
            self._finish_abandoning()
        finally:
            self.close()

    def _open_to_read(self, given_back: ExitStack) -> sqlite3.Connection:
        if not self.path.exists():
            raise ReboardError(f"{self.path}: there is no ledger yet; it begins with the first game")
        connection = given_back.enter_context(closing(self._connect_to_read()))
        if schema.version_of(connection) < len(schema.MIGRATIONS):
            raise ReboardError(f"{self.path}: an older reboard wrote this; start the table once to bring it up to date")
        return connection

    def _connect_to_read(self) -> sqlite3.Connection:
        """Also for somebody who may not write beside the file, as SQLite wants to in order to read its log."""
        try:
            return self._looked_at(self._connect(self.path, "ro"))
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF not in NOT_ALLOWED:
                raise
        if _log_of(self.path).exists():
            raise ReboardError(
                f"{self.path}: its latest transfers are in a log that only its owner can read while the table is off; "
                "ask as that user (sudo -u reboard …), or start the table"
            )
        return self._looked_at(self._connect(self.path, "ro&immutable=1"))

    def _looked_at(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        try:
            self._look_whose_it_is(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _open_to_write(self, given_back: ExitStack) -> sqlite3.Connection:
        make_directory(self.path.parent)
        take_lock(self.path, given_back)
        self._finish_abandoning()
        if self._finish_recovery():
            self.mended = f"{self.path} was lost or damaged, and was written again"
        if damage := self._damage():
            self._recover(damage)
        elif self._new.exists():
            # a user put another ledger in its place, or the power was cut before it got there
            kept = self._kept(self._latest_kept() + 1)
            self._new.rename(kept)
            log.warning("%s: another ledger was beside it, and is kept as %s", self.path, kept.name)
        elif not self.path.exists() and _log_of(self.path).exists() and _log_of(self.path).stat().st_size:
            # SQLite would drop the log, and the transfers in it
            kept = _log_of(self._kept(self._latest_kept() + 1))
            _log_of(self.path).rename(kept)
            self.mended = f"{self.path} was removed while the table was off; its log is kept as {kept.name}"
            log.error("%s", self.mended)
        connection = given_back.enter_context(closing(self._connect(self.path, "rwc")))
        _make_durable(connection)
        schema.migrate(connection)
        self._catch_up(connection)
        # beside the file that a link leads to
        log_file = _log_of(self.path.resolve())
        self._files = _OpenFiles(path for path in (self.path, log_file, _lock_of(self.path)) if path.exists())
        return connection

    def _catch_up(self, connection: sqlite3.Connection) -> None:
        """A process that was killed, or whose disk failed, may have left what is there to be read, but not synced."""
        try:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.Error as error:
            # on a full disk, the log was synced, and only has to stay where it is
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_FULL:
                raise
        sync_directory(self.path.parent)

    def _damage(self) -> str | None:
        """What is wrong with the file, which is only read; nothing is, or it is not ours to judge, otherwise."""
        if not self.path.exists():
            return None
        # what was under way without a log when the power went has to be rolled back before it can be read
        mode = "rwc" if self.path.with_name(f"{self.path.name}-journal").exists() else "ro"
        try:
            with closing(self._connect(self.path, mode)) as connection:
                self._look_whose_it_is(connection)
                return damage_of(self.path, connection)
        except UnicodeDecodeError:
            return "its tables are not even text"
        except sqlite3.Error as error:
            if not is_unreadable(error):
                raise
            return str(error)

    def _look_whose_it_is(self, connection: sqlite3.Connection) -> None:
        if is_another_programs(connection):
            raise ReboardError(f"{self.path}: this file is another program's, not a ledger of reboard's")
        if is_newer(connection):
            raise NoLedgerError(
                f"{self.path}: a newer reboard wrote this ledger (version {schema.version_of(connection)}, this one "
                f"knows {len(schema.MIGRATIONS)}); it was left as it is: update reboard",
                Text.LEDGER_IS_NEWER,
            )

    def _finish_abandoning(self) -> None:
        if self._abandoned.exists() and not self.path.exists():
            self._abandoned.rename(self.path)

    @property
    def _abandoned(self) -> Path:
        return self.path.with_name(f"{self.path.name}.abandoned")

    @property
    def _new(self) -> Path:
        return self.path.with_name(f"{self.path.name}.recovering")

    def _recover(self, damage: str) -> None:
        """Fill a new file from the damaged one, and only when it is whole let it take the place."""
        _remove(self._new)
        with closing(self._connect(self._new, "rwc")) as new:
            _make_durable(new)
            schema.migrate(new)
            found = recover(self.path, new)
        kept = self._kept(self._latest_kept() + 1)
        self.path.rename(kept)
        # else a power cut could leave the old book in its place, without its log or over the kept one
        sync_directory(self.path.parent)
        self._finish_recovery()
        self.mended = f"{self.path} was damaged ({damage}): kept as {kept.name}; in the new one: {found}"
        log.error("%s", self.mended)

    def _finish_recovery(self) -> bool:
        """A recovered file without an old one beside it is whole: put the old one's log away, and it in its place.

        Returns whether there was one.
        """
        if not self._new.exists() or self.path.exists():
            return False
        log_of_the_old = _log_of(self.path)
        if log_of_the_old.exists():
            log_of_the_old.rename(_log_of(self._kept(self._latest_kept())))
        _remove(self.path)
        # else a power cut could leave the new book beside the old one's log, which SQLite would play into it
        sync_directory(self.path.parent)
        self._new.rename(self.path)
        sync_directory(self.path.parent)
        return True

    def _write_again(self, files: _OpenFiles, moved: MovedLedgerError) -> None:
        """Write what the open book has into a new file, ready to take the place of the one that was lost."""
        if files.is_only_without(_lock_of(self.path)):
            return
        log_file = _log_of(self.path.resolve())
        copy = self.path.with_name(f"{self.path.name}.copy")
        try:
            with ExitStack() as given_back:
                make_directory(self.path.parent)
                if not files.has(_lock_of(self.path)):
                    take_lock(self.path, given_back)
                _remove(copy)
                with closing(self._connect(copy, "rwc")) as new:
                    self.connection.backup(new)
                    (verdict,) = new.execute("PRAGMA integrity_check(1)").fetchone()
                    if verdict != "ok":
                        raise sqlite3.DatabaseError(verdict)
                copy.rename(self._new)
                sync_directory(self.path.parent)
                if files.has(log_file) or not self.path.exists():
                    log_file.unlink(missing_ok=True)
                if self.path.exists():
                    self.path.rename(self._kept(self._latest_kept() + 1))
                sync_directory(self.path.parent)
        except (OSError, sqlite3.Error, ReboardError) as error:
            log.error("%s; what it had could not be written again: %s", moved, error)
        else:
            log.error("%s; what it had was written again", moved)

    def _connect(self, path: Path, mode: str) -> sqlite3.Connection:
        # psow=0: on a memory card, a write that is cut off may harm bytes beside its own
        connection = self._database(f"{path.resolve().as_uri()}?mode={mode}&psow=0")
        # a word with a broken letter in it spoils nothing but itself
        connection.text_factory = partial(str, encoding="utf-8", errors="replace")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA recursive_triggers = ON")
        return connection

    def _kept(self, number: int) -> Path:
        return self.path.with_name(f"{self.path.name}.damaged-{number}")

    def _latest_kept(self) -> int:
        numbers = (file.suffix.removeprefix(".damaged-") for file in self.path.parent.glob(self._kept(0).stem + ".*"))
        return max((int(number) for number in numbers if number.isdecimal()), default=0)


def _log_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _lock_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.lock")


def take_lock(path: Path, given_back: ExitStack) -> None:
    """Take the lock of the book *path* until *given_back*: only its holder may change the files of the book.

    Raises `NoLedgerError` when another process has it, and ``OSError``.
    """
    lock = os.open(_lock_of(path), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    given_back.callback(os.close, lock)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        owner = os.pread(lock, 20, 0).decode("ascii", "replace").strip() or "unknown"
        raise NoLedgerError(
            f"{path}: another reboard keeps this ledger (process {owner}); stop it, or give this one another "
            "[state] directory",
            Text.LEDGER_IN_USE,
        ) from None
    os.ftruncate(lock, 0)
    os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)


def _make_durable(connection: sqlite3.Connection) -> None:
    """A commit that returned survives a power cut: so measured for WAL with FULL, and without WAL only for EXTRA."""
    (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    connection.execute(f"PRAGMA synchronous = {'FULL' if mode == 'wal' else 'EXTRA'}")
    # some builds of SQLite cut the log off by themselves, which would look as if another program did
    connection.execute("PRAGMA journal_size_limit = -1")


def _remove(path: Path) -> None:
    for suffix in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
