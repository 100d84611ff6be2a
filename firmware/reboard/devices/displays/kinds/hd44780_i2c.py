"""The driver of the HD44780 display controller behind a PCF8574 I²C backpack, and its character set."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from typing import ClassVar

from RPLCD.codecs.hd44780_a00 import encoding_table

from reboard.devices.displays.display_controller import (
    DisplayController,
    DisplayControllerKind,
    Picture,
)
from reboard.languages import DISPLAY_COLUMNS

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


class Hd44780(DisplayController):
    """An HD44780 behind a backpack on I²C, and a copy of its content."""

    settle_s = HOME_S
    _codes: Sequence[bytes] = ()
    _lit = False
    _cursor: int | None = None

    def _greeting(self, lit: bool) -> bytes:
        return bytes([BACKLIGHT * lit] * 2)

    def refresh(self, picture: Picture, is_wanted: Callable[[], bool] = lambda: False) -> None:
        self._lit, self._cursor, self._codes = picture.lit, None, _codes(picture)
        self._send(_transfers(_everything(picture)), is_wanted)

    def write(self, picture: Picture) -> None:
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
        self._send(_transfers(sent))


def _transfers(sent: bytes) -> Iterator[bytes]:
    return (sent[begin : begin + MOST_AT_ONCE] for begin in range(0, len(sent), MOST_AT_ONCE))


@lru_cache(maxsize=1)
def _codes(picture: Picture) -> Sequence[bytes]:
    return [rom_codes(line.ljust(DISPLAY_COLUMNS)) for line in picture.lines]


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


class Hd44780Kind(DisplayControllerKind):
    """The kind of displays with an HD44780 and an I²C backpack."""

    name = "hd44780-i2c"
    title = "HD44780"
    order = 10
    # data sheets of NXP
    addresses: ClassVar = {range(0x20, 0x28): "PCF8574", range(0x38, 0x40): "PCF8574A"}
    usual_addresses = (0x27, 0x3F)
    before_reading = "If the display is lit and empty, or shows blocks, first turn the small screw on its back."
    mistakes: ClassVar = {
        "empty": (
            "light, but no text or pale text",
            "Turn the small screw on its back slowly from one end to the other. If no text appears, it needs 5 V: at "
            "3.3 V most displays answer and are lit, but show nothing. At 5 V, a level shifter must be between the "
            "display and SDA and SCL.",
        ),
        "blocks": (
            "dark blocks, but no text",
            "Turn the small screw on its back until the blocks just disappear. If no text appears, its supply is too "
            "low, or the pins of its backpack are soldered one place to the side.",
        ),
        "dark": (
            "no light",
            "Measure its supply between VCC and GND. The jumper for the light must be on the backpack.",
        ),
        "wrong": (
            "other signs",
            "Make its wires shorter, and keep them away from the motor's. Two pins of the backpack may touch.",
        ),
    }
    remedy = "turn the small screw on its back, and check whether it needs 5 V"
    controller = Hd44780


KIND = Hd44780Kind()
