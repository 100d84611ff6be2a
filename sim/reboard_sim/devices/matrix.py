"""A virtual LED matrix: a chain of MAX7219 with 8×8 LEDs each, which reads the bytes on the SPI bus."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from reboard.devices.device import FittedDevice
from reboard.devices.matrix import SIDE, MatrixConfig
from reboard_sim.devices.device import VirtualBoard, VirtualDevice


class Max7219:
    """A MAX7219 with 8×8 LEDs (data sheet: Maxim 19-4452). After power-up it is shut down and dark."""

    def __init__(self) -> None:
        self._digits = [0] * SIDE
        self._decode_mode = 0
        self._scan_limit = 0
        self._is_tested = False
        self._is_on = False
        self.intensity = 0

    def latch(self, register: int, value: int) -> None:
        """Take the 16 bits in the shift register, as at the rising edge of LOAD."""
        match register & 0x0F:
            case digit if 1 <= digit <= SIDE:
                self._digits[digit - 1] = value
            case 0x9:
                self._decode_mode = value
            case 0xA:
                self.intensity = value & 0x0F
            case 0xB:
                self._scan_limit = value & 0x07
            case 0xC:
                self._is_on = bool(value & 1)
            case 0xF:
                self._is_tested = bool(value & 1)

    def lit(self) -> list[int]:
        """Return the lit segments of each digit. No digit of a matrix is decoded, so those that are stay dark here."""
        if self._is_tested:
            return [0xFF] * SIDE
        shown = self._digits[: self._scan_limit + 1] if self._is_on and not self._decode_mode else []
        return [*shown, *[0] * (SIDE - len(shown))]


class VirtualMatrix(VirtualDevice):
    """A chain of MAX7219 with LEDs, which the firmware reaches over SPI. The first chip is on the left."""

    def __init__(self, config: MatrixConfig, board: VirtualBoard) -> None:
        self._config = config
        self._spi = board.add_spi_device(config.bus, config.chip_select, self.receive)
        self._is_unplugged = False
        self._followed: list[list[int]] | None = None
        self._reset()

    def power_on(self) -> None:
        self._spi.has_power = True
        self._reset()

    def power_off(self) -> None:
        self._spi.has_power = False
        self._reset()

    def faults(self) -> Mapping[str, Callable[[bool], None]]:
        return {"unplugged": self._unplug}

    def state(self) -> object:
        return {"glyphs": self.glyphs(), "brightness": max(chip.intensity for chip in self.chips)}

    def glyphs(self) -> list[list[int]]:
        """Return the lit LEDs of each module from the left: eight rows from the top, bit 7 is on the left."""
        if self._followed is not None:
            return self._followed
        glyphs = [_rows(chip.lit(), self._config.quarter_turns) for chip in self.chips]
        return glyphs[::-1] if self._config.is_reversed else glyphs

    def follow(self, kind: str, *values: Any) -> None:
        if kind == "event" and values[0]["event"] == "matrix":
            self._followed = values[0]["glyphs"]

    def receive(self, values: bytes) -> None:
        """Shift *values* through the chain. The last two bytes are in the first chip when all chips latch."""
        if self._is_unplugged:
            return
        pairs = [values[place : place + 2] for place in range(0, len(values) - 1, 2)]
        for chip, (register, value) in zip(self.chips, reversed(pairs), strict=False):
            chip.latch(register, value)

    def _reset(self) -> None:
        self.chips = [Max7219() for _ in range(self._config.modules)]

    def _unplug(self, unplugged: bool) -> None:
        self._is_unplugged = unplugged
        self._reset()


def _rows(digits: Sequence[int], quarter_turns: int) -> list[int]:
    """Return the rows of a module that is turned clockwise. In an upright one each digit is a column, bit 0 on top."""
    grid = [[digit >> y & 1 for digit in digits] for y in range(SIDE)]
    for _ in range(quarter_turns):
        grid = [list(row) for row in zip(*reversed(grid), strict=True)]
    return [int("".join(map(str, row)), 2) for row in grid]


FAULTS = {"unplugged": "Its plug is out: it is dark, and the firmware cannot notice."}


def wired(device: FittedDevice[MatrixConfig, Any], board: VirtualBoard) -> VirtualMatrix:
    """Return a matrix on the SPI bus in the config of *device*."""
    assert device.config is not None
    return VirtualMatrix(device.config, board)
