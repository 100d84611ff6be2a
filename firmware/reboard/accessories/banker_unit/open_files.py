"""The files of an open ledger, and the lock that keeps other programs out."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path

from reboard.accessories.banker_unit.ledger_errors import Cause, MovedLedgerError, NoLedgerError

SUFFIXES = ("", "-wal", "-shm", "-journal")
"""The suffixes of an SQLite file and of the files that SQLite keeps beside it."""


class OpenFiles:
    """The files of an open ledger, with the device, inode and size of each at the last check.

    The check is needed because a write to an open file that was removed, renamed or replaced reports no error.
    """

    def __init__(self, paths: Iterable[Path] = ()) -> None:
        self._files = {str(path): os.stat(path) for path in paths}  # noqa: PTH116 - text is checked faster than a Path

    def check(self) -> None:
        """Raise `MovedLedgerError` if a file was removed, replaced or truncated since the last check."""
        for path in self._files:
            if why := self.problem(path):
                raise MovedLedgerError(
                    f"{path} {why} while the table had it open. No change is saved until the table has opened the "
                    "ledger again. Change the files of the ledger only while the table is off"
                )

    def problem(self, path: str) -> str | None:
        """Return what is wrong with the file at *path*. If it is intact, store its new size and return ``None``."""
        before = self._files[path]
        try:
            now = os.stat(path)  # noqa: PTH116
        except OSError as error:
            return f"could not be found ({error.strerror})"
        if (now.st_ino, now.st_dev) != (before.st_ino, before.st_dev):
            return "was replaced by another file"
        if now.st_size < before.st_size:
            return "was truncated"
        self._files[path] = now
        return None

    def has(self, path: Path) -> bool:
        """Return whether *path* still leads to the open file, even if the file was truncated."""
        before = self._files.get(str(path))
        return before is not None and path.exists() and os.path.samestat(before, path.stat())

    def is_only_without(self, path: Path) -> bool:
        """Return whether all files are intact, ignoring the file at *path*."""
        return not any(self.problem(other) for other in self._files if other != str(path))


def log_of(path: Path) -> Path:
    """Return SQLite's log (WAL) of the file *path*."""
    return path.with_name(f"{path.name}-wal")


def remove_database(path: Path) -> None:
    """Remove an SQLite file, and the files that SQLite keeps beside it."""
    for suffix in SUFFIXES:
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def lock_of(path: Path) -> Path:
    """Return the lock file of the ledger *path*."""
    return path.with_name(f"{path.name}.lock")


def take_lock(path: Path, opened: ExitStack) -> None:
    """Lock the ledger *path* until *opened* closes. Only the process with the lock may change the ledger's files.

    Raises `NoLedgerError` if another process has the lock, and ``OSError`` if the lock file cannot be opened.
    """
    lock = os.open(lock_of(path), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    opened.callback(os.close, lock)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        owner = os.pread(lock, 20, 0).decode("ascii", "replace").strip() or "unknown"
        raise NoLedgerError(
            f"{path}: another reboard has this ledger open (process {owner}): stop that process, or set another "
            "`directory` in [state] and restart the table",
            Cause.LEDGER_IN_USE,
        ) from None
    os.ftruncate(lock, 0)
    os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)
