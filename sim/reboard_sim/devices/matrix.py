"""A virtual LED matrix: a chain of MAX7219 with 8×8 LEDs each, which reads the bytes on the SPI bus."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from reboard.devices.device import FittedDevice
from reboard.devices.glyphs import SIDE
from reboard.devices.matrix import MATRIX, MATRIX_SETTING, MatrixConfig
from reboard_sim.devices import spi_chip
from reboard_sim.devices.device import VirtualBoard


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


class VirtualMatrix(spi_chip.VirtualSpiChip[MatrixConfig]):
    """A chain of MAX7219 with LEDs, which the firmware reaches over SPI. The first chip is on the left."""

    event = "matrix"

    def state(self) -> object:
        return {"glyphs": self.glyphs(), "brightness": max(chip.intensity for chip in self.chips)}

    def shows(self) -> Collection[str]:
        """Return ``on`` or ``off``, and how many LEDs are lit, such as ``17 lit``."""
        lit = sum(row.bit_count() for rows in self.glyphs() for row in rows)
        return ["on" if lit else "off", f"{lit} lit"]

    def glyphs(self) -> list[list[int]]:
        """Return the lit LEDs of each module from the left: eight rows from the top, bit 7 is on the left."""
        if self._shown is not None:
            return self._shown
        glyphs = [_rows(chip.lit(), self.config.quarter_turns) for chip in self.chips]
        return glyphs[::-1] if self.config.is_reversed else glyphs

    def reset(self) -> None:
        self.chips = [Max7219() for _ in range(self.config.modules)]
        self._shown: list[list[int]] | None = None

    def receive(self, values: bytes) -> None:
        """Shift *values* through the chain. The last two bytes are in the first chip when all chips latch."""
        pairs = [values[place : place + 2] for place in range(0, len(values) - 1, 2)]
        for chip, (register, value) in zip(self.chips, reversed(pairs), strict=False):
            chip.latch(register, value)

    def show(self, event: Mapping[str, Any]) -> None:
        self._shown = event["glyphs"]


def _rows(digits: Sequence[int], quarter_turns: int) -> list[int]:
    """Return the rows of a module that is turned clockwise. In an upright one each digit is a column, bit 0 on top."""
    grid = [[digit >> y & 1 for digit in digits] for y in range(SIDE)]
    for _ in range(quarter_turns):
        grid = [list(row) for row in zip(*reversed(grid), strict=True)]
    return [int("".join(map(str, row)), 2) for row in grid]


FAULTS = spi_chip.FAULTS
SETTINGS = MATRIX, MATRIX_SETTING


def wired(device: FittedDevice[MatrixConfig, Any], board: VirtualBoard) -> VirtualMatrix:
    """Return a matrix on the SPI bus in the config of *device*."""
    assert device.config is not None
    return VirtualMatrix(device.config, board)
