"""The chips of a virtual display: an HD44780 with two lines of 16 characters, and a PCF8574 I/O expander.

Both chips follow their data sheets at the level of their pins. Bytes that a real controller would misread show
garbage on the virtual display too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from reboard_sim.devices.displays.lcd_font import BLANK, DOT_ROWS, DOTS_WIDE, FILLED, Dots, character_of, dots_of
from reboard_sim.devices.displays.virtual_display import DisplayChip

ROWS = 2
COLUMNS = 16

ROW_BEGINS = 0x40
"""The DDRAM address where the second line begins. Each line has 40 characters, of which 16 are visible."""

LINE_CELLS = 40
WIDE_COLUMNS = 20
"""The characters of a line of a display with four lines. Its last two continue the first two in the memory."""

MEMORY_CELLS = ROWS * LINE_CELLS

# the PCF8574's pins on the usual backpack
REGISTER_SELECT, READ, ENABLE, BACKLIGHT = 0x01, 0x02, 0x04, 0x08
ALL_HIGH = 0xFF

# commands of the HD44780
FOUR_WIRES, DISPLAY_ON, DISPLAY_OFF, FROM_LEFT, CLEAR = 0x28, 0x0C, 0x08, 0x06, 0x01


class Taken(NamedTuple):
    """A byte that the controller received: a command, or data for *address* of the screen or of the user font."""

    byte: int
    is_data: bool
    to_font: bool
    address: int


class Hd44780(DisplayChip):
    """An HD44780. Only its upper four data pins are connected. The chip pulls the lower four high.

    If it *can_grow*, its display has four lines of 20 characters as soon as the cursor is set to the begin of the third
    or fourth one, where a program for two lines of 16 has nothing to write.
    """

    can_grow = False
    has_four_lines = False

    def power(self, on: bool) -> None:
        """Switch the power on or off. Reset the controller: empty screen, display off, one line, 8-bit interface."""
        with self._lock:
            self.has_power = on
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
        """Read *nibble*, as at the falling edge of E. Return the byte that it completes, or ``None``."""
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

    def lines(self) -> list[str]:
        """Return the text of the lines, two of 16 characters or four of 20, blank if it is off or unreadable."""
        rows = self.visible()
        if self.has_four_lines:
            rows = [
                row[begin : begin + WIDE_COLUMNS] for begin in (0, WIDE_COLUMNS) for row in self.visible(LINE_CELLS)
            ]
        return ["".join(map(character_of, row)) for row in rows]

    def dots(self) -> list[list[Dots]]:
        """Return the dots of the screen: two rows of 16 cells.

        With power and in one-line mode, as after power-up, the first row shows dark boxes.
        """
        with self._lock:
            if self._is_readable and self.has_power and not self._two_lines:
                return [[FILLED] * COLUMNS, [BLANK] * COLUMNS]
            return [[self._cell(code) for code in row] for row in self.visible()]

    def visible(self, columns: int = COLUMNS) -> list[bytes]:
        """Return the first *columns* codes of the two rows. They are blank if it is off or unreadable."""
        with self._lock:
            if not (self.is_on and self._is_readable):
                return [b" " * columns] * ROWS
            if not self._two_lines:
                seen = bytes(self._cells[(self._shift + column) % MEMORY_CELLS] for column in range(columns))
                return [seen, b" " * columns]
            return [
                bytes(self._cells[row * LINE_CELLS + (self._shift + column) % LINE_CELLS] for column in range(columns))
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
        index = self._cell_index()
        self._cells[index] = byte
        self._move_cursor(index + self._step)
        if self._shifts:
            self._shift += self._step

    def _obey(self, byte: int) -> None:
        # the highest bit that is set is the command, the bits below it are its options
        match byte.bit_length():
            case 8:
                self._to_font, self._address = False, byte & 0x7F
                self.has_four_lines |= self.can_grow and self._address % ROW_BEGINS == WIDE_COLUMNS
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
                    self._move_cursor(self._cell_index() + (1 if right else -1))
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
        if not self._two_lines:
            return self._address % MEMORY_CELLS
        row, column = divmod(self._address, ROW_BEGINS)
        return row * LINE_CELLS + column % LINE_CELLS

    def _move_cursor(self, cell: int) -> None:
        cell %= MEMORY_CELLS
        if self._two_lines:
            row, column = divmod(cell, LINE_CELLS)
            cell = row * ROW_BEGINS + column
        self._address = cell


class Pcf8574:
    """A PCF8574: eight output pins on the I²C bus, connected to a display as on nearly all backpacks.

    P7–P4 are D7–D4, P3 is the backlight, P2 is E, P1 is R/W and P0 is RS. After power-up all pins are high.
    """

    def __init__(self, lcd: Hd44780) -> None:
        self.lcd = lcd
        self._pins = 0

    @property
    def is_lit(self) -> bool:
        return bool(self._pins & BACKLIGHT)

    def receive(self, values: bytes) -> list[Taken | None]:
        """Set the pins to each of *values*. Return the byte that each completes in the controller, or ``None``.

        The controller reads the levels from before the falling edge of E.
        """
        taken: list[Taken | None] = []
        before = self._pins
        for value in values:
            completed = None
            self._pins = value
            if before & ~value & ENABLE and not before & READ:
                completed = self.lcd.latch(before >> 4, bool(before & REGISTER_SELECT))
            if (before ^ value) & BACKLIGHT:
                self.lcd.changed()
            taken.append(completed)
            before = value
        return taken

    def show(self, rows: Sequence[bytes], *, lit: bool) -> None:
        """Initialise the controller and write the codes of two *rows*, without the bus."""
        self.lcd.power(True)
        self._pins = BACKLIGHT if lit else 0
        self.lcd.latch(FOUR_WIRES >> 4, is_data=False)
        commands = (FOUR_WIRES, DISPLAY_ON if lit else DISPLAY_OFF, FROM_LEFT, CLEAR)
        self._write(*commands, is_data=False)
        for place, row in enumerate(rows):
            self._write(0x80 | place * ROW_BEGINS, is_data=False)
            self._write(*row, is_data=True)

    def _write(self, *values: int, is_data: bool) -> None:
        for value in values:
            self.lcd.latch(value >> 4, is_data)
            self.lcd.latch(value & 0x0F, is_data)

    def send(self) -> int:
        """Return the levels of the pins. The virtual display never drives them."""
        return self._pins

    def spark(self) -> None:
        # a stray pulse on E
        self.lcd.latch(self._pins >> 4, bool(self._pins & REGISTER_SELECT))

    def power(self, on: bool) -> None:
        self._pins = ALL_HIGH if on else 0
        self.lcd.power(on)
