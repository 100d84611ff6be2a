"""A file of the owner's is replaced, and the one before it kept beside it."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

from reboard.durable import write_safely


def replace(file: Path, content: bytes) -> Path | None:
    """Write *content*; where what was there is kept, if that was something else. Raises ``OSError``."""
    aside = None
    if file.exists() and file.read_bytes() != content:
        aside = _free_name(file)
        shutil.copy2(file, aside)
        with suppress(PermissionError):  # not root: it is ours then, as the new one is
            os.chown(aside, file.stat().st_uid, file.stat().st_gid)
    write_safely(file, content)
    return aside


def _free_name(file: Path) -> Path:
    names = (file.with_name(f"{file.name}.before-setup{number}") for number in ("", *range(2, 1000)))
    return next(name for name in names if not name.exists())
