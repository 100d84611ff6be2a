"""The driver of the HD44780 display controller behind a PCF8574 I²C backpack, and its character set."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from RPLCD.codecs.hd44780_a00 import encoding_table
from RPLCD.i2c import PCF8574_BACKLIGHT, PCF8574_E, PCF8574_NOBACKLIGHT, CharLCD

from reboard.board import COLUMNS, ROWS, Devices, I2cBus

ROM: dict[str, int] = {character: code for character, code in encoding_table.items() if code >= ord(" ")}
"""The code of each character in the controller's ROM (version A00). Codes below the space are user-defined characters,
which are left out."""

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
"""Replacements for characters that are not in the ROM. They are preferred to the character without its accent."""


def rom_codes(text: str) -> bytes:
    """Return the ROM code of each character of *text*, or of its nearest substitute; ``?`` if there is none."""
    return bytes(map(_rom_code, text))


def _rom_code(character: str) -> int:
    without_accent = unicodedata.normalize("NFKD", character)[0]
    for candidate in (character, SUBSTITUTES.get(character), without_accent):
        if candidate in ROM:
            return ROM[candidate]
    return ROM["?"]


@dataclass(frozen=True, slots=True)
class Picture:
    """The content of the display: two lines of at most 16 characters, lit or dark."""

    lines: tuple[str, str] = ("", "")
    lit: bool = True


class BoardLcd(CharLCD):  # type: ignore[misc]  # RPLCD has no type information
    """RPLCD's display driver on an I²C bus that is already open. It works with a virtual bus, too."""

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
    """The HD44780 behind a backpack on I²C, and a copy of its content. Its methods block. Only one thread can use it.

    Each method can raise ``OSError``. After that, `open` must be called before the next `write`.
    """

    def __init__(self, board: Devices, bus: int, address: int) -> None:
        self._board = board
        self._bus_number = bus
        self._address = address
        self._bus: I2cBus | None = None
        self._lcd: BoardLcd | None = None
        self._codes: list[bytearray] = []

    def open(self, lit: bool) -> None:
        """Open the bus and check that the backpack answers. The controller may still be starting."""
        self._close()
        self._bus = self._board.open_i2c(self._bus_number)
        self._bus.write_byte(self._address, PCF8574_BACKLIGHT if lit else PCF8574_NOBACKLIGHT)

    def write(self, picture: Picture) -> None:
        """Show *picture*, and write only its changed characters.

        The first picture, and the first lit picture after a dark one, initialise the controller, which clears it.
        """
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
        """Clear the display, turn its backlight off and close the bus."""
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
        assert self._bus is not None, "open() must be called first"
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
