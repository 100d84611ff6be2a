"""A serial port on a real pseudo-terminal, as pyserial reads it. The other tests of readers have lines in memory."""

from __future__ import annotations

import asyncio
import os
import select
import tty
from collections.abc import Iterator
from contextlib import closing, suppress

import pytest
from serial import Serial

from reboard.devices.readers.reader_port import SerialPort
from reboard.raspberry_pi import RaspberryPi
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.realtime


class Terminal:
    """A pseudo-terminal, and a user of the serial port at its *path*, who notes what happens."""

    def __init__(self, board: RaspberryPi) -> None:
        self._ours, self._theirs = os.openpty()
        tty.setraw(self._theirs)
        self.path = os.ttyname(self._theirs)
        self._board = board
        self.notes: list[str] = []
        self._noted = asyncio.Event()

    def port(self) -> SerialPort:
        port = SerialPort(self.path, 9600, self._board)
        port.start(self)
        return port

    def send(self, data: bytes) -> None:
        os.write(self._ours, data)

    def wait_for_delivery(self) -> None:
        assert select.select([self._theirs], [], [], PATIENCE_S)[0]

    def heard(self) -> bytes:
        return os.read(self._ours, 100)

    def take(self) -> None:
        """Read the bytes, as another program would."""
        os.read(self._theirs, 100)

    async def until(self, note: str) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not any(note in each for each in self.notes):
                self._noted.clear()
                await self._noted.wait()

    def received(self, data: bytes) -> None:
        self._note(data.decode())

    def opened(self) -> None:
        self._note("opened")

    def lost(self, cause: str) -> None:
        self._note(cause)

    def taken(self) -> None:
        self._note("taken")

    def unplug(self) -> None:
        for end in (self._ours, self._theirs):
            with suppress(OSError):
                os.close(end)

    close = unplug

    def _note(self, note: str) -> None:
        self.notes.append(note)
        self._noted.set()


@pytest.fixture
def board(monkeypatch: pytest.MonkeyPatch) -> Iterator[RaspberryPi]:
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    with closing(RaspberryPi()) as board:
        yield board


async def test_a_port_receives_and_sends_what_comes_after_it_is_opened(board: RaspberryPi) -> None:
    with closing(Terminal(board)) as terminal:
        terminal.send(b"old ")
        terminal.wait_for_delivery()
        with closing(terminal.port()) as port:
            terminal.send(b"new")
            await terminal.until("new")
            port.write(b"hello")
            assert terminal.heard() == b"hello"
        assert terminal.notes == ["opened", "new"]


async def test_a_port_that_is_open_is_in_use_for_another(board: RaspberryPi) -> None:
    with closing(Terminal(board)) as terminal, closing(terminal.port()), closing(terminal.port()):
        await terminal.until("is in use by another program")


async def test_a_port_that_hangs_up_is_lost_once(board: RaspberryPi) -> None:
    with closing(Terminal(board)) as terminal, closing(terminal.port()) as port:
        terminal.unplug()
        await terminal.until("was disconnected")
        port.write(b"nothing")
        await asyncio.sleep(0)
        assert len(terminal.notes) == 2


async def test_bytes_that_another_program_reads_first_are_reported(
    board: RaspberryPi, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(Terminal(board)) as terminal, closing(terminal.port()):
        read = Serial.read

        def read_late(self: Serial, size: int) -> bytes:
            if not terminal.notes[1:]:
                terminal.take()
            data: bytes = read(self, size)
            return data

        monkeypatch.setattr(Serial, "read", read_late)
        terminal.send(b"lost")
        await terminal.until("taken")
        terminal.send(b"kept")
        await terminal.until("kept")
        assert terminal.notes == ["opened", "taken", "kept"]
