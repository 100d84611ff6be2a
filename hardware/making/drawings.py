"""The drawings, as SVG and as PNG: each accessory, all of them on one Pi, the header, and the pins of each part."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from hardware.making import header_sheet, pinouts
from hardware.making.cables import harness
from hardware.making.parts_list import HARDWARE
from hardware.making.png import read_text, with_text
from hardware.making.rendering import Renderer
from reboard.netlist.circuit import Circuit
from reboard.wiring.drawing import sheets_of

FOLDER = HARDWARE / "drawings"
MADE_FROM = "Made from"
"""The keyword of the text in a picture that identifies its drawing."""


class Sheet(NamedTuple):
    """A drawing of something in `BUDGETS`, and its title."""

    budget: str
    title: str

    def circuit(self) -> Circuit:
        """Return the circuit to draw, with the header pins of its cables."""
        return harness(self.budget).circuit


SHEETS: Mapping[str, Sheet] = {
    "block": Sheet("block", "Question block"),
    "unit": Sheet("unit", "Banker unit, with card readers"),
    "unit-original-cards": Sheet("unit for original cards", "Banker unit, for the original cards"),
    "apple": Sheet("apple", "Worm apple"),
    "die": Sheet("die", "Speed die"),
    "all": Sheet("all", "All three on one Pi"),
}


def drawn() -> Mapping[str, bytes]:
    """Return all drawings as SVG, keyed by name. The second sheet of ``all`` is ``all-2``."""
    sheets = {"header": [header_sheet.sheet()], "pinouts": pinouts.sheets()}
    sheets |= {name: sheets_of(sheet.circuit(), sheet.title) for name, sheet in SHEETS.items()}
    return {
        name if number == 1 else f"{name}-{number}": svg
        for name, some in sheets.items()
        for number, svg in enumerate(some, start=1)
    }


def write() -> list[Path]:
    """Write all drawings and pictures."""
    FOLDER.mkdir(exist_ok=True)
    written = []
    with Renderer() as renderer:
        for name, content in drawn().items():
            svg, png = (FOLDER / f"{name}.{suffix}" for suffix in ("svg", "png"))
            svg.write_bytes(content)
            png.write_bytes(with_text(renderer.picture(svg), MADE_FROM, digest(svg)))
            written += [svg, png]
    return written


def digest(svg: Path) -> str:
    """Return the hash of a drawing."""
    return hashlib.sha256(svg.read_bytes()).hexdigest()


def shows(png: Path, svg: Path) -> bool:
    """Return whether the picture *png* was made from *svg* as it is now."""
    return read_text(png.read_bytes(), MADE_FROM) == digest(svg)
