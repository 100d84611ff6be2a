"""Where a virtual table keeps its ledger."""

from __future__ import annotations

import errno
import tempfile
from pathlib import Path

from reboard.errors import ReboardError


class StateError(ReboardError, OSError):
    """A directory in which no ledger can be kept."""


MEMORY = Path("/dev/shm")
"""Where Linux keeps files in memory: a ledger that is gone afterwards need not wait for a disk."""


READ_ONLY = (errno.EROFS, errno.EACCES, errno.EPERM)


def gone_afterwards() -> tempfile.TemporaryDirectory[str]:
    """A directory for a ledger that nobody keeps."""
    return tempfile.TemporaryDirectory(prefix="reboard-", dir=MEMORY if MEMORY.is_dir() else None)


def state_directory(path: Path) -> Path:
    """The directory *path*, made if it is not there. Raises `StateError` when it can be no directory for a ledger.

    A read-only one is allowed: the table plays there, and its bank says what is wrong.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            return path
    except OSError as problem:
        if problem.errno in READ_ONLY:
            return path
        raise StateError(f"--state {path}: no ledger can be kept there: {problem.strerror}") from None
