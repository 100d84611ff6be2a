"""A disk without room, for one block of a test."""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch


@contextmanager
def full_disk(largest_file: int) -> Iterator[None]:
    """Let no file of this process grow beyond *largest_file* bytes."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    # Python before 3.13.1 keeps half a file of bytecode: https://github.com/python/cpython/issues/126606
    with patch.object(sys, "dont_write_bytecode", True):
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, limits[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
