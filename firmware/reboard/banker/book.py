"""The banker's book: one SQLite file, opened so that what was written survives the plug."""

from __future__ import annotations

import fcntl
import logging
import os
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from itertools import count
from pathlib import Path

from reboard.banker import schema
from reboard.banker.recovery import recover
from reboard.errors import ReboardError

log = logging.getLogger(__name__)

LEDGER_FILE = "ledger.db"
"""What the book is called in a table's state directory."""

DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def is_damage(error: sqlite3.Error) -> bool:
    """Whether *error* says that the file itself is broken, rather than full, locked or read-only."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in DAMAGED


class Book:
    """An open book. One process at a time may write; any number may read.

    A damaged file is kept beside as ``<name>.damaged-<n>``, and what is readable of it is in the new one. Raises
    `ReboardError` when another process keeps this book, a newer reboard wrote it, it is no book, or the disk refuses.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        with ExitStack() as given_back:
            try:
                self.connection = self._open_to_read(given_back) if read_only else self._open_to_write(given_back)
            except (OSError, sqlite3.Error) as error:
                sentence = f"{path}: the ledger cannot be opened: {error}; look at the disk and its rights"
                raise ReboardError(sentence) from error
            self._open = given_back.pop_all()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: on the disk when the block is left, or undone when it is left by an exception."""
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield self.connection
            self.connection.execute("COMMIT")
        except BaseException:
            # a full disk may have ended the transaction already
            with suppress(sqlite3.Error):
                self.connection.execute("ROLLBACK")
            raise

    def close(self) -> None:
        """Give the file back. May be called twice."""
        self._open.close()

    def _open_to_read(self, given_back: ExitStack) -> sqlite3.Connection:
        if not self.path.exists():
            raise ReboardError(f"{self.path}: there is no ledger yet; it begins with the first game")
        connection = given_back.enter_context(closing(_connect(self.path, "ro")))
        self._look_at_version(connection)
        if schema.version_of(connection) < len(schema.MIGRATIONS):
            raise ReboardError(f"{self.path}: an older reboard wrote this; start the table once to bring it up to date")
        return connection

    def _open_to_write(self, given_back: ExitStack) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._take_lock(given_back)
        self._finish_recovery()
        with closing(_connect(self.path, "rwc")) as connection:
            damage = self._damage(connection)
        if damage:
            self._recover(damage)
        connection = given_back.enter_context(closing(_connect(self.path, "rwc")))
        _make_durable(connection)
        schema.migrate(connection)
        return connection

    def _take_lock(self, given_back: ExitStack) -> None:
        file = self.path.with_name(f"{self.path.name}.lock")
        lock = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        given_back.callback(os.close, lock)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = os.pread(lock, 20, 0).decode("ascii", "replace").strip() or "unknown"
            raise ReboardError(
                f"{self.path}: another reboard keeps this ledger (process {owner}); stop it, or give this one another "
                "[state] directory"
            ) from None
        os.ftruncate(lock, 0)
        os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)

    def _damage(self, connection: sqlite3.Connection) -> str | None:
        """What is wrong with the file; nothing is, or it is not ours to judge, otherwise."""
        try:
            self._look_at_version(connection)
            (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        except UnicodeDecodeError:
            return "its tables are not even text"
        except sqlite3.Error as error:
            if not is_damage(error):
                raise
            return str(error)
        return None if verdict == "ok" else str(verdict)

    def _look_at_version(self, connection: sqlite3.Connection) -> None:
        version = schema.version_of(connection)
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        if version > len(schema.MIGRATIONS) and application == schema.APPLICATION_ID:
            raise ReboardError(
                f"{self.path}: a newer reboard wrote this ledger (version {version}, this one knows "
                f"{len(schema.MIGRATIONS)}); it was left as it is: update reboard"
            )
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        if tables and application != schema.APPLICATION_ID:
            raise ReboardError(f"{self.path}: this file is another program's, not a ledger of reboard's")

    @property
    def _new(self) -> Path:
        return self.path.with_name(f"{self.path.name}.recovering")

    def _recover(self, damage: str) -> None:
        """Fill a new file from the damaged one, and only when it is whole let it take the place."""
        _remove(self._new)
        with closing(_connect(self._new, "rwc")) as new:
            _make_durable(new)
            schema.migrate(new)
            found = recover(self.path, new)
        kept = next(
            name for n in count(1) if not (name := self.path.with_name(f"{self.path.name}.damaged-{n}")).exists()
        )
        self.path.rename(kept)
        wal = self.path.with_name(f"{self.path.name}-wal")
        if wal.exists():
            wal.rename(kept.with_name(f"{kept.name}-wal"))
        self._finish_recovery()
        log.error("%s was damaged (%s): kept as %s; in the new one: %s", self.path, damage, kept.name, found)

    def _finish_recovery(self) -> None:
        """A recovered file without an old one beside it is whole: the power went between two renamings."""
        if self._new.exists() and not self.path.exists():
            _remove(self.path)
            self._new.rename(self.path)
            folder = os.open(self.path.parent, os.O_RDONLY)
            os.fsync(folder)
            os.close(folder)


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode={mode}", uri=True, isolation_level=None)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA recursive_triggers = ON")
    return connection


def _make_durable(connection: sqlite3.Connection) -> None:
    """A commit that returned survives a power cut: so measured for WAL with FULL, and without WAL only for EXTRA."""
    (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    connection.execute(f"PRAGMA synchronous = {'FULL' if mode == 'wal' else 'EXTRA'}")


def _remove(path: Path) -> None:
    for suffix in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
