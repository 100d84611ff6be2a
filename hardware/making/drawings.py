"""The drawings, as SVG and as PNG: each accessory, all of them on one Pi, the header, and the pins of each part."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from hardware.making import header_sheet, made, pinouts
from hardware.making.builds import BUILDS, HARDWARE
from hardware.making.cables import harness
from hardware.making.rendering import Renderer
from reboard.wiring.drawing import sheets_of

FOLDER = HARDWARE / "drawings"


def drawn() -> Mapping[str, bytes]:
    """Return all drawings as SVG, keyed by name. The second sheet of ``all`` is ``all-2``."""
    sheets = {"header": [header_sheet.sheet()], "pinouts": pinouts.sheets()}
    sheets |= {name: sheets_of(harness(name).circuit, build.title) for name, build in BUILDS.items()}
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
            written += renderer.write(FOLDER / f"{name}.svg", content)
    made.keep(FOLDER, made_from())
    return written


def made_from() -> list[Path]:
    """Return what the pictures are made from."""
    return sorted(FOLDER.glob("*.svg"))
