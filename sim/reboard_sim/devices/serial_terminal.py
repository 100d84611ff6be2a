"""A virtual terminal at a serial port: a person who types lines, or a device that sends the lines of a file."""

from __future__ import annotations

import asyncio
from itertools import cycle
from pathlib import Path
from typing import Annotated, Any

from reboard.config.kinds import Number, Section, Whole, file_path, text
from reboard.devices.device import DeviceKind, FittedDevice
from reboard.record import Record
from reboard_sim.board.serial_line import VirtualSerialLine
from reboard_sim.devices.console import FORMS as FORMS
from reboard_sim.devices.console import VirtualConsole
from reboard_sim.devices.device import VirtualBoard

FASTEST_BAUD = 4_000_000


class TerminalConfig(Record):
    """The *port* of a terminal, and the *file* of which it sends a line *every* so many seconds, again and again."""

    port: Annotated[str, text, "the serial port, such as `/dev/serial0`"]
    baud_rate: Annotated[int, Whole(0, FASTEST_BAUD), "its baud rate. Left out: that of the program"] = 0
    file: Annotated[Path | None, file_path, "a file whose lines it sends"] = None
    every: Annotated[float, Number(0.01, 3600, "seconds"), "the time between two lines, in seconds"] = 1.0


class TerminalKind(DeviceKind[TerminalConfig, Any]):
    """The kind of terminals."""

    name = "serial_terminal"

    def files(self, config: TerminalConfig) -> tuple[str, ...]:
        return (config.port,)


TERMINAL = TerminalKind()
SETTINGS = TERMINAL, Section(TerminalConfig)


class SerialTerminal(VirtualConsole):
    """A terminal that shows what a program sends on *line*, and sends each line that is entered."""

    def __init__(self, line: VirtualSerialLine, config: TerminalConfig) -> None:
        super().__init__()
        self._line, self._every_s = line, config.every
        self._lines = config.file.read_bytes().splitlines(keepends=True) if config.file else []
        self._timer: asyncio.TimerHandle | None = None
        line.baud_rate = config.baud_rate
        line.listen(lambda data: self.write(data.decode(errors="replace").replace("\r", "")))
        self.on_line.append(lambda entered: line.send(f"{entered}\n".encode()))

    def power_on(self) -> None:
        super().power_on()
        self.asks = True
        if self._lines:
            self._next = cycle(self._lines)
            self._timer = asyncio.get_running_loop().call_later(self._every_s, self._send_next)

    def power_off(self) -> None:
        if self._timer:
            self._timer.cancel()

    def close(self) -> None:
        self._line.close()

    def _send_next(self) -> None:
        self._line.send(next(self._next))
        self._timer = asyncio.get_running_loop().call_later(self._every_s, self._send_next)


def widget(_: FittedDevice[Any, Any]) -> str:
    """Return the name of the control."""
    return "console"


def wired(device: FittedDevice[TerminalConfig, Any], board: VirtualBoard) -> SerialTerminal:
    """Return a terminal at the port in the config of *device*."""
    assert device.config is not None
    return SerialTerminal(board.add_serial_line(device.config.port), device.config)
