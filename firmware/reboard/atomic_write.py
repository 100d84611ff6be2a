"""Atomic file writes, which are safe against power cuts, and backups of replaced files."""

from __future__ import annotations

import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path


def sync(path: Path) -> None:
    """Write a file's content, or a directory's entries, to the disk with ``fsync``. Raises ``OSError``."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def write_safely(path: Path, content: bytes, *, mode: int | None = None) -> None:
    """Write a file atomically: after a power cut, the file has either the old or the new content.

    Create the directory if it is missing. A replaced file keeps its owner if this process has permission to set the
    owner, and its mode unless *mode* is another one. Raises ``OSError``.
    """
    make_directory(path.parent)
    new = path.with_name(path.name + ".new")
    try:
        with new.open("wb") as file:
            if path.exists():
                before = path.stat()
                mode = stat.S_IMODE(before.st_mode) if mode is None else mode
                with suppress(PermissionError):  # only root can keep another owner
                    os.fchown(file.fileno(), before.st_uid, before.st_gid)
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            file.write(content)
        replace_safely(path, new)
    except OSError as error:
        with suppress(OSError):
            new.unlink()
        error.filename = error.filename or str(path)  # a write to a full disk does not say
        raise


def replace_safely(path: Path, new: Path) -> None:
    """Sync the file *new* to the disk and rename it to *path* in the same directory. Raises ``OSError``."""
    sync(new)
    new.replace(path)
    sync(path.parent)


def make_directory(path: Path) -> None:
    """Create a directory and its missing parents, and sync the new entries to the disk. Raises ``OSError``."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    path.mkdir(parents=True, exist_ok=True)
    for folder in missing:
        sync(folder.parent)


def replace(file: Path, content: bytes, *, before: str = "before-setup") -> Path | None:
    """Write *content* to *file* atomically. If the old content differs, copy the old file to ``<name>.<before>`` first.

    Return the path of the backup, or ``None`` if there is none. Raises ``OSError``.
    """
    copy = None
    if file.exists() and file.read_bytes() != content:
        copy = _free_name(file, before)
        shutil.copy2(file, copy)
        with suppress(PermissionError):  # only root can keep another owner
            os.chown(copy, file.stat().st_uid, file.stat().st_gid)
    write_safely(file, content)
    return copy


def _free_name(file: Path, before: str) -> Path:
    names = (file.with_name(f"{file.name}.{before}{number}") for number in ("", *range(2, 1000)))
    return next(name for name in names if not name.exists())
