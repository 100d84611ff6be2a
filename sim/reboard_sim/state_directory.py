"""Where a virtual table keeps its ledger."""

from __future__ import annotations

import tempfile
from pathlib import Path

from reboard.errors import ReboardError


class StateError(ReboardError, OSError):
    """A directory in which no ledger can be kept."""


MEMORY = Path("/dev/shm")
"""Where Linux keeps files in memory: a ledger that is gone afterwards need not wait for a disk."""


def gone_afterwards() -> tempfile.TemporaryDirectory[str]:
    """A directory for a ledger that nobody keeps."""
    return tempfile.TemporaryDirectory(prefix="reboard-", dir=MEMORY if MEMORY.is_dir() else None)


def state_directory(path: Path) -> Path:
    """The directory *path*, made if it is not there. Raises `StateError` when nothing can be written in it."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            return path
    except OSError as problem:
        raise StateError(f"--state {path}: no ledger can be kept there: {problem.strerror}") from None
