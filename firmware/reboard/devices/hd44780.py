"""The driver of the HD44780 display controller behind a PCF8574 I²C backpack, and its character set."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from functools import cache, lru_cache

from RPLCD.codecs.hd44780_a00 import encoding_table

from reboard.board import COLUMNS, Devices, I2cBus
from reboard.record import Record

IS_DATA, ENABLE, BACKLIGHT = 0x01, 0x04, 0x08
"""The pins of the backpack that are connected to RS, to E and to the backlight. The upper four are D4 to D7."""

FUNCTION, ENTRY_MODE, DISPLAY_ON, DISPLAY_OFF, HOME = 0x28, 0x06, 0x0C, 0x08, 0x02
"""Commands: 4-bit bus with two lines; cursor to the right; display on without a cursor; display off; no shift."""

HOME_S = 0.002
"""The time that `HOME` takes, in seconds (data sheet: 1.52 ms)."""

SYNCHRONISE = (0x4, 0x3, 0x3, 0x3, 0x3, 0x2)
"""The nibbles after which the controller expects the upper half of a byte, whatever it expected before.

The data sheet has the last four. The 4 completes a byte if the controller has the first half of one. Whatever that half
is, the byte is a fast command or a character that is overwritten. With a 3, it could be `HOME`, which takes long.
"""

MOST_AT_ONCE = 30
"""The bytes of a transfer on the bus: five bytes for the controller. Linux allows 33. It takes 2.8 ms at 100 kHz."""

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


class Picture(Record):
    """The content of the display: two lines of at most 16 characters, lit or dark."""

    lines: tuple[str, str] = ("", "")
    lit: bool = True


class Hd44780Controller:
    """The HD44780 behind a backpack on I²C, and a copy of its content. Its methods block. Only one thread can use it.

    Each method can raise ``OSError``. After that, `open` must be called before the next `refresh`.
    """

    def __init__(self, board: Devices, bus: int, address: int) -> None:
        self._board = board
        self._bus_number = bus
        self._address = address
        self._bus: I2cBus | None = None
        self._codes: Sequence[bytes] = ()
        self._lit = False
        self._cursor: int | None = None

    def open(self, lit: bool) -> None:
        """Open the bus and check that the backpack answers. The controller may still be starting."""
        self._close()
        self._bus = self._board.open_i2c(self._bus_number)
        self._lit = lit
        self._send(bytes([BACKLIGHT * lit] * 2))

    def refresh(self, picture: Picture, is_wanted: Callable[[], bool] = lambda: False) -> None:
        """Initialise the controller and write all of *picture*, without clearing or flicker. No text if it is dark.

        Stop early if *is_wanted* returns true: `write` can follow. After the end, the controller needs `HOME_S`.
        """
        self._lit, self._cursor, self._codes = picture.lit, None, _codes(picture)
        self._send(_everything(picture), is_wanted)

    def write(self, picture: Picture) -> None:
        """Write the characters of *picture* that differ from those of the lit picture before it."""
        sent, pins = b"", BACKLIGHT * self._lit
        for row, codes in enumerate(_codes(picture)):
            for column, code in enumerate(codes):
                if code == self._codes[row][column]:
                    continue
                address = _address(row, column)
                if self._cursor != address:
                    sent += _byte(address, pins)
                sent += _byte(code, pins | IS_DATA)
                self._cursor = address + 1
        self._codes = _codes(picture)
        self._send(sent)

    def turn_off(self) -> None:
        """Turn the display and its backlight off, and close the bus."""
        try:
            if self._bus is not None:
                self.refresh(Picture(lit=False))
        finally:
            self._close()

    def _close(self) -> None:
        bus, self._bus = self._bus, None
        if bus is not None:
            bus.close()

    def _send(self, sent: bytes, is_wanted: Callable[[], bool] = lambda: False) -> None:
        assert self._bus is not None, "open() must be called first"
        for begin in range(0, len(sent), MOST_AT_ONCE):
            if begin and is_wanted():
                return
            first, *others = sent[begin : begin + MOST_AT_ONCE]
            # the backpack has no registers: for it, the number of the register is the first byte
            self._bus.write_i2c_block_data(self._address, first, others)


@lru_cache(maxsize=1)
def _codes(picture: Picture) -> Sequence[bytes]:
    return [rom_codes(line.ljust(COLUMNS)) for line in picture.lines]


@lru_cache(maxsize=1)
def _everything(picture: Picture) -> bytes:
    pins = BACKLIGHT * picture.lit
    sent = [_nibble(nibble, pins) for nibble in SYNCHRONISE]
    sent += [_byte(command, pins) for command in (FUNCTION, ENTRY_MODE)]
    if picture.lit:
        for row, codes in enumerate(_codes(picture)):
            sent += [_byte(_address(row, 0), pins), *(_byte(code, pins | IS_DATA) for code in codes)]
    return b"".join(sent) + _byte(DISPLAY_ON if picture.lit else DISPLAY_OFF, pins) + _byte(HOME, pins)


def _nibble(nibble: int, pins: int) -> bytes:
    # the first byte lets RS settle before E rises. The controller reads the nibble when E falls. Three bytes take 68 µs
    # even at 400 kHz, and an instruction takes 37 µs (data sheet), so no pause is needed
    pins |= nibble << 4
    return bytes((pins, pins | ENABLE, pins))


@cache
def _byte(value: int, pins: int) -> bytes:
    return _nibble(value >> 4, pins) + _nibble(value & 0x0F, pins)


def _address(row: int, column: int) -> int:
    """Return the command that moves the cursor."""
    return 0x80 | row * 0x40 | column
