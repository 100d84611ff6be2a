"""One-way pipes in memory, which an event loop in virtual time reads as it reads files."""

from __future__ import annotations

import errno
import os
from itertools import count

_numbers = count(1 << 30)
"""The numbers of the pipes. The kernel gives no file a number that large."""

_readable: dict[int, None] = {}
"""The numbers of the pipes that can be read without waiting, in the order in which they became readable."""


def is_pipe(file: object) -> bool:
    """Return whether *file* is the number of a pipe."""
    return isinstance(file, int) and file >= 1 << 30


def readable_pipes() -> list[int]:
    """Return the numbers of the pipes that can be read without waiting."""
    return list(_readable) if _readable else []


class Pipe:
    """A pipe that keeps up to *size* bytes. *number* takes the place of its file descriptor."""

    def __init__(self, size: int) -> None:
        self.number = next(_numbers)
        self._size = size
        self._bytes = bytearray()
        self._is_hung_up = False

    def write(self, data: bytes) -> bool:
        """Add *data*, and return whether it fits. The pipe keeps nothing of data that does not fit."""
        fits = len(self._bytes) + len(data) <= self._size
        if fits:
            self._bytes += data
            self._update()
        return fits

    def read(self, size: int) -> bytes:
        """Take up to *size* bytes, without waiting. Raises ``OSError`` if the pipe is empty and has hung up."""
        data = bytes(self._bytes[:size])
        if not data and self._is_hung_up:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        del self._bytes[:size]
        self._update()
        return data

    def hang_up(self) -> None:
        """End the pipe. Its reader gets the bytes that are left, and then ``OSError``."""
        self._is_hung_up = True
        self._update()

    def close(self) -> None:
        """Stop reading, and drop the bytes that are left."""
        self._bytes.clear()
        _readable.pop(self.number, None)

    def _update(self) -> None:
        if self._bytes or self._is_hung_up:
            _readable.setdefault(self.number)
        else:
            _readable.pop(self.number, None)
