"""Builds every housing: its pieces as STL to print, and pictures of them."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from manifold3d import Error, Manifold

from hardware.making.housings import (
    antenna_tray,
    banker_unit,
    bought,
    card_slot,
    exploded,
    finger_gaps,
    inside,
    lever,
    measures,
    microswitch,
    question_block,
    raspberry_pi,
    screws,
    switch_box,
    vents,
    wobble,
    worm_apple,
)
from hardware.making.housings.measures import FILE, MeasureError
from hardware.making.housings.picture import COLOURS, in_rows, picture
from hardware.making.housings.solids import size
from hardware.making.housings.stl import as_stl
from hardware.making.png import read_text, with_text

FOLDER = FILE.parent / "housings"
MADE_FROM = "Made from"
"""The keyword of the text in a picture that identifies its pieces and measures."""

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
        "slot": card_slot.slot,
        "switch-box": switch_box.switch_box,
        "antenna-tray": antenna_tray.antenna_tray,
    },
    "apple": {
        "shell": worm_apple.shell,
        "base": worm_apple.base,
        "wobble-plate": wobble.wobble_plate,
        "cam": wobble.cam,
        "lever": lever.lever,
    },
}
"""The pieces of each housing, as they are printed."""

EXPLODED: Mapping[str, Mapping[str, Callable[[], bytes]]] = {
    "block": {"together": exploded.block},
    "unit": {"together": exploded.unit, "readers-together": exploded.unit_with_readers},
    "apple": {"together": exploded.apple},
}
"""Pictures of each housing that show how its pieces go together, by name."""

CHECKS: Sequence[Callable[[], None]] = (
    measures.check,
    screws.check,
    vents.check,
    raspberry_pi.check,
    bought.check,
    microswitch.check,
    question_block.check,
    card_slot.check,
    antenna_tray.check,
    switch_box.check,
    banker_unit.check,
    wobble.check,
    lever.check,
    worm_apple.check,
    finger_gaps.check,
)

MEASURED_IN = {
    "block": "[block], [shell] and [screw]",
    "unit": "[unit], [slot], [switch-box], [antenna], [shell] and [screw]",
    "apple": "[apple], [cam], [lever], [motor], [shell] and [screw]",
}
"""The sections with the measures of a housing's pieces."""


def stl_file(housing: str, piece: str) -> Path:
    """Return the file of a piece."""
    return FOLDER / f"{housing}-{piece}.stl"


def picture_file(housing: str, name: str = "") -> Path:
    """Return the file of the picture of the pieces, or of the picture *name* that shows how they go together."""
    return FOLDER / (f"{housing}-{name}.png" if name else f"{housing}.png")


def picture_files(housing: str) -> list[Path]:
    """Return the files of all pictures of a *housing*."""
    return [picture_file(housing), *(picture_file(housing, name) for name in EXPLODED[housing])]


def write() -> list[Path]:
    """Write all pieces and pictures, or nothing. Raises ``MeasureError``."""
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
            file.write_bytes(with_text(content, MADE_FROM, digest(housing)))
            written.append(file)
    return written


def made() -> Mapping[str, Mapping[str, Manifold]]:
    """Return all pieces of all housings. Raises ``MeasureError`` if one cannot be printed or does not fit."""
    check_measures()
    solids = {housing: {piece: make() for piece, make in pieces.items()} for housing, pieces in PIECES.items()}
    inside.check()
    for housing, pieces in solids.items():
        for piece, solid in pieces.items():
            _check_piece(housing, piece, solid)
    return solids


def check_measures() -> None:
    """Raise ``MeasureError`` if two measures do not go together. It is quick: no piece is made."""
    for check in CHECKS:
        check()


def _check_piece(housing: str, piece: str, solid: Manifold) -> None:
    bed = measures.measures("printer")["bed"]
    left, front, low, right, back, high = solid.bounding_box()
    if solid.status() != Error.NoError or solid.is_empty():
        wrong = "is empty"
    elif len(solid.decompose()) > 1:
        wrong = "falls into pieces"
    elif max(right - left, back - front, high - low) > bed:
        wrong = f"has {size(solid)}, and the bed has {bed:g} mm"
    else:
        return
    raise MeasureError(f"{FILE.name}: the {piece} of the {housing} {wrong}. Correct {MEASURED_IN[housing]}.")


def digest(housing: str) -> str:
    """Return the hash of the pieces that are kept and of all measures."""
    found = hashlib.sha256()
    for piece in PIECES[housing]:
        found.update(stl_file(housing, piece).read_bytes())
    found.update(json.dumps(tomllib.loads(FILE.read_text(encoding="utf-8")), sort_keys=True).encode())
    return found.hexdigest()


def shows(png: Path, housing: str) -> bool:
    """Return whether the picture *png* was made from the pieces and measures of *housing* as they are now."""
    return read_text(png.read_bytes(), MADE_FROM) == digest(housing)
