"""The pieces of each housing: their files, and how they are printed."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hardware.making.housings import (
    banker_unit,
    bought,
    box,
    card_slot,
    finger_gaps,
    lever,
    measures,
    microswitch,
    raspberry_pi,
    screws,
    switch_box,
    vents,
    wobble,
    worm_apple,
)
from hardware.making.housings.measures import FILE
from reboard.cards import sheet

FOLDER = FILE.parent / "housings"
FORMATS = ("stl", "3mf", "step")


class Piece(NamedTuple):
    """The purpose of a piece, what of it lies on the bed, its material, and its infill as a part of 1."""

    use: str
    lies_on: str = "floor"
    material: str = "PLA"
    infill: float = 0.15


LARGER = Piece("or a larger Pi", material="PETG")

PIECES: Mapping[str, Mapping[str, Piece]] = {
    "block": {
        "shell": Piece("button, lamp, speaker", "top", "PETG"),
        "base": Piece("a Pi Zero"),
        "base-pi-3-4-5": LARGER,
    },
    "die": {
        "shell": Piece("button, LED modules, speaker", "top", "PETG"),
        "base": Piece("a Pi Zero"),
        "base-pi-3-4-5": LARGER,
    },
    "unit": {
        "shell": Piece("display, keypad, speaker", "panel", "PETG"),
        "base": Piece("a Pi Zero, and the front"),
        "base-pi-3-4-5": LARGER,
        "slot": Piece("a card each: twice", infill=1.0),
        "switch-box": Piece("cards with bumps: twice"),
        "antenna-tray": Piece("or for cards with a chip: twice"),
    },
    "apple": {
        "shell": Piece("worms; its fence is to keep fingers out", "top"),
        "base": Piece("motor, switch, speaker, a Pi Zero"),
        "wobble-plate": Piece("the worms stand on it", "top"),
        "cam": Piece("makes the plate wobble", "socket", infill=1.0),
        "lever": Piece("pulled by 25 mm", "top"),
    },
    "test": {"coupon": Piece("what has to fit")},
}
"""The pieces of each housing, and one to print first."""

CHECKED: Sequence[Any] = (
    *(measures, screws, vents, raspberry_pi, bought, microswitch, box, card_slot, switch_box),
    *(banker_unit, wobble, lever, worm_apple, finger_gaps),
)
"""The modules with measures, each with a function `check`."""


def piece_names() -> list[str]:
    """Return the name of every piece, such as ``apple-cam``."""
    return [f"{housing}-{piece}" for housing, pieces in PIECES.items() for piece in pieces]


def check_measures() -> None:
    """Raise ``MeasureError`` if two measures do not go together. It is quick: no piece is made."""
    for module in CHECKED:
        module.check()


def made_from() -> list[bytes | Path]:
    """Return what the files in `FOLDER` are made from: the measures of housings and cards, and our code."""
    cards = Path(sheet.__file__).with_name("cards.toml")
    values = [tomllib.loads(file.read_text(encoding="utf-8")) for file in (FILE, cards)]
    code = Path(__file__).parents[1]
    modules = [*sorted(code.glob("cad/*.py")), *sorted(code.glob("housings/*.py"))]
    return [json.dumps(values, sort_keys=True).encode(), *modules]
