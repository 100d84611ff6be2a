"""A virtual display: an HD44780 with two lines of 16 characters, four of its wires on a PCF8574.

After the data sheets of both: what is modelled is what the wires see, so that a driver which takes a liberty that the
real controller does not allow shows garbage here too.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import NamedTuple

from reboard_sim.lcd_font import BLANK, DOT_ROWS, DOTS_WIDE, FILLED, Dots, character_of, dots_of

ROWS = 2
COLUMNS = 16

ROW_BEGINS = 0x40
"""The second line's first address; each line's memory is 40 characters long, of which 16 are seen."""

LINE_CELLS = 40
MEMORY_CELLS = ROWS * LINE_CELLS

# the PCF8574's pins on the usual backpack
REGISTER_SELECT, READ, ENABLE, BACKLIGHT = 0x01, 0x02, 0x04, 0x08
ALL_HIGH = 0xFF


class Taken(NamedTuple):
    """A byte that the controller took: data or a command; data went to *address* of the screen or of the own font."""

    byte: int
    is_data: bool
    to_font: bool
    address: int


class Hd44780:
    """The controller and its glass. Any thread may write or look.

    Only the upper four data wires are connected; the lower four float, and the chip pulls them high. *on_change*
    listeners are called in the thread that writes, whenever something that can be seen may have changed. Without power
    until it is given some.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self.on_change: list[Callable[[], None]] = []
        self.power(False)

    def power(self, on: bool) -> None:
        """The supply came or went. After power-up it is empty and off, drives one line and listens to eight wires."""
        with self._lock:
            self._has_power = on
            self._eight_wires = True
            self._high_nibble: int | None = None
            self._two_lines = False
            self._step = 1
            self._shifts = False
            self._shift = 0
            self._address = 0
            self._to_font = False
            self._cells = bytearray(b" " * MEMORY_CELLS)
            self._own_font = bytearray(64)
            self.is_on = False
        self.changed()

    def latch(self, nibble: int, is_data: bool) -> Taken | None:
        """The enable wire fell while the four upper data wires were *nibble*. Returns the byte that is whole now."""
        with self._lock:
            if self._eight_wires:
                byte = nibble << 4 | 0x0F
            elif self._high_nibble is None:
                self._high_nibble = nibble
                return None
            else:
                byte = self._high_nibble << 4 | nibble
                self._high_nibble = None
            taken = Taken(byte, is_data, self._to_font, self._address)
            if is_data:
                self._write(byte)
            else:
                self._obey(byte)
        self.changed()
        return taken

    def changed(self) -> None:
        """Tell the listeners."""
        for listener in tuple(self.on_change):
            listener()

    def lines(self) -> list[str]:
        """What can be read: two lines of exactly 16 characters, blank while the display is off."""
        return ["".join(map(character_of, row)) for row in self._visible()]

    def dots(self) -> list[list[Dots]]:
        """The glass dot by dot: two rows of 16 cells.

        A controller that was never spoken to shows its upper line as dark boxes: it drives one line of the two.
        """
        with self._lock:
            if self._has_power and not self._two_lines:
                return [[FILLED] * COLUMNS, [BLANK] * COLUMNS]
            return [[self._cell(code) for code in row] for row in self._visible()]

    def _visible(self) -> list[bytes]:
        with self._lock:
            if not self.is_on:
                return [b" " * COLUMNS] * ROWS
            if not self._two_lines:
                seen = bytes(self._cells[(self._shift + column) % MEMORY_CELLS] for column in range(COLUMNS))
                return [seen, b" " * COLUMNS]
            return [
                bytes(self._cells[row * LINE_CELLS + (self._shift + column) % LINE_CELLS] for column in range(COLUMNS))
                for row in range(ROWS)
            ]

    def _cell(self, code: int) -> Dots:
        if code >= 0x10:
            return dots_of(code)
        begin = code % 8 * DOT_ROWS
        return tuple(row & (1 << DOTS_WIDE) - 1 for row in self._own_font[begin : begin + DOT_ROWS])

    def _write(self, byte: int) -> None:
        if self._to_font:
            self._own_font[self._address] = byte
            self._address = (self._address + self._step) % len(self._own_font)
            return
        self._cells[self._cell_index()] = byte
        self._move_cursor(self._step)
        if self._shifts:
            self._shift += self._step

    def _obey(self, byte: int) -> None:
        # The highest bit that is set says what is asked, the bits below it say how.
        match byte.bit_length():
            case 8:
                self._to_font, self._address = False, byte & 0x7F
            case 7:
                self._to_font, self._address = True, byte & 0x3F
            case 6:
                self._eight_wires = bool(byte & 0x10)
                self._two_lines = bool(byte & 0x08)
            case 5:
                right = bool(byte & 0x04)
                if byte & 0x08:
                    self._shift += -1 if right else 1
                else:
                    self._move_cursor(1 if right else -1)
            case 4:
                self.is_on = bool(byte & 0x04)
            case 3:
                self._step = 1 if byte & 0x02 else -1
                self._shifts = bool(byte & 0x01)
            case 2:
                self._home()
            case 1:
                self._cells[:] = b" " * MEMORY_CELLS
                self._step = 1
                self._home()

    def _home(self) -> None:
        self._to_font, self._address, self._shift = False, 0, 0

    def _cell_index(self) -> int:
        """Where in memory the address is; the addresses between the lines' ends and beginnings are nowhere."""
        if not self._two_lines:
            return self._address % MEMORY_CELLS
        row, column = divmod(self._address, ROW_BEGINS)
        return row * LINE_CELLS + column % LINE_CELLS

    def _move_cursor(self, step: int) -> None:
        cell = (self._cell_index() + step) % MEMORY_CELLS
        if self._two_lines:
            row, column = divmod(cell, LINE_CELLS)
            cell = row * ROW_BEGINS + column
        self._address = cell


class Pcf8574:
    """Eight output pins on the I²C bus, wired to a display the way nearly all backpacks are.

    P7–P4 are D7–D4, P3 switches the backlight, P2 is E, P1 R/W and P0 RS. After power-up all pins are high.
    """

    def __init__(self, lcd: Hd44780) -> None:
        self.lcd = lcd
        self._pins = 0

    @property
    def backlight(self) -> bool:
        """Whether it is lit."""
        return bool(self._pins & BACKLIGHT)

    def receive(self, value: int) -> Taken | None:
        """Set the pins, and return what the controller has taken by that, if anything.

        It takes what was on its wires before E fell, not what comes with the fall.
        """
        taken = None
        before, self._pins = self._pins, value
        if before & ENABLE and not value & ENABLE and not before & READ:
            taken = self.lcd.latch(before >> 4, bool(before & REGISTER_SELECT))
        if (before ^ value) & BACKLIGHT:
            self.lcd.changed()
        return taken

    def send(self) -> int:
        """How its pins are: the display drives none of them while it is only written to."""
        return self._pins

    def power(self, on: bool) -> None:
        """The supply came or went, for the display too."""
        self._pins = ALL_HIGH if on else 0
        self.lcd.power(on)
