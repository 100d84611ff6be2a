"""A reader's port, which the event loop reads and which is reopened after a disconnection."""

from __future__ import annotations

import asyncio
import errno
import logging
import select
import termios
from collections.abc import Callable, Mapping
from typing import Generic, Protocol, TypeVar

from reboard.board import Devices, InputLine, SerialLine
from reboard.finding import all_of
from reboard.languages import translatable

log = logging.getLogger(__name__)

RETRY_S = 0.5
"""The pause between two attempts to open a port, in seconds. A reconnected reader must work within two seconds."""

MOST_BYTES = 256
"""The largest number of bytes in one read. After each read, the event loop can do other work."""

LET_GO_S = 0.05
"""The pause after another program took the bytes of a port, in seconds, so that such a program costs no time."""

# pyserial raises termios.error if the port disappears while it is being opened or closed
PORT_ERRORS = (OSError, termios.error)


P = TypeVar("P", bound=SerialLine | InputLine)


class PortUser(Protocol):
    """The user of a port, whose methods the event loop calls."""

    def received(self, data: bytes, /) -> None:
        """Process *data*, at least one byte."""

    def opened(self) -> None:
        """React each time the port has been opened."""

    def lost(self, cause: str, /) -> None:
        """React once each time the port is lost or cannot be opened."""

    def taken(self) -> None:
        """React to another program that read bytes of the open port."""


class ReaderPort(Generic[P]):
    """A port that is read without polling and reopened after a disconnection.

    *path* is the device file on *board*, *open_port* opens it, and *causes* maps error numbers to messages.
    """

    def __init__(self, path: str, open_port: Callable[[], P], board: Devices, causes: Mapping[int, str]) -> None:
        self.path = path
        self._loop = asyncio.get_running_loop()
        self._open_port = open_port
        self._board = board
        self._causes = causes
        self._port: P | None = None
        self._retry: asyncio.TimerHandle | None = None
        self._is_lost = False

    def start(self, user: PortUser) -> None:
        """Open the port for *user*. If that fails, report the cause and try again every `RETRY_S`."""
        self._user = user
        self._open()

    def _open(self) -> None:
        try:
            self._port = self._open_port()
            self._loop.add_reader(self._port.fileno(), self._read, self._port)
        except PORT_ERRORS as error:
            number = error.args[0] if error.args else 0
            cause = translatable(
                f"the device {self.path} {self._causes.get(number) or translatable(f'cannot be opened: {error}')}"
            )
            if number in IN_USE and not self._is_lost:
                cause += self.holders() or f". {SEE_HOLDERS}"
            self._retry_later(cause)
            return
        self._is_lost = False
        self._user.opened()

    def holders(self) -> str:
        """Return the other programs that have the port open, and how to stop them, as the end of a message, or ``""``.

        The service does not see programs of other users.
        """
        programs = self._board.holders(self.path)
        if not programs:
            return ""
        names, stops = all_of([*map(str, programs)]), ", ".join(each.how_to_stop for each in programs)
        return f". {translatable(f'It is open in {names}: {stops}')}"

    def close(self) -> None:
        """Close the port, or stop the attempts to open it. Can be called more than once."""
        self._close_port()
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None

    def _read(self, port: P) -> None:
        data, is_open = b"", True
        try:
            data = port.read(MOST_BYTES)
        except PORT_ERRORS as error:
            is_open = READ_BY_ANOTHER in str(error)
        if data:
            self._user.received(data)
        elif is_open and not _has_hung_up(port.fileno()):  # another program was faster
            self._loop.remove_reader(port.fileno())
            self._retry = self._loop.call_later(LET_GO_S, self._loop.add_reader, port.fileno(), self._read, port)
            self._user.taken()
        else:  # a port that has hung up would be ready for ever
            self._hung_up()

    def _hung_up(self) -> None:
        self._retry_later(translatable(f"the reader on {self.path} was disconnected: check its plug and its wires"))

    def _retry_later(self, cause: str) -> None:
        self.close()
        self._retry = self._loop.call_later(RETRY_S, self._open)
        if not self._is_lost:  # report "was disconnected", and not "is not there" after it
            self._is_lost = True
            self._user.lost(cause)

    def _close_port(self) -> None:
        port, self._port = self._port, None
        if port is None:
            return
        try:
            self._loop.remove_reader(port.fileno())
            port.close()
        except PORT_ERRORS as error:
            log.warning("the device %s could not be closed: %s", self.path, error)


SEE_HOLDERS = translatable("`sudo reboard doctor` names that program")

READ_BY_ANOTHER = "multiple access on port"
"""A part of pyserial's message for a port that was ready, but had no data: another program read it, or it hung up."""

IN_USE = (errno.EBUSY, errno.EAGAIN)
"""The error numbers of a port that another program has locked."""


def _has_hung_up(file: int) -> bool:
    """Return whether the device of the open *file* is gone."""
    poll = select.poll()
    poll.register(file, 0)
    return any(event & (select.POLLHUP | select.POLLERR | select.POLLNVAL) for _, event in poll.poll(0))


CAUSES = {
    errno.ENOENT: translatable("does not exist: plug the reader in, or correct `port` in the config"),
    errno.ENXIO: translatable("has no hardware: switch this serial port on, or correct `port` in the config"),
    errno.EACCES: translatable(
        "cannot be opened, because permission is denied: `sudo reboard doctor` says which group or file is wrong"
    ),
    **dict.fromkeys(IN_USE, translatable("is in use by another program: stop that program, or use another port")),
}
"""The cause and the remedy when a serial port cannot be opened, keyed by error number."""


class SerialPort(ReaderPort[SerialLine]):
    """A `ReaderPort` for a serial port, with a method to send data."""

    def __init__(self, path: str, baud_rate: int, board: Devices) -> None:
        super().__init__(path, lambda: board.open_serial(path, baud_rate), board, CAUSES)

    def write(self, data: bytes) -> None:
        """Send *data* without waiting. Drop *data* if the port is lost or is still sending earlier data."""
        if self._port is None:
            return
        try:
            if not self._port.out_waiting:
                self._port.write(data)
        except PORT_ERRORS:
            self._hung_up()
