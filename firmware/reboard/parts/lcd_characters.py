"""What can be written on the display: the characters in the ROM of an HD44780, version A00.

Nearly every cheap module has this ROM. It was made in Japan: where ASCII has a backslash and a tilde it has a yen sign
and an arrow, of the umlauts it has the small ones, and its beta does duty for the German ß.
"""

from __future__ import annotations

import unicodedata

from RPLCD.codecs.hd44780_a00 import encoding_table

ROM: dict[str, int] = {character: code for character, code in encoding_table.items() if code >= ord(" ")}
"""Each character and its code; codes below the space are no ROM but drawn by programs."""

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
"""What comes nearest to characters that the ROM lacks, where leaving out an accent does not help."""


def rom_codes(text: str) -> bytes:
    """The ROM's code for each character of *text*: the nearest it has, ``?`` where nothing is near."""
    return bytes(map(_rom_code, text))


def _rom_code(character: str) -> int:
    without_accent = unicodedata.normalize("NFKD", character)[0]
    for candidate in (character, SUBSTITUTES.get(character), without_accent):
        if candidate in ROM:
            return ROM[candidate]
    return ROM["?"]
