"""Builds every housing: its pieces as STL and 3MF to print, as STEP to change, and pictures of them."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from build123d import Mesher, export_step, export_stl

from hardware.making import made
from hardware.making.cad import apple, box, mechanism, slots, unit
from hardware.making.cad.coupon import coupon
from hardware.making.cad.solids import Solid
from hardware.making.housings import exploded, inside, printing
from hardware.making.housings.meshes import load
from hardware.making.housings.picture import COLOURS, in_rows, picture
from hardware.making.housings.pieces import FOLDER, PIECES, made_from
from hardware.making.housings.placed import Placed

ROUND_ENOUGH = 0.04
"""Largest distance between a side of a mesh and the solid, in millimetres. More corners make larger files."""

ROUND_ENOUGH_RADIANS = 0.3
SOME_DAY = datetime(2026, 1, 1, tzinfo=UTC)
"""A STEP file has a date; with a fixed one the same solid makes the same file."""

MAKERS: Mapping[str, Callable[[], Solid]] = {
    "block-shell": partial(box.shell, "block"),
    "block-base": partial(box.base, "block"),
    "block-base-pi-3-4-5": partial(box.base, "block", "pi-3-4-5"),
    "die-shell": partial(box.shell, "die"),
    "die-base": partial(box.base, "die"),
    "die-base-pi-3-4-5": partial(box.base, "die", "pi-3-4-5"),
    "unit-shell": unit.shell,
    "unit-base": unit.base,
    "unit-base-pi-3-4-5": partial(unit.base, "pi-3-4-5"),
    "unit-slot": slots.slot,
    "unit-switch-box": slots.switch_box,
    "unit-antenna-tray": slots.antenna_tray,
    "apple-shell": apple.shell,
    "apple-base": apple.base,
    "apple-wobble-plate": mechanism.wobble_plate,
    "apple-cam": mechanism.cam,
    "apple-lever": mechanism.lever,
    "test-coupon": coupon,
}
"""Every piece by its name, as it is printed."""


def write(folder: Path = FOLDER) -> list[Path]:
    """Write all pieces and pictures into *folder*, or nothing. Raises ``MeasureError``."""
    with TemporaryDirectory() as place:
        new = Path(place)
        for name, make in MAKERS.items():
            export(make(), new / name)
            printing.check(name, load(new / f"{name}.stl"))
        placed = Placed(new)
        inside.check(placed)
        for housing, pieces in PIECES.items():
            solids = in_rows([placed.printed(f"{housing}-{piece}") for piece in pieces])
            (new / f"{housing}.png").write_bytes(picture(list(zip(solids, COLOURS, strict=False))))
        for name, (parts_of, beside, up) in exploded.PICTURES.items():
            parts = parts_of(placed)
            (new / f"{name}-together.png").write_bytes(exploded.together(parts, beside=beside, up=up))
            (new / f"{name}-steps.png").write_bytes(exploded.step_by_step(parts))
        made.keep(new, made_from())
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(new, folder)
    return sorted(folder.iterdir())


def export(solid: Solid, path: Path) -> None:
    """Write a *solid* as STL, 3MF and STEP beside each other, as *path* without a suffix."""
    bodies = solid.solids()
    solid = bodies[0] if len(bodies) == 1 else solid
    export_stl(solid, path.with_suffix(".stl"), tolerance=ROUND_ENOUGH, angular_tolerance=ROUND_ENOUGH_RADIANS)
    step = path.with_suffix(".step")
    export_step(solid, step, write_pcurves=False, timestamp=SOME_DAY)
    # the writer numbers what it has written since it was loaded
    step.write_text(re.sub(r"(OCCURRENCE\(')\d+", r"\g<1>1", step.read_text(encoding="utf-8")), encoding="utf-8")
    mesher = Mesher()
    mesher.add_shape(solid, linear_deflection=ROUND_ENOUGH, angular_deflection=ROUND_ENOUGH_RADIANS)
    mesher.write(path.with_suffix(".3mf"))
    _without_dates(path.with_suffix(".3mf"))


def _without_dates(file: Path) -> None:
    # and without the ids that are new each time: the same solid makes the same file
    with ZipFile(file) as old:
        parts = {name: old.read(name) for name in old.namelist()}
    with ZipFile(file, "w") as new:
        for name, content in parts.items():
            new.writestr(ZipInfo(name), re.sub(rb' p:UUID="[^"]*"', b"", content), ZIP_DEFLATED)
