"""The glyphs of an LED module: characters of 8×8 LEDs, drawn for reboard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Glyph = Sequence[int]
"""The eight rows of a module from the top. Bit 7 of a row is its LED on the left."""

SIDE = 8
"""The number of rows, and of columns, of a module."""

DARK: Glyph = (0,) * SIDE

ROWS: Mapping[str, str] = {
    "0": "3c66666666663c00",
    "1": "1838181818183c00",
    "2": "3c66061c30607e00",
    "3": "3c66061c06663c00",
    "4": "0c1c3c6c7e0c0c00",
    "5": "7e607c0606663c00",
    "6": "3c607c6666663c00",
    "7": "7e060c1818181800",
    "8": "3c66663c66663c00",
    "9": "3c66663e06063c00",
    "A": "183c66667e666600",
    "Ä": "66183c667e666600",
    "B": "7c66667c66667c00",
    "C": "3c66606060663c00",
    "D": "786c6666666c7800",
    "E": "7e60607860607e00",
    "F": "7e60607860606000",
    "G": "3c66606e66663c00",
    "H": "6666667e66666600",
    "I": "3c18181818183c00",
    "J": "1e0c0c0c0c6c3800",
    "K": "666c7870786c6600",
    "L": "6060606060607e00",
    "M": "63777f6b63636300",
    "N": "66767e7e6e666600",
    "O": "3c66666666663c00",
    "Ö": "663c666666663c00",
    "P": "7c66667c60606000",
    "Q": "3c666666663c0e00",
    "R": "7c66667c786c6600",
    "S": "3c66603c06663c00",
    "T": "7e18181818181800",
    "U": "6666666666663c00",
    "Ü": "6600666666663c00",
    "V": "66666666663c1800",
    "W": "6363636b7f776300",
    "X": "66663c183c666600",
    "Y": "6666663c18181800",
    "Z": "7e060c1830607e00",
    "+": "0018187e18180000",
    "-": "0000007e00000000",
    ".": "0000000000181800",
    ",": "0000000000181830",
    ":": "0018180018180000",
    "!": "1818181818001800",
    "?": "3c66061c18001800",
    "/": "06060c1830606000",
    "=": "00007e007e000000",
    "*": "00663cff3c660000",
    "%": "62660c1830664600",
    "#": "6666ff66ff666600",
    "$": "183e603c067c1800",
    "€": "1e307c307c301e00",
    "(": "0c18303030180c00",
    ")": "30180c0c0c183000",
}
"""The rows of each character in hex."""


def glyph(character: str) -> Glyph:
    """Return the glyph of a *character*. A small letter has that of its capital, and another character none: dark."""
    return tuple(bytes.fromhex(ROWS[character.upper()])) if character.upper() in ROWS else DARK
