"""Every housing: its pieces as STL to print, and pictures of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from manifold3d import Manifold

from hardware.making.housings import banker_unit, exploded, lever, question_block, wobble, worm_apple
from hardware.making.housings.antenna_tray import antenna_tray
from hardware.making.housings.card_slot import slot
from hardware.making.housings.measures import FILE
from hardware.making.housings.picture import COLOURS, in_rows, picture
from hardware.making.housings.stl import as_stl
from hardware.making.housings.switch_box import switch_box

FOLDER = FILE.parent / "housings"

PIECES: Mapping[str, Mapping[str, Callable[[], Manifold]]] = {
    "block": {
        "shell": question_block.shell,
        "base": question_block.base,
        "base-pi-3-4-5": partial(question_block.base, "pi-3-4-5"),
    },
    "unit": {
        "shell": banker_unit.shell,
        "base": banker_unit.base,
        "base-pi-3-4-5": partial(banker_unit.base, "pi-3-4-5"),
        "slot": slot,
        "switch-box": switch_box,
        "antenna-tray": antenna_tray,
    },
    "apple": {
        "shell": worm_apple.shell,
        "base": worm_apple.base,
        "wobble-plate": wobble.wobble_plate,
        "cam": wobble.cam,
        "lever": lever.lever,
    },
}
"""The pieces of each housing, lying as they are printed."""

EXPLODED: Mapping[str, Callable[[], bytes]] = {"unit": exploded.unit, "apple": exploded.apple}
"""How the pieces of a housing go together, as PNG."""


def stl_file(housing: str, piece: str) -> Path:
    """Where a piece is kept."""
    return FOLDER / f"{housing}-{piece}.stl"


def picture_file(housing: str, *, together: bool = False) -> Path:
    """Where the picture of the pieces is kept, or the one that shows how they go *together*."""
    return FOLDER / (f"{housing}-together.png" if together else f"{housing}.png")


def write() -> list[Path]:
    """Write all of them."""
    FOLDER.mkdir(exist_ok=True)
    files: dict[Path, bytes] = {}
    for housing, pieces in PIECES.items():
        solids = {piece: make() for piece, make in pieces.items()}
        files |= {stl_file(housing, piece): as_stl(solid) for piece, solid in solids.items()}
        placed = in_rows(list(solids.values()))
        files[picture_file(housing)] = picture(list(zip(placed, COLOURS, strict=False)))
    files |= {picture_file(housing, together=True): draw() for housing, draw in EXPLODED.items()}
    for file, content in files.items():
        file.write_bytes(content)
    return list(files)
