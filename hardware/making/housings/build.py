"""Every housing: its pieces as STL to print, and a picture of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from manifold3d import Manifold

from hardware.making.housings import question_block
from hardware.making.housings.measures import FILE
from hardware.making.housings.picture import picture
from hardware.making.housings.stl import as_stl

FOLDER = FILE.parent / "housings"

PIECES: Mapping[str, Mapping[str, Callable[[], Manifold]]] = {
    "block": {"shell": question_block.shell, "base": question_block.base},
}
"""The pieces of each housing, lying as they are printed."""


def stl_file(housing: str, piece: str) -> Path:
    """Where a piece is kept."""
    return FOLDER / f"{housing}-{piece}.stl"


def write() -> list[Path]:
    """Write all of them."""
    FOLDER.mkdir(exist_ok=True)
    written = []
    for housing, pieces in PIECES.items():
        solids = {piece: make() for piece, make in pieces.items()}
        for piece, solid in solids.items():
            file = stl_file(housing, piece)
            file.write_bytes(as_stl(solid))
            written.append(file)
        shown = FOLDER / f"{housing}.png"
        shown.write_bytes(picture(list(solids.values())))
        written.append(shown)
    return written
