from __future__ import annotations

import asyncio
import errno
import os
import termios
from typing import cast

import pytest

from reboard.board import Board
from reboard.parts.slots.serial_reader import SerialReader
from reboard.trouble import Trouble
from reboard_sim.virtual_time import run


class PipeLine:
    """A serial line that is a pipe: hung up, it is ready for ever and reads nothing."""

    def __init__(self) -> None:
        self.out, self.into = os.pipe()
        self.reads = 0

    def fileno(self) -> int:
        return self.out

    def read(self, size: int = 1, /) -> bytes:
        self.reads += 1
        return os.read(self.out, size)

    def write(self, data: bytes, /) -> int:
        raise AssertionError("nothing is ever said to the reader")

    def close(self) -> None:
        os.close(self.out)


class OneLine:
    """A board whose serial line fails to open as long as there is an error to fail with."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.kinds: list[type[PipeLine]] = []
        self.opened: list[PipeLine] = []
        self.received: list[bytes] = []
        self.told: list[tuple[float, str, str]] = []

    def open_serial(self, port: str, baud_rate: int) -> PipeLine:
        if self.errors:
            raise self.errors.pop(0)
        self.opened.append((self.kinds.pop(0) if self.kinds else PipeLine)())
        return self.opened[-1]

    def emit(self, name: str, /, **fields: object) -> None:
        assert fields["part"] == "left slot"
        self.told.append((asyncio.get_running_loop().time(), name, str(fields.get("cause"))))

    def reader(self) -> SerialReader:
        trouble = Trouble("left slot", self.emit)
        return SerialReader(
            "/dev/x",
            9600,
            board=cast(Board, self),
            received=self.received.append,
            opened=lambda: trouble.tell(None),
            lost=trouble.tell,
        )


def test_what_comes_in_is_handed_on() -> None:
    async def main() -> None:
        board = OneLine()
        reader = board.reader()
        reader.start()
        os.write(board.opened[0].into, b"abc")
        await asyncio.sleep(0.001)
        assert board.received == [b"abc"]
        os.close(board.opened[0].into)
        reader.close()

    run(main)


def test_a_line_that_hung_up_is_read_once_and_not_in_a_circle() -> None:
    async def main() -> None:
        board = OneLine()
        reader = board.reader()
        reader.start()
        board.errors = [FileNotFoundError(errno.ENOENT, "no such file")] * 1000
        os.close(board.opened[0].into)
        await asyncio.sleep(100)
        assert board.opened[0].reads == 1
        assert board.received == []
        assert [name for _, name, _ in board.told] == ["fault"]
        assert len(board.errors) == 800, "looked for every half second"
        reader.close()

    run(main)


@pytest.mark.parametrize("error", [OSError(errno.EIO, "Input/output error"), termios.error(errno.EIO, "I/O error")])
def test_a_lost_line_that_cannot_even_be_closed_is_looked_for_all_the_same(error: Exception) -> None:
    class StuckLine(PipeLine):
        def close(self) -> None:
            super().close()
            raise error

    async def main() -> None:
        board = OneLine()
        board.kinds = [StuckLine]
        reader = board.reader()
        reader.start()
        os.close(board.opened[0].into)
        await asyncio.sleep(1)
        assert [name for _, name, _ in board.told] == ["fault", "recovered"]
        os.write(board.opened[1].into, b"abc")
        await asyncio.sleep(0.001)
        assert board.received == [b"abc"]
        os.close(board.opened[1].into)
        reader.close()

    run(main)


def test_a_line_that_goes_before_it_can_be_watched_is_given_back_and_looked_for() -> None:
    class UnwatchableLine(PipeLine):
        """The first time anybody asks, it is not there any more."""

        asked = False

        def fileno(self) -> int:
            if not self.asked:
                self.asked = True
                raise OSError("Attempting to use a port that is not open")
            return super().fileno()

    async def main() -> None:
        board = OneLine()
        board.kinds = [UnwatchableLine]
        reader = board.reader()
        reader.start()
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(board.opened[0].out)
        await asyncio.sleep(1)
        assert [name for _, name, _ in board.told] == ["fault", "recovered"]
        os.close(board.opened[0].into)
        os.close(board.opened[1].into)
        reader.close()

    run(main)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (FileNotFoundError(errno.ENOENT, "no such file"), "is not there: plug the reader in"),
        (PermissionError(errno.EACCES, "denied"), "group dialout"),
        (OSError(errno.EBUSY, "busy"), "is in use"),
        (BlockingIOError(errno.EAGAIN, "locked"), "is in use"),
        (OSError(errno.EIO, "Input/output error"), "cannot be opened: [Errno 5] Input/output error"),
        (OSError("could not configure port"), "cannot be opened: could not configure port"),
        (OSError(), "cannot be opened"),
        (termios.error(errno.EIO, "Input/output error"), "cannot be opened"),
    ],
)
def test_a_line_that_cannot_be_opened_is_one_fault_that_says_what_to_do(error: Exception, words: str) -> None:
    async def main() -> None:
        board = OneLine(error, error, error)
        reader = board.reader()
        reader.start()
        await asyncio.sleep(10)
        [(failed_at, fault, cause), (back_at, recovered, _)] = board.told
        assert (failed_at, fault, recovered) == (0, "fault", "recovered")
        assert cause.startswith("the line /dev/x ")
        assert words in cause
        assert back_at == pytest.approx(1.5)
        os.close(board.opened[0].into)
        reader.close()

    run(main)
