"""The check of the dice in plays. The button has the acts and faults of its kind, as ``press die.button``."""

from __future__ import annotations

from pathlib import Path

from reboard.accessories.speed_die.faces import BARS, BULB, PIPS, RED, STAR, white
from reboard.kit import glyph
from reboard_sim.accessories.accessory import SimulatedAccessory
from reboard_sim.forms import Form
from reboard_sim.seen_table import SeenTable

NAMES = {
    **{tuple(white(pips)): str(pips) for pips in PIPS},
    **{tuple(face): name for name, face in RED.items()},
    **{tuple(glyph(digit)): digit for digit in "0123456789"},
    tuple(BULB): "bulb",
    tuple(STAR): "star",
    tuple(BARS): "bars",
    tuple(glyph(" ")): "-",
}
"""The name of each glyph in plays."""


def expect_dice(table: SeenTable, dice: str) -> tuple[bool, str]:
    """Check that the LED modules show *dice*, such as ``4 4 bus``. Return whether they do, and what they show."""
    glyphs: list[list[int]] = table.pi["die.matrix"].state()["glyphs"]
    shown = " ".join(NAMES.get(tuple(each), "?") for each in glyphs)
    return shown == dice, f"dice {shown!r}"


SPEED_DIE = SimulatedAccessory(
    static=Path(__file__).parent / "static",
    page_order=40,
    forms=(
        Form(
            "expect_dice",
            "expect [not] dice DICE",
            "the LED modules show this, such as `expect dice '4 4 bus'`; `-` is a dark one",
            check=expect_dice,
        ),
    ),
    values={"DICE": str},
)
