from __future__ import annotations

import asyncio
import errno
import os
import termios
from collections.abc import Sequence
from typing import Any, cast

import pytest
from serial import SerialException

from reboard.board import Board, Program
from reboard.devices.readers.reader_port import SerialPort
from tests.virtual import now


class Pipe:
    """A serial port that is a pipe: after it hung up, it is always ready and has no data."""

    def __init__(self, *, close_error: Exception | None = None, is_gone: bool = False) -> None:
        self.out, self.into = os.pipe()
        self.reads = 0
        self._close_error = close_error
        self._is_gone = is_gone

    def fileno(self) -> int:
        if self._is_gone:
            self._is_gone = False
            raise OSError("Attempting to use a port that is not open")
        return self.out

    def read(self, size: int = 1, /) -> bytes:
        self.reads += 1
        return os.read(self.out, size)

    def close(self) -> None:
        os.close(self.out)
        if self._close_error:
            raise self._close_error


class Bench:
    """A board with one serial port: it opens the next of *ports*, or raises it."""

    def __init__(self, *ports: Pipe | Exception, programs: Sequence[Program] = ()) -> None:
        self._ports = [*ports]
        self.tries: list[float] = []
        self.programs = [*programs]
        self.data: list[bytes] = []
        self.calls: list[tuple[float, str]] = []
        self.port = SerialPort("/dev/x", 9600, cast(Board, self))
        self.port.start(self)

    def received(self, data: bytes) -> None:
        self.data.append(data)

    def opened(self) -> None:
        self.calls.append((now(), "opened"))

    def lost(self, cause: str) -> None:
        self.calls.append((now(), cause))

    def taken(self) -> None:
        self.calls.append((now(), "taken"))

    def holders(self, path: str) -> list[Program]:
        return self.programs

    def open_serial(self, path: str, baud_rate: int) -> Pipe:
        self.tries.append(now())
        port = self._ports.pop(0) if self._ports else FileNotFoundError(errno.ENOENT, "no such file")
        if isinstance(port, Exception):
            raise port
        return port


async def test_bytes_are_received_and_a_hang_up_is_read_once() -> None:
    pipe = Pipe()
    bench = Bench(pipe)
    os.write(pipe.into, b"abc")
    await asyncio.sleep(0.001)
    assert bench.data == [b"abc"]
    os.close(pipe.into)
    await asyncio.sleep(100)
    assert pipe.reads == 2
    assert bench.data == [b"abc"]
    assert len(bench.calls) == 2
    assert bench.calls[0] == (0, "opened")
    assert "plug" in bench.calls[1][1]
    assert 195 <= len(bench.tries) <= 201, "tried every half second"
    bench.port.close()


@pytest.mark.parametrize(
    ("error", "calls"),
    [
        ({"close_error": OSError(errno.EIO, "Input/output error")}, 3),
        ({"close_error": termios.error(errno.EIO, "I/O error")}, 3),
        ({"is_gone": True}, 2),
    ],
)
async def test_a_port_that_fails_while_it_is_closed_or_opened_is_opened_again(
    error: dict[str, Any], calls: int
) -> None:
    first, second = Pipe(**error), Pipe()
    bench = Bench(first, second)
    os.close(first.into)
    await asyncio.sleep(1)
    assert len(bench.calls) == calls
    assert bench.calls[-1][1] == "opened"
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(first.out)
    os.write(second.into, b"abc")
    await asyncio.sleep(0.001)
    assert bench.data == [b"abc"]
    os.close(second.into)
    bench.port.close()


PYSERIAL = "device reports readiness to read but returned no data (device disconnected or multiple access on port?)"


@pytest.mark.parametrize("error", [None, SerialException(PYSERIAL)])
async def test_a_port_whose_bytes_another_program_takes_stays_open(error: Exception | None) -> None:
    class SharedPipe(Pipe):
        def read(self, size: int = 1, /) -> bytes:
            data = super().read(size)
            if data != b"theirs":
                return data
            if error:
                raise error
            return b""

    pipe = SharedPipe()
    bench = Bench(pipe)
    for data in (b"ours", b"theirs", b"theirs", b"ours"):
        os.write(pipe.into, data)
        await asyncio.sleep(0.1)
    assert bench.data == [b"ours", b"ours"]
    assert [name for _, name in bench.calls] == ["opened", "taken", "taken"]
    os.write(pipe.into, b"theirs")
    await asyncio.sleep(0.01)
    bench.port.close()
    await asyncio.sleep(1)
    assert bench.tries == [0]


async def test_a_locked_port_names_the_program_that_has_it() -> None:
    for programs, named in (
        ([], "`sudo reboard doctor` names that program"),
        (
            [Program("mgetty", 612, "mgetty.service")],
            "mgetty (process 612, mgetty.service): run `sudo systemctl",
        ),
        ([Program("minicom", 7), Program("cu", 8)], "minicom (process 7) and cu (process 8): stop minicom, stop cu"),
    ):
        bench = Bench(BlockingIOError(errno.EAGAIN, "locked"), programs=programs)
        bench.port.close()
        assert named in bench.calls[0][1]
