"""The letters of displays with dots of their own: cells of 8×32 dots, drawn for reboard.

A letter has eight rows, as an LED module does, each three dots high. Above them is the room for an accent.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import lru_cache

from reboard.devices.glyphs import ROWS

CELL_WIDTH, CELL_HEIGHT = 8, 32
PAGE = 8
"""The number of dots in a byte of the controllers' memory: one above the other, with the lowest bit on top."""

ROW_HEIGHT = 3
LETTER_TOP = CELL_HEIGHT - ROW_HEIGHT * 8
"""The first row of a capital letter, in dots: 21 dots are its height, and 3 a descender's."""

LETTERS: Mapping[str, str] = {character: rows for character, rows in ROWS.items() if character.isascii()} | {
    " ": "0000000000000000",
    "0": "3c666e7e76663c00",
    "a": "00003c063e663e00",
    "b": "60607c6666667c00",
    "c": "00003c6660663c00",
    "d": "06063e6666663e00",
    "e": "00003c667e603c00",
    "f": "1c307c3030303000",
    "g": "00003e66663e063c",
    "h": "60607c6666666600",
    "i": "1800381818183c00",
    "j": "0c000c0c0c0c6c38",
    "k": "6060666c786c6600",
    "l": "3818181818183c00",
    "m": "0000767f6b6b6300",
    "n": "00007c6666666600",
    "o": "00003c6666663c00",
    "p": "00007c66667c6060",
    "q": "00003e66663e0606",
    "r": "00006e7060606000",
    "s": "00003e603c067c00",
    "t": "30307c3030341800",
    "u": "0000666666663e00",
    "v": "00006666663c1800",
    "w": "0000636b6b7f3600",
    "x": "0000663c183c6600",
    "y": "00006666663e063c",
    "z": "00007e0c18307e00",
    '"': "6666240000000000",
    "'": "1818100000000000",
    "&": "386c38766e663b00",
    ";": "0018180018183000",
    "<": "0c18306030180c00",
    ">": "30180c060c183000",
    "@": "3c666e6a6e603c00",
    "[": "3c30303030303c00",
    "\\": "606030180c060600",
    "]": "3c0c0c0c0c0c3c00",
    "^": "183c660000000000",
    "_": "000000000000007e",
    "`": "30180c0000000000",
    "{": "0e18187018180e00",
    "|": "1818181818181800",
    "}": "7018180e18187000",
    "~": "0000324c00000000",
    "€": "1e307c307c301e00",
    "£": "1c36307c30307e00",
    "¥": "66663c187e181800",
    "¢": "00183c6660663c18",
    "°": "386c380000000000",
    "ß": "3c666c6666666c60",
    "Æ": "1f3c6c6f7c6c6f00",
    "æ": "00006e1b7f583f00",
    "Œ": "3f6c6c6f6c6c3f00",
    "œ": "0000366b6f683700",
    "Ø": "3d666e7e76665c80",
    "ø": "00003d6e7e76bc00",
    "ı": "0000381818183c00",
    "→": "00080c7e0c080000",
    "←": "0010307e30100000",
    "÷": "0018007e00180000",
    "¡": "1800181818181800",
    "¿": "1800183060663c00",
    "«": "00001b366c361b00",
    "»": "00006c361b366c00",
    "·": "0000001818000000",
}
"""The rows of each character in hex, from the top. Bit 7 of a row is its dot on the left."""

ACCENTS: Mapping[str, str] = {
    "\N{COMBINING GRAVE ACCENT}": "3018",
    "\N{COMBINING ACUTE ACCENT}": "0c18",
    "\N{COMBINING CIRCUMFLEX ACCENT}": "183c",
    "\N{COMBINING TILDE}": "324c",
    "\N{COMBINING DIAERESIS}": "6600",
    "\N{COMBINING RING ABOVE}": "1818",
    "\N{COMBINING CARON}": "6618",
}
"""The two rows of each accent above a letter."""

CEDILLA = "\N{COMBINING CEDILLA}"
CEDILLA_ROW = 0x18

SUBSTITUTES = {"‘": "'", "’": "'", "“": '"', "”": '"', "„": '"', "–": "-", "—": "-", "ẞ": "ß", "×": "x", "•": "·"}


@lru_cache(maxsize=256)
def cell(character: str) -> bytes:
    """Return the 32 bytes of a *character*: the eight columns of the upper page, then those of the pages below.

    An unknown accent is left out, and an unknown character is a question mark.
    """
    parts = unicodedata.normalize("NFD", SUBSTITUTES.get(character, character))
    base, accents = parts[0], parts[1:]
    if base not in LETTERS:
        base, accents = unicodedata.normalize("NFKD", base)[0], ""
    above = next((accent for accent in accents if accent in ACCENTS), "")
    rows = bytes.fromhex(LETTERS.get("ı" if base == "i" and above else base, LETTERS["?"]))
    dots = [0] * CELL_HEIGHT
    for place, row in enumerate(rows):
        _fill(dots, LETTER_TOP + ROW_HEIGHT * place, row)
    if above:
        top = ROW_HEIGHT * next(place for place, row in enumerate(rows) if row)
        for place, row in enumerate(bytes.fromhex(ACCENTS[above])):
            _fill(dots, top + ROW_HEIGHT * place, row)
    if CEDILLA in accents:
        _fill(dots, CELL_HEIGHT - ROW_HEIGHT, CEDILLA_ROW)
    pages = (dots[top : top + PAGE] for top in range(0, CELL_HEIGHT, PAGE))
    return bytes(_column(page, 7 - x) for page in pages for x in range(CELL_WIDTH))


def _fill(dots: list[int], top: int, row: int) -> None:
    dots[top : top + ROW_HEIGHT] = [row] * ROW_HEIGHT


def _column(page: list[int], bit: int) -> int:
    return sum((row >> bit & 1) << y for y, row in enumerate(page))
