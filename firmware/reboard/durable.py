"""Names that survive the plug: what was created, renamed or removed is so for sure when its directory was synced."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path


def sync_directory(path: Path) -> None:
    """Wait until the disk has the names in the directory *path* as they are now. Raises ``OSError``."""
    directory = os.open(path, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def write_safely(path: Path, content: bytes) -> None:
    """After this either the old or the new content is there, whenever the plug is pulled. Raises ``OSError``.

    What was there keeps its mode and its owner.
    """
    make_directory(path.parent)
    new = path.with_name(path.name + ".new")
    with new.open("wb") as file:
        if path.exists():
            before = path.stat()
            os.fchmod(file.fileno(), stat.S_IMODE(before.st_mode))
            with suppress(PermissionError):  # it is somebody else's, and becomes ours
                os.fchown(file.fileno(), before.st_uid, before.st_gid)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
    sync_directory(path.parent)


def make_directory(path: Path) -> None:
    """Make the directory *path*, and those above it, where they are missing; the disk has them then."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    path.mkdir(parents=True, exist_ok=True)
    for folder in missing:
        sync_directory(folder.parent)
