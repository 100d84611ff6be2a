"""Every housing: its pieces as STL to print, and pictures of them."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from manifold3d import Manifold

from hardware.making.housings import banker_unit, exploded, lever, question_block, wobble, worm_apple
from hardware.making.housings.antenna_tray import antenna_tray
from hardware.making.housings.card_slot import slot
from hardware.making.housings.measures import FILE
from hardware.making.housings.picture import COLOURS, in_rows, picture
from hardware.making.housings.possible import look_at_measures, look_at_piece, look_inside
from hardware.making.housings.stl import as_stl
from hardware.making.housings.switch_box import switch_box
from hardware.making.png import read_note, with_note

FOLDER = FILE.parent / "housings"
MADE_FROM = "Made from"
"""The note in a picture that tells which pieces and measures it shows."""

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

EXPLODED: Mapping[str, Mapping[str, Callable[[], bytes]]] = {
    "block": {"together": exploded.block},
    "unit": {"together": exploded.unit, "readers-together": exploded.unit_with_readers},
    "apple": {"together": exploded.apple},
}
"""How the pieces of a housing go together, as PNG: in each way in which it is built, by the picture's name."""


def stl_file(housing: str, piece: str) -> Path:
    """Where a piece is kept."""
    return FOLDER / f"{housing}-{piece}.stl"


def picture_file(housing: str, name: str = "") -> Path:
    """Where the picture of the pieces is kept, or the one of that *name* that shows how they go together."""
    return FOLDER / (f"{housing}-{name}.png" if name else f"{housing}.png")


def picture_files(housing: str) -> list[Path]:
    """Where all pictures of a *housing* are kept."""
    return [picture_file(housing), *(picture_file(housing, name) for name in EXPLODED[housing])]


def write() -> list[Path]:
    """Write all of them, or none: raises ``MeasureError`` for measures of which no housing comes."""
    pieces = made()
    FOLDER.mkdir(exist_ok=True)
    written = []
    for housing, solids in pieces.items():
        for piece, solid in solids.items():
            stl_file(housing, piece).write_bytes(as_stl(solid))
            written.append(stl_file(housing, piece))
        pictures = {picture_file(housing): picture(list(zip(in_rows(list(solids.values())), COLOURS, strict=False)))}
        pictures |= {picture_file(housing, name): shown() for name, shown in EXPLODED[housing].items()}
        for file, content in pictures.items():
            file.write_bytes(with_note(content, MADE_FROM, digest(housing)))
            written.append(file)
    return written


def made() -> Mapping[str, Mapping[str, Manifold]]:
    """All pieces of all housings. Raises ``MeasureError`` if nobody could print them, or nothing would fit in."""
    look_at_measures()
    solids = {housing: {piece: make() for piece, make in pieces.items()} for housing, pieces in PIECES.items()}
    look_inside()
    for housing, pieces in solids.items():
        for piece, solid in pieces.items():
            look_at_piece(housing, piece, solid)
    return solids


def digest(housing: str) -> str:
    """By what the pieces of a *housing* that are kept, and the measures of all that goes into it, are known."""
    found = hashlib.sha256()
    for piece in PIECES[housing]:
        found.update(stl_file(housing, piece).read_bytes())
    found.update(json.dumps(tomllib.loads(FILE.read_text(encoding="utf-8")), sort_keys=True).encode())
    return found.hexdigest()


def shows(png: Path, housing: str) -> bool:
    """Whether the picture *png* was made from the pieces and measures of *housing* as they are now."""
    return read_note(png.read_bytes(), MADE_FROM) == digest(housing)
