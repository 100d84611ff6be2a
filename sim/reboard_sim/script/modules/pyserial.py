"""``serial``, the package pyserial, on the virtual serial lines."""

from __future__ import annotations

import errno
import os
import threading
import time
from typing import Any

import serial
from serial import PortNotOpenError, SerialException
from serial.serialutil import SerialBase, to_bytes
from serial.tools import list_ports_common

from reboard.board import SerialLine
from reboard.config.pins_and_ports import HEADER_UARTS
from reboard_sim.board.serial_line import VirtualSerialLine
from reboard_sim.script.modules.machine import Machine, SerialPort, VirtualModule

READ_BYTES = 4096


class ProgramSerial(SerialBase):  # type: ignore[misc]
    """``serial.Serial``: what pyserial does, on a virtual line. Bytes need no time, and the modem lines are off."""

    machine: Machine
    is_open: bool
    cts = dsr = ri = cd = False
    out_waiting = 0

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._line: SerialLine | None = None
        self._at: VirtualSerialLine | None = None
        self._arrived = threading.Event()
        self._received = bytearray()
        self._is_cancelled = False
        super().__init__(*args, **kwargs)

    def open(self) -> None:
        """Open the port. Raises ``SerialException``."""
        if self._port is None:
            raise SerialException("Port must be configured before it can be used.")
        if self.is_open:
            raise SerialException("Port is already open.")
        self.machine.here()
        self.machine.opened(SerialPort(self._port))
        try:
            self._at = self._found()
            self._line = self._at.open(self._baudrate)
        except OSError as error:
            raise SerialException(error.errno, f"could not open port {self._port}: {error}") from error
        self._received.clear()
        self._at.on_arrival.append(self._arrived.set)
        self.is_open = True

    def close(self) -> None:
        """Close the port."""
        if self._line and self._at:
            self.machine.here()
            self._at.on_arrival.remove(self._arrived.set)
            self._line.close()
        self._line = None
        self.is_open = False

    @property
    def in_waiting(self) -> int:
        """The number of bytes that `read` returns without waiting."""
        self._receive()
        return len(self._received)

    def read(self, size: int = 1) -> bytes:
        """Return *size* bytes, or fewer after the timeout."""
        until = None if self._timeout is None else time.monotonic() + self._timeout
        self._is_cancelled = False
        while True:
            self._arrived.clear()
            left = None if until is None else until - time.monotonic()
            if self.in_waiting >= size or self._is_cancelled or (left is not None and left <= 0):
                break
            self._arrived.wait(left)
        data = bytes(self._received[:size])
        del self._received[:size]
        return data

    def cancel_read(self) -> None:
        """End a `read` in another thread."""
        self._is_cancelled = True
        self._arrived.set()

    def write(self, data: Any) -> int:
        """Send *data*, and return its length."""
        sent: bytes = to_bytes(data)
        self._open_line().write(sent)
        return len(sent)

    def flush(self) -> None:
        """Do nothing, because bytes arrive at once."""
        self._open_line()

    def reset_input_buffer(self) -> None:
        """Drop the bytes that have arrived."""
        self._receive()
        self._received.clear()

    def reset_output_buffer(self) -> None:
        """Do nothing, because bytes arrive at once."""
        self._open_line()

    def _receive(self) -> None:
        line = self._open_line()
        try:
            while data := line.read(READ_BYTES):
                self._received += data
        except SerialException:
            raise
        except OSError as error:
            raise SerialException(f"read failed: {error}") from error

    def _open_line(self) -> SerialLine:
        if not self._line:
            raise PortNotOpenError()
        self.machine.here()
        return self._line

    def _found(self) -> VirtualSerialLine:
        lines = self.machine.board.serial_lines
        names = HEADER_UARTS if self._port in HEADER_UARTS else ()
        if line := next((lines[name] for name in (self._port, *names) if name in lines), None):
            return line
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), self._port)

    def _reconfigure_port(self, force_update: bool = False) -> None:
        pass

    _update_break_state = _update_rts_state = _update_dtr_state = _reconfigure_port


def modules(machine: Machine) -> dict[str, VirtualModule]:
    """Return ``serial`` and its list of ports for a program on *machine*."""
    port_class = type("Serial", (ProgramSerial,), {"machine": machine})

    def serial_for_url(url: str, *args: Any, **kwargs: Any) -> Any:
        """Return an open port. A URL such as ``loop://`` is not a port of the Pi."""
        make = serial.serial_for_url if "://" in url else port_class
        return make(url, *args, **kwargs)

    def comports(include_links: bool = False) -> list[Any]:
        """Return the serial ports of the virtual Pi."""
        machine.here()
        return [list_ports_common.ListPortInfo(path) for path in machine.board.serial_lines]

    names = {name: value for name, value in vars(serial).items() if not name.startswith("__") and name != "sys"}
    names["__version__"] = serial.__version__
    ports = VirtualModule("serial.tools.list_ports", {"comports": comports}, "use comports()")
    tools = VirtualModule("serial.tools", {"list_ports": ports}, "it has list_ports and miniterm")
    vars(tools)["__path__"] = serial.tools.__path__
    names |= {"Serial": port_class, "serial_for_url": serial_for_url, "tools": tools}
    library = VirtualModule("serial", names, "use serial.Serial and the other names of pyserial")
    vars(library)["__path__"] = serial.__path__
    return {each.__name__: each for each in (library, tools, ports)}
