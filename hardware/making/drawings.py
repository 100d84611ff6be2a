"""The wiring drawings, as SVG and as PNG: each accessory alone, all of them on one Pi, and a sheet of the header."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from hardware.making import header_sheet
from hardware.making.parts_list import BUDGETS, HARDWARE
from hardware.making.png import read_text, with_text
from hardware.making.rendering import Renderer
from reboard.netlist.circuit import Circuit
from reboard.wiring.drawing import drawing_of

FOLDER = HARDWARE / "drawings"
MADE_FROM = "Made from"
"""The keyword of the text in a picture that identifies its drawing."""


class Sheet(NamedTuple):
    """A drawing of something in `BUDGETS`, and its title."""

    budget: str
    title: str

    def circuit(self) -> Circuit:
        """Return the circuit to draw."""
        return BUDGETS[self.budget].circuit()


SHEETS: Mapping[str, Sheet] = {
    "block": Sheet("block", "Question block"),
    "unit": Sheet("unit", "Banker unit, with card readers"),
    "unit-original-cards": Sheet("unit for original cards", "Banker unit, for the original cards"),
    "apple": Sheet("apple", "Worm apple"),
    "die": Sheet("die", "Speed die"),
    "all": Sheet("all", "All three on one Pi"),
}

HEADER = "header"
HEADER_SCALE = 2.0
"""A page of A4 on paper needs more pixels than on a screen."""


def drawn(name: str) -> bytes:
    """Return the drawing *name* as SVG."""
    if name == HEADER:
        return header_sheet.sheet()
    sheet = SHEETS[name]
    return drawing_of(sheet.circuit(), sheet.title)


def write() -> list[Path]:
    """Write all drawings and pictures."""
    FOLDER.mkdir(exist_ok=True)
    written = []
    with Renderer() as renderer:
        for name in (*SHEETS, HEADER):
            svg, png = (FOLDER / f"{name}.{suffix}" for suffix in ("svg", "png"))
            svg.write_bytes(drawn(name))
            picture = renderer.picture(svg, HEADER_SCALE) if name == HEADER else renderer.picture(svg)
            png.write_bytes(with_text(picture, MADE_FROM, digest(svg)))
            written += [svg, png]
    return written


def digest(svg: Path) -> str:
    """Return the hash of a drawing."""
    return hashlib.sha256(svg.read_bytes()).hexdigest()


def shows(png: Path, svg: Path) -> bool:
    """Return whether the picture *png* was made from *svg* as it is now."""
    return read_text(png.read_bytes(), MADE_FROM) == digest(svg)
