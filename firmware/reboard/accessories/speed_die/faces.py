"""The pictures of the dice on LED modules, and their text on the banker unit's display."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

from reboard.accessories.speed_die.dice import BUS, MR_MONOPOLY, Roll
from reboard.devices.glyphs import glyph
from reboard.languages import Texts


def _drawn(*rows: str) -> Sequence[int]:
    return [int(row.replace(".", "0").replace("#", "1"), 2) for row in rows]


LEFT, MIDDLE, RIGHT = 0b11000000, 0b00011000, 0b00000011
"""A pip of two LEDs in each column of a die."""

PIPS: Mapping[int, tuple[int, int, int]] = {
    1: (0, MIDDLE, 0),
    2: (LEFT, 0, RIGHT),
    3: (LEFT, MIDDLE, RIGHT),
    4: (LEFT | RIGHT, 0, LEFT | RIGHT),
    5: (LEFT | RIGHT, MIDDLE, LEFT | RIGHT),
    6: (LEFT | RIGHT, LEFT | RIGHT, LEFT | RIGHT),
}
"""The upper, middle and lower pips of each white face."""

RED: Mapping[str, Sequence[int]] = {
    **{digit: glyph(digit) for digit in "123"},
    BUS: _drawn("........", ".#######", ".#.#.#.#", ".#.#.#.#", ".#######", ".#######", "..#...#.", "........"),
    MR_MONOPOLY: _drawn("...##...", "..####..", ".######.", "########", ".#....#.", ".#.##.#.", ".#.##.#.", "........"),
}
"""The faces of the red die: numbers, a bus, and a house, for a walk to the next street that is for sale."""

STAR = _drawn("...##...", "#..##..#", ".#.##.#.", "..####..", "..####..", ".#.##.#.", "#..##..#", "...##...")
BARS = _drawn("########", "#.#..#.#", "#.#..#.#", "#.#..#.#", "#.#..#.#", "#.#..#.#", "#.#..#.#", "########")
"""A triple, and the way to jail."""

BULB = _drawn("..####..", ".######.", ".######.", ".######.", "..####..", "...##...", "..####..", "...##...")
"""A roll for the rent of a utility, before its total."""


class Text(StrEnum):
    """The second line of the display for each meaning."""

    DOUBLE = "DOUBLE: AGAIN"
    PLAIN = "DOUBLE"
    JAIL = "GO TO JAIL"
    TRIPLE = "TRIPLE: ANYWHERE"
    RENT = "RENT ROLL"


def white(pips: int) -> Sequence[int]:
    """Return the glyph of a white face: two rows of LEDs for each row of pips, with a dark one between them."""
    upper, middle, lower = PIPS[pips]
    return [upper, upper, 0, middle, middle, 0, lower, lower]


def glyphs(rolled: Roll) -> list[Sequence[int]]:
    """Return the glyphs of the dice from the left, the red die last."""
    return [*map(white, rolled.white), *([RED[rolled.red]] if rolled.red else [])]


def _total(rolled: Roll, modules: int) -> list[Sequence[int]]:
    """Return the glyphs of the total: a bulb if there is a module for it, and the digits on the right."""
    digits = [glyph(digit) for digit in f"{rolled.total}"]
    return [BULB, *[glyph(" ")] * modules][: modules - len(digits)] + digits


def frames(rolled: Roll) -> list[tuple[list[Sequence[int]], float]]:
    """Return the glyphs that show the roll one after the other, each with its time in seconds. The last one stays."""
    dice = glyphs(rolled)
    every = len(dice)
    match rolled.means:
        case "double":
            return [(dice, 0.4), *[([glyph(" ")] * every, 0.15), (dice, 0.25)] * 3]
        case "rent":
            return [(dice, 0.8), (_total(rolled, every), 0.8), (dice, 0.8), (_total(rolled, every), 0.0)]
        case "triple":
            return [(dice, 0.4), *[([STAR] * every, 0.25), (dice, 0.35)] * 3]
        case "jail":
            return [(dice, 0.8), ([BARS] * every, 0.4), (dice, 0.4), ([BARS] * every, 0.0)]
        case _:
            return [(dice, 0.0)]


def lines(rolled: Roll, say: Texts) -> tuple[str, str]:
    """Return the two lines of a roll for the display, such as ``4 + 4 + BUS`` and ``RENT ROLL: 8``."""
    red = [rolled.red.upper().replace("MR_", "MR ")] if rolled.red else []
    dice = " + ".join([*map(str, rolled.white), *red])
    if len(dice) > 16:
        dice = dice.replace(" + ", "+")
    # a plain double may free a player from jail, and ends the turn
    means = "plain" if rolled.means == "double" and rolled.is_plain else rolled.means
    total = f": {rolled.total}" if rolled.is_for_rent else ""
    return dice, say(Text[means.upper()]) + total if means else ""
