"""The HD44780, the controller of the display: its characters, and its bytes through a PCF8574 backpack."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from RPLCD.codecs.hd44780_a00 import encoding_table
from RPLCD.i2c import PCF8574_BACKLIGHT, PCF8574_E, PCF8574_NOBACKLIGHT, CharLCD

from reboard.board import COLUMNS, ROWS, Devices, I2cBus

ROM: dict[str, int] = {character: code for character, code in encoding_table.items() if code >= ord(" ")}
"""Each character and its code. Codes below the space are characters that a program draws, not ROM."""

SUBSTITUTES = {
    "Ä": "ä",
    "Ö": "ö",
    "Ü": "ü",
    "ß": "β",
    "ẞ": "β",
    "\\": "/",
    "~": "-",
    "€": "E",
    "×": "x",
    "‘": "'",
    "’": "'",
    "“": '"',
    "”": '"',
    "„": '"',
    "•": "･",
}
"""Replacements for characters that the ROM lacks and that do not become ROM characters without their accent."""


def rom_codes(text: str) -> bytes:
    """Return the ROM's code for each character of *text*, or for the nearest it has; ``?`` if there is none."""
    return bytes(map(_rom_code, text))


def _rom_code(character: str) -> int:
    without_accent = unicodedata.normalize("NFKD", character)[0]
    for candidate in (character, SUBSTITUTES.get(character), without_accent):
        if candidate in ROM:
            return ROM[candidate]
    return ROM["?"]


@dataclass(frozen=True, slots=True)
class Picture:
    """Two lines of at most 16 characters, lit or dark."""

    lines: tuple[str, str] = ("", "")
    lit: bool = True


class BoardLcd(CharLCD):  # type: ignore[misc]  # RPLCD has no type information
    """RPLCD's display on a bus that is already open, so that it works with the bus of any board."""

    def __init__(self, bus: I2cBus, address: int, lit: bool) -> None:
        self.bus = bus
        super().__init__(
            "PCF8574", address, cols=COLUMNS, rows=ROWS, charmap="A00", auto_linebreaks=False, backlight_enabled=lit
        )

    def _init_connection(self) -> None:
        pass

    def _pulse_data(self, value: int) -> None:
        # RPLCD sleeps between these two. That is not needed: a byte takes at least 45 µs on any bus that a PCF8574 can
        # follow, and an instruction of the HD44780 takes 37 µs (data sheets).
        self.bus.write_byte(self._address, value | PCF8574_E | self._backlight)
        self.bus.write_byte(self._address, value | self._backlight)


class Hd44780Controller:
    """The display controller, and a copy of its content. Its methods block; one thread may use it.

    Each can raise ``OSError``; then it has to be opened again before the next picture.
    """

    def __init__(self, board: Devices, bus: int, address: int) -> None:
        self._board = board
        self._bus_number = bus
        self._address = address
        self._bus: I2cBus | None = None
        self._lcd: BoardLcd | None = None
        self._codes: list[bytearray] = []

    def open(self, lit: bool) -> None:
        """Open the bus and check that the backpack answers. The controller behind it may still be starting."""
        self._close()
        self._bus = self._board.open_i2c(self._bus_number)
        self._bus.write_byte(self._address, PCF8574_BACKLIGHT if lit else PCF8574_NOBACKLIGHT)

    def write(self, picture: Picture) -> None:
        """Write the characters that have changed."""
        lcd = self._lcd
        if lcd is None or (picture.lit and not lcd.backlight_enabled):
            # also at each wake: noise on the wires can have put the controller into a wrong state
            lcd = self._initialise(picture.lit)
        self._write_lines(lcd, picture.lines)
        if lcd.display_enabled != picture.lit:
            lcd.display_enabled = picture.lit
        if lcd.backlight_enabled != picture.lit:
            lcd.backlight_enabled = picture.lit

    def turn_off(self) -> None:
        """Clear the display, make it dark and close the bus."""
        try:
            if self._lcd is not None:
                self.write(Picture(lit=False))
        finally:
            self._close()

    def _close(self) -> None:
        bus, self._bus, self._lcd = self._bus, None, None
        if bus is not None:
            bus.close()

    def _initialise(self, lit: bool) -> BoardLcd:
        assert self._bus is not None, "open() comes first"
        self._lcd = BoardLcd(self._bus, self._address, lit)
        self._codes = [bytearray(b" " * COLUMNS) for _ in range(ROWS)]
        return self._lcd

    def _write_lines(self, lcd: BoardLcd, lines: tuple[str, str]) -> None:
        for row, line in enumerate(lines):
            shown = self._codes[row]
            for column, code in enumerate(rom_codes(line.ljust(COLUMNS))):
                if code == shown[column]:
                    continue
                if lcd.cursor_pos != (row, column):
                    lcd.cursor_pos = (row, column)
                lcd.write(code)
                shown[column] = code
