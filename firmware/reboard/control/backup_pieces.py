"""The backup of a table that a client of the control socket reads piece by piece."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable

from reboard.errors import ControlSocketError

PIECE_BYTES = 96 * 1024
"""The length of a piece of a backup. The event loop encodes it in less than a millisecond."""


class BackupPieces:
    """The backup that a client reads piece by piece: one at a time, because it is in memory."""

    def __init__(self, make: Callable[[], bytes] | None) -> None:
        self._make = make
        self._reader: object = None
        self._backup: memoryview | None = None

    async def next_piece(self, reader: object) -> str:
        """Return the next piece in base64, or ``""`` at the end. Raises `ReboardError` if there is no backup."""
        if self._make is None:
            raise ControlSocketError("this table keeps nothing that could be backed up")
        if self._reader not in (None, reader):
            raise ControlSocketError("another backup is being made: try again in a minute")
        if self._backup is None:
            self._reader = reader
            try:
                self._backup = memoryview(await asyncio.to_thread(self._make))
            except OSError as error:
                self.drop(reader)
                raise ControlSocketError(f"no backup could be made: {error}") from error
            except BaseException:
                self.drop(reader)
                raise
        piece, self._backup = self._backup[:PIECE_BYTES], self._backup[PIECE_BYTES:]
        if not piece:
            self.drop(reader)
        return base64.b64encode(piece).decode()

    def drop(self, reader: object) -> None:
        """Forget the backup of *reader*, if it has one."""
        if self._reader is reader:
            self._reader = self._backup = None
