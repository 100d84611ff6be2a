"""A file system below SQLite that tells a `Disk` what is done to it; Python's own file calls are told as well."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import apsw

from tests.reboard.accessories.banker_unit.power_cuts import disk as events
from tests.reboard.accessories.banker_unit.power_cuts.connection import AS_SHIPPED, Connection, Instead
from tests.reboard.accessories.banker_unit.power_cuts.disk import Disk, directory_of

NAMED_FOR_SURE = apsw.SQLITE_OPEN_WAL | apsw.SQLITE_OPEN_MAIN_JOURNAL | apsw.SQLITE_OPEN_SUPER_JOURNAL
"""The files that SQLite's Unix file system, where it may create them, syncs together with their directory: the first
time only. It never does that for the database itself."""

PASSING = apsw.SQLITE_OPEN_DELETEONCLOSE
"""Files that nobody looks for after a power cut."""


@contextmanager
def recorded(root: Path, instead: Instead = AS_SHIPPED) -> Iterator[Disk]:
    """Every book that is opened is on a disk whose files lie below *root*."""
    disk = Disk(root)
    vfs = _Vfs(disk)

    def connect(database: str | Path, **_how: Any) -> Connection:
        # one that only reads, too: two SQLite libraries in one process do not see each other's locks, and the second
        # one empties the log's index while the first one uses it
        return Connection(str(database), vfs.name, instead)

    try:
        with patch.object(sqlite3, "connect", connect), _python_told(disk):
            yield disk
            disk.look()
    finally:
        vfs.unregister()


@contextmanager
def _python_told(disk: Disk) -> Iterator[None]:
    def told(name: str, tell: Callable[..., None]) -> Any:
        really = getattr(os, name)

        def call(*values: Any, **named: Any) -> Any:
            with disk.lock:
                disk.look()
                result = really(*values, **named)
                if not named.get("dir_fd") and all(map(disk.has, values)):
                    tell(*values)
            return result

        return patch.object(os, name, call)

    with (
        told("fsync", disk.synced),
        told("fdatasync", disk.synced),
        told("rename", disk.renamed),
        told("replace", disk.renamed),
        told("unlink", disk.removed),
        told("remove", disk.removed),
    ):
        yield


class _Vfs(apsw.VFS):
    def __init__(self, disk: Disk) -> None:
        self.name = f"recording-{id(disk)}"
        self._disk = disk
        super().__init__(self.name, "")

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        if name is None or flags[0] & PASSING:
            return apsw.VFSFile("", name, flags)
        return _VfsFile(self._disk, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        with self._disk.lock:
            super().xDelete(filename, syncdir)
            self._disk.removed(filename)
            if syncdir:
                self._disk.add(events.SyncDirectory(directory_of(self._disk.name(filename))))


class _VfsFile(apsw.VFSFile):
    def __init__(self, disk: Disk, name: str | apsw.URIFilename, flags: list[int]) -> None:
        self._disk = disk
        self._path = name if isinstance(name, str) else name.filename()
        with disk.lock:
            super().__init__("", name, flags)
            self._file: events.File = disk.opened(self._path)
        self._name_is_sure = not (flags[0] & NAMED_FOR_SURE and flags[0] & apsw.SQLITE_OPEN_CREATE)

    # data is a Buffer, a type that Python has since 3.12
    def xWrite(self, data: Any, offset: int) -> None:  # noqa: N802
        fails = self._disk.fails("write")
        data = data[: len(data) // 2] if fails else data
        with self._disk.lock:
            super().xWrite(data, offset)
            self._disk.add(events.Write(self._file, offset, bytes(data)))
        if fails:
            raise apsw.FullError("no room for the rest of it")

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        with self._disk.lock:
            super().xTruncate(newsize)
            self._disk.add(events.Truncate(self._file, newsize))

    def xSync(self, flags: int) -> None:  # noqa: N802
        if self._disk.fails("sync"):
            raise apsw.IOError("it does not answer")
        super().xSync(flags)
        self._disk.add(events.Sync(self._file))
        if not self._name_is_sure:
            self._disk.add(events.SyncDirectory(directory_of(self._disk.name(self._path))))
            self._name_is_sure = True
