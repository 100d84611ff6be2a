"""``smbus2`` and ``smbus`` on the virtual I²C buses: the package smbus2 itself, above virtual files ``/dev/i2c-*``."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable
from ctypes import string_at
from functools import partial
from importlib.util import module_from_spec
from types import SimpleNamespace
from typing import Any

from smbus2 import smbus2 as original

from reboard_sim.script.modules.machine import I2cAddress, Machine, VirtualModule

BUSES = (0, 1)
"""The I²C buses of a Raspberry Pi: 1 is on the header, and 0 belongs to boards with an EEPROM."""

BLOCK_BYTES = 32
FUNCTIONS = 0x0EFF0009
"""What the I²C bus of a Raspberry Pi can do: all of SMBus but reading blocks whose length the device says."""

LARGEST_ADDRESS = 0x7F


class I2cDev:
    """The files ``/dev/i2c-*`` of a program: what smbus2 calls of Linux. Errors are those of the kernel."""

    def __init__(self, machine: Machine, smbus2: Any) -> None:
        self._machine, self._smbus2 = machine, smbus2
        self._buses: dict[int, int] = {}
        self._addresses: dict[int, int] = {}
        self._written: set[I2cAddress] = set()
        self._latest_file = 2

    def open(self, path: str, _flags: int) -> int:
        """Open a bus, and return its file descriptor. Raises ``FileNotFoundError``."""
        number = re.fullmatch(r"/dev/i2c-(\d+)", path)
        if not number or int(number[1]) not in BUSES:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        self._machine.here()
        self._latest_file += 1
        self._buses[self._latest_file] = int(number[1])
        return self._latest_file

    def close(self, file: int) -> None:
        """Close a bus."""
        del self._buses[file]

    def ioctl(self, file: int | None, request: int, value: Any) -> None:
        """Carry out a request of smbus2. Raises ``OSError``."""
        self._machine.here()
        constants = self._smbus2
        if file not in self._buses:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        if request == constants.I2C_FUNCS:
            value.value = FUNCTIONS
        elif request in (constants.I2C_SLAVE, constants.I2C_SLAVE_FORCE):
            if not 0 <= value <= LARGEST_ADDRESS:
                raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
            self._addresses[file] = value
        elif request == constants.I2C_SMBUS:
            self._smbus(partial(self._transfer, self._buses[file], self._addresses[file]), value)
        elif request == constants.I2C_RDWR:
            self._combined(
                partial(self._transfer, self._buses[file]), [value.msgs[each] for each in range(value.nmsgs)]
            )

    def _transfer(self, bus: int, address: int, sent: bytes, count: int) -> bytes:
        place = I2cAddress(bus, address)
        if sent and place not in self._written:
            self._written.add(place)
            self._machine.opened(place)
        return self._machine.board.i2c_bus(bus).transfer(address, sent, count)

    def _smbus(self, transfer: Callable[[bytes, int], bytes], message: Any) -> None:
        c, data = self._smbus2, message.data.contents
        command, is_read = bytes([message.command]), message.read_write == c.I2C_SMBUS_READ
        match message.size:
            case c.I2C_SMBUS_QUICK:
                transfer(b"", 0)
            case c.I2C_SMBUS_BYTE if is_read:
                data.byte = transfer(b"", 1)[0]
            case c.I2C_SMBUS_BYTE:
                transfer(command, 0)
            case c.I2C_SMBUS_BYTE_DATA if is_read:
                data.byte = transfer(command, 1)[0]
            case c.I2C_SMBUS_BYTE_DATA:
                transfer(command + bytes([data.byte]), 0)
            case c.I2C_SMBUS_WORD_DATA if is_read:
                data.word = int.from_bytes(transfer(command, 2), "little")
            case c.I2C_SMBUS_WORD_DATA:
                transfer(command + data.word.to_bytes(2, "little"), 0)
            case c.I2C_SMBUS_PROC_CALL:
                answer = transfer(command + data.word.to_bytes(2, "little"), 2)
                data.word = int.from_bytes(answer, "little")
            case c.I2C_SMBUS_BLOCK_DATA if not is_read:
                transfer(command + bytes(data.block[: data.block[0] + 1]), 0)
            case c.I2C_SMBUS_I2C_BLOCK_DATA if is_read:
                length = data.block[0]
                data.block[1 : length + 1] = list(transfer(command, length))
            case c.I2C_SMBUS_I2C_BLOCK_DATA:
                transfer(command + bytes(data.block[1 : data.block[0] + 1]), 0)
            case _:
                raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))

    def _combined(self, transfer: Callable[[int, bytes, int], bytes], messages: list[Any]) -> None:
        # a message that reads takes the bytes of the one before it that writes to the same address along
        written: dict[int, bytes] = {}
        for message in messages:
            if message.flags & self._smbus2.I2C_M_RD:
                answer = transfer(message.addr, written.pop(message.addr, b""), message.len)
                for place, byte in enumerate(answer):
                    message.buf[place] = byte
            else:
                if message.addr in written:
                    transfer(message.addr, written.pop(message.addr), 0)
                written[message.addr] = string_at(message.buf, message.len)
        for address, values in written.items():
            transfer(address, values, 0)


def modules(machine: Machine) -> dict[str, VirtualModule]:
    """Return ``smbus2`` and ``smbus`` for a program on *machine*."""
    # a module of its own, so that the firmware keeps the real one
    spec = original.__spec__
    assert spec is not None
    assert spec.loader is not None
    smbus2: Any = module_from_spec(spec)
    spec.loader.exec_module(smbus2)
    files = I2cDev(machine, smbus2)
    smbus2.ioctl = files.ioctl
    smbus2.os = SimpleNamespace(open=files.open, close=files.close, O_RDWR=os.O_RDWR)

    class SMBus(smbus2.SMBus):  # type: ignore[misc]
        """``smbus.SMBus``, which reads as many bytes as a block has if a program does not say how many."""

        def read_i2c_block_data(
            self, i2c_addr: int, register: int, length: int = BLOCK_BYTES, force: bool | None = None
        ) -> list[int]:
            values: list[int] = super().read_i2c_block_data(i2c_addr, register, length, force)
            return values

    contents = {name: getattr(smbus2, name) for name in ("SMBus", "i2c_msg", "I2cFunc")}
    return {
        "smbus2": VirtualModule("smbus2", contents, "use smbus2.SMBus"),
        "smbus": VirtualModule("smbus", {"SMBus": SMBus}, "use smbus.SMBus, or smbus2"),
    }
