"""Names that survive the plug: what was created, renamed or removed is so for sure when its directory was synced."""

from __future__ import annotations

import os
from pathlib import Path


def sync_directory(path: Path) -> None:
    """Wait until the disk has the names in the directory *path* as they are now. Raises ``OSError``."""
    directory = os.open(path, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def make_directory(path: Path) -> None:
    """Make the directory *path*, and those above it, where they are missing; the disk has them then."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    path.mkdir(parents=True, exist_ok=True)
    for folder in missing:
        sync_directory(folder.parent)
