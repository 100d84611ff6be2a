"""A virtual device on an I²C bus that has 256 registers of a byte, as most sensors have."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import field
from typing import Annotated, Any

from reboard.config.kinds import Section, Whole
from reboard.config.reading import KeyPath, Reading
from reboard.devices.device import DeviceKind, FittedDevice
from reboard.record import Record
from reboard_sim.board.i2c import VirtualI2cBus
from reboard_sim.devices.device import VirtualBoard, VirtualDevice

REGISTERS = 256
BYTE = Whole(0, 255)


def _values(reading: Reading, path: KeyPath, value: object, /) -> Mapping[int, int]:
    example = "a table such as { 0x75 = 0x68 }, from registers to bytes"
    if not isinstance(value, dict):
        raise reading.must_be(path, example, value)
    try:
        return {BYTE(reading, path, int(key, 0)): BYTE(reading, (*path, key), byte) for key, byte in value.items()}
    except ValueError:
        raise reading.must_be(path, example, value) from None


class RegistersConfig(Record):
    """The *bus* and *address* of a device, and the *values* of its registers when the power comes on."""

    address: Annotated[int, Whole(0x03, 0x77), "its I²C address"]
    bus: Annotated[int, Whole(0, 1), "number of the I²C bus"] = 1
    values: Annotated[
        Mapping[int, int], _values, "registers, such as `{ 0x75 = 0x68 }`. Left out: all are 0 at first"
    ] = field(default_factory=dict)


class RegistersKind(DeviceKind[RegistersConfig, Any]):
    """The kind of devices with registers."""

    name = "i2c_registers"

    def files(self, config: RegistersConfig) -> tuple[str, ...]:
        return (f"/dev/i2c-{config.bus}",)


I2C_REGISTERS = RegistersKind()
SETTINGS = I2C_REGISTERS, Section(RegistersConfig)


class I2cRegisters(VirtualDevice):
    """A device with registers. The first byte of a transfer selects one, and each further byte goes to the next."""

    def __init__(self, config: RegistersConfig, board: VirtualBoard) -> None:
        self._config, self._board = config, board
        self._bus: VirtualI2cBus | None = None
        self.power(False)

    def power(self, on: bool) -> None:
        """Reset the registers, as power-up does."""
        self._pointer = 0
        self.registers = bytearray(REGISTERS)
        for register, value in self._config.values.items():
            self.registers[register] = value

    def receive(self, values: bytes) -> Sequence[object]:
        """Store the bytes of a transfer. Return the meaning of each."""
        self._pointer = values[0]
        meanings: list[object] = [f"register 0x{values[0]:02X}"]
        for value in values[1:]:
            self.registers[self._pointer] = value
            meanings.append(_row(self._pointer, value))
            self._next()
        return meanings

    def send(self) -> int:
        """Return the selected register, and select the next one."""
        value = self.registers[self._pointer]
        self._next()
        return value

    def power_on(self) -> None:
        self._bus = self._board.i2c_bus(self._config.bus)
        self._bus.attach(self._config.address, self)

    def state(self) -> object:
        return {"text": "\n".join(self.shows()), "asks": False}

    def shows(self) -> Collection[str]:
        """Return the registers that are not 0, such as ``0x6B = 0x01``."""
        return [_row(register, value) for register, value in enumerate(self.registers) if value]

    def _next(self) -> None:
        self._pointer = (self._pointer + 1) % REGISTERS


def _row(register: int, value: int) -> str:
    return f"0x{register:02X} = 0x{value:02X}"


def widget(_: FittedDevice[Any, Any]) -> str:
    """Return the name of the control."""
    return "console"


def wired(device: FittedDevice[RegistersConfig, Any], board: VirtualBoard) -> I2cRegisters:
    """Return a device at the address in the config of *device*."""
    assert device.config is not None
    return I2cRegisters(device.config, board)
