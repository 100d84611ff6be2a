"""A virtual OLED: an SSD1306 with 128×64 dots, at the level of its registers and its memory.

Its text is read from its dots, so wrong settings or wrong data show garbage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import ClassVar

from reboard.devices.displays.display_controller import Picture
from reboard.devices.displays.kinds.ssd1306 import Ssd1306
from reboard.devices.displays.pixel_font import CELL_HEIGHT, CELL_WIDTH, PAGE, cell
from reboard.languages import DISPLAY_COLUMNS, DISPLAY_ROWS
from reboard_sim.board.i2c import VirtualI2cBus
from reboard_sim.devices.displays.virtual_display import DisplayChip, VirtualDisplay

WIDE, HIGH = 128, 64
PAGES = HIGH // PAGE
MORE_FOLLOWS, IS_DATA = 0x80, 0x40
"""The bits of a control byte: another control byte follows the next byte; the next ones are data."""


class Ssd1306Chip(DisplayChip):
    """An SSD1306 and its glass."""

    columns: ClassVar[int] = WIDE
    first_column: ClassVar[int] = 0
    """The column of the memory that is at the left edge of the glass."""

    parameters: ClassVar[Mapping[int, int]] = {
        **dict.fromkeys((0x20, 0x81, 0x8D, 0xA8, 0xD3, 0xD5, 0xD9, 0xDA, 0xDB), 1),
        **dict.fromkeys((0x21, 0x22, 0xA3), 2),
        0x29: 5,
        0x2A: 5,
        0x26: 6,
        0x27: 6,
    }
    """The number of bytes that follow a command."""

    has_supply: ClassVar[bool] = False
    """Whether its charge pump is on after a reset."""

    def power(self, on: bool) -> None:
        """Switch the power on or off. The display is off then, and its memory has any dots."""
        with self._lock:
            self.has_power = on
            self.is_on = self._is_inverted = self._is_filled = False
            self._pump = self.has_supply
            self._flips_columns = self._flips_rows = False
            self._first_row = self._offset = self._page = self._column = 0
            self._mode = 2
            self._waiting: list[int] = []
            self._memory = [bytearray(place * 37 & 0xFF for place in range(self.columns)) for _ in range(PAGES)]
        self.changed()

    def receive(self, values: bytes) -> Sequence[str | None]:
        """Obey the commands of a transfer and keep its data. Return what it means, at its last byte."""
        meanings: list[str] = []
        written = 0
        with self._lock:
            rest = iter(values)
            for control in rest:
                for byte in [next(rest, 0)] if control & MORE_FOLLOWS else rest:
                    if control & IS_DATA:
                        written += 1
                        self._write(byte)
                    elif meaning := self._obey(byte):
                        meanings.append(meaning)
        self.changed()
        if written:
            meanings = [f"{written} bytes from page {self._page}, column {self._column - written} on"]
        return [None] * (len(values) - 1) + [", ".join(meanings) or "nothing"]

    def send(self) -> int:
        """Return the status: bit 6 is set while the display is off."""
        return 0x00 if self.is_on else 0x40

    def spark(self) -> None:
        """Invert the picture, move it, spoil the memory, and leave a command without its last byte."""
        with self._lock:
            for command in (0xA7, 0x45, 0xD3):
                self._obey(command)
            for page in self._memory:
                page[::3] = bytes(byte ^ 0x55 for byte in page[::3])
        self.changed()

    @property
    def is_lit(self) -> bool:
        return self.is_on and self._pump

    def rows(self) -> list[list[bool]]:
        """Return the rows of dots that the user sees, from the top."""
        with self._lock:
            if not (self.is_lit and self._is_readable):
                return [[False] * WIDE for _ in range(HIGH)]
            return [[self._is_set(x, y) for x in range(WIDE)] for y in range(HIGH)]

    def _is_set(self, x: int, y: int) -> bool:
        row = ((y if self._flips_rows else HIGH - 1 - y) + self._first_row + self._offset) % HIGH
        dot = bool(self._memory[row // PAGE][self.first_column + x] >> row % PAGE & 1)
        return self._is_filled or dot != self._is_inverted

    def _write(self, byte: int) -> None:
        column = self._column % self.columns
        self._memory[self._page][column if self._flips_columns else self.columns - 1 - column] = byte
        self._column += 1
        if self._column >= self.columns and self._mode == 0:
            self._page = (self._page + 1) % PAGES
        self._column %= self.columns

    def _obey(self, byte: int) -> str | None:
        """Take a byte of a command. Return the meaning of the command that it completes, if it is worth a word."""
        self._waiting.append(byte)
        command, *values = self._waiting
        if len(values) < self.parameters.get(command, 0):
            return None
        self._waiting = []
        if 0xB0 <= command < 0xB0 + PAGES:
            self._page = command & 0x07
        elif command < 0x10:
            self._column = self._column & 0xF0 | command
        elif command < 0x20:
            self._column = (command & 0x0F) << 4 | self._column & 0x0F
        elif 0x40 <= command < 0x80:
            self._first_row = command & 0x3F
            return f"first row {self._first_row}"
        else:
            return self._set(command, values)
        return None

    def _set(self, command: int, values: Sequence[int]) -> str | None:
        match command:
            case 0xA0 | 0xA1:
                self._flips_columns = command == 0xA1
            case 0xC0 | 0xC8:
                self._flips_rows = command == 0xC8
            case 0xA4 | 0xA5:
                self._is_filled = command == 0xA5
            case 0xA6 | 0xA7:
                self._is_inverted = command == 0xA7
            case 0xAE | 0xAF:
                self.is_on = command == 0xAF
                return f"display {'on' if self.is_on else 'off'}"
            case 0x20:
                self._mode = values[0] & 0x03
            case 0xD3:
                self._offset = values[0] & 0x3F
            case 0x81:
                return f"brightness {values[0]}"
            case 0x8D:
                self._pump = bool(values[0] & 0x04)
                return f"charge pump {'on' if self._pump else 'off'}"
        return None


@cache
def _characters() -> Mapping[bytes, str]:
    """Return the character for the dots of each cell. Of those that look the same, it is the first."""
    known = "".join(map(chr, (*range(0x20, 0x7F), *range(0xA1, 0x180)))) + "→←€"
    return {cell(character): character for character in reversed(known)}


class VirtualSsd1306(VirtualDisplay):
    """An OLED with an SSD1306."""

    look = "oled"
    chip_class: ClassVar[type[Ssd1306Chip]] = Ssd1306Chip
    controller: ClassVar[type[Ssd1306]] = Ssd1306

    def __init__(self, address: int, bus: Callable[[], VirtualI2cBus]) -> None:
        self.chip = self.chip_class()
        super().__init__(self.chip, self.chip, address, bus)

    def lines(self) -> list[str]:
        rows = self.chip.rows()
        return ["".join(self._read(rows, line)) for line in range(DISPLAY_ROWS)]

    @staticmethod
    def _read(rows: Sequence[Sequence[bool]], line: int) -> Iterator[str]:
        for place in range(DISPLAY_COLUMNS):
            pages = [rows[top : top + PAGE] for top in range(line * CELL_HEIGHT, (line + 1) * CELL_HEIGHT, PAGE)]
            columns = range(place * CELL_WIDTH, (place + 1) * CELL_WIDTH)
            dots = bytes(sum(row[x] << y for y, row in enumerate(page)) for page in pages for x in columns)
            yield _characters().get(dots, "□")

    def dots(self) -> list[str]:
        return ["".join("01"[dot] for dot in row) for row in self.chip.rows()]

    def legible(self, line: str) -> str:
        return "".join(_characters().get(cell(character), "?") for character in line)

    def show(self, lines: Sequence[str], *, lit: bool) -> None:
        self.chip.power(True)
        for transfer in self.controller.everything(Picture(tuple(lines), lit)):
            self.chip.receive(transfer)


DISPLAY = VirtualSsd1306
